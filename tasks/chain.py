"""Several instances of a task one after the other in one history: does an agent that never starts afresh wear out?

Source: Semenov and Dorofeev 2026, "Beyond Compaction" (arXiv 2606.11213), evaluation: tasks chained in one session,
against the same tasks in a session each. Here that is `n` against `n: 1`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from harness.contract import (
    Brief,
    Environment,
    Event,
    Fact,
    Goal,
    Grammar,
    Instance,
    Message,
    Recorded,
    Schedule,
    Task,
    Turn,
)

_BORDER = "Task {number} of {n}. The tasks before are over, and what was said in them holds no longer."


class Chain:
    """Every `n` instances of `task` in turn are one instance of the chain; what is left over at the end is not played.

    With n = 1 each begins in a history of its own. How an instance is worded depends on itself alone, so that it is the
    same text at any n. grammar, suite: those of the task.
    """

    def __init__(self, task: Task, n: int = 5) -> None:
        self.task = task
        self.n = n

    @property
    def grammar(self) -> Grammar | None:
        return self.task.grammar

    @property
    def suite(self) -> str | None:
        found: str | None = getattr(self.task, "suite", None)
        return found

    @property
    def coupling(self) -> int | None:
        """That of the task: one instance's mistakes never reach the next."""
        found: int | None = getattr(self.task, "coupling", None)
        return found

    @property
    def horizon(self) -> int | None:
        """n times that of the task; None where that has none."""
        inner: int | None = getattr(self.task, "horizon", None)
        return None if inner is None else inner * self.n

    def instances(self) -> Sequence[Instance]:
        """Raises ValueError where there are not enough for one chain."""
        if isinstance(self.n, bool) or not isinstance(self.n, int) or self.n < 1:
            raise ValueError(f"task.n={self.n!r}: give how many instances follow each other, at least 1")
        links = list(self.task.instances())
        if len(links) < self.n:
            raise ValueError(f"task.n={self.n}: the task has {len(links)} instances, set instances={self.n} or more")
        parts = [tuple(links[start : start + self.n]) for start in range(0, len(links) - self.n + 1, self.n)]
        return [Instance(self._name(part), part[0].seed, part) for part in parts]

    def _name(self, links: Sequence[Instance]) -> str:
        return links[0].id if self.n == 1 else f"{links[0].id}-and-{self.n - 1}"

    def open(self, instance: Instance, seed: int) -> Links:
        """`seed` changes nothing here: see above."""
        return Links(self.task, instance.data, getattr(self.task, "horizon", None))


class Links:
    """The environments of a chain; each is opened when its turn comes, and closed when it is done.

    At a border the answers to the last calls stay with the old task; the new one begins with its brief in the same
    history. Whoever has acted before goes on in the history that it has. Calls beyond the last step of an instance are
    answered by it, as they would be without a chain, and reach no other.
    """

    def __init__(self, task: Task, links: Sequence[Instance], steps: int | None) -> None:
        self.task, self.links, self.steps = task, links, steps
        self.place = 0
        self.scores: list[Mapping[str, float]] = []
        self.agents: set[str | None] = set()
        self.sessions = 0  # number of the newest one
        self.before = 0  # sessions before the current instance
        self.environment: Environment | None = None

    def reset(self) -> Turn:
        self.close()
        self.place, self.scores, self.agents, self.sessions, self.before = 0, [], set(), 0, 0
        return self._seated(self._opened().reset())

    def step(self, reply: Message) -> Turn:
        environment = self._current
        turn = environment.step(reply)
        events = tuple(_moved(event, self.place, self._offset) for event in turn.events)
        if not turn.done or self.place + 1 == len(self.links):
            return replace(self._seated(turn), events=events)
        self.scores.append(environment.score())
        self.close()
        self.place += 1
        self.before = self.sessions
        first = self._seated(self._opened().reset())
        return replace(first, messages=(*_answers(turn.messages), *first.messages), events=events, seconds=turn.seconds)

    def schedule(self) -> Schedule | None:
        """Facts and goals of all instances, moved to where they come up; what one stated ends with it.

        Raises ValueError where the task has schedules, but does not say how many steps an instance takes.
        """
        own = self._current.schedule()
        if own is None:
            return None
        if self.steps is None:
            raise ValueError(f"{type(self.task).__name__} has a schedule, but no horizon: it cannot be chained")
        facts: list[Fact] = []
        goals: list[Goal] = []
        for place, schedule in enumerate(self._schedules()):
            offset, last = place * self.steps, place + 1 == len(self.links)
            facts += [_fact(fact, place, offset, None if last else offset + self.steps) for fact in schedule.facts]
            goals += [Goal(g.step + offset, g.op, tuple(_name(f, place) for f in g.facts)) for g in schedule.goals]
        return Schedule(tuple(facts), tuple(goals))

    def score(self) -> Mapping[str, float]:
        """The means over all instances, one that was not reached counting 0, and each one's ("success_1", …)."""
        reached = self.scores if self.environment is None else [*self.scores, self.environment.score()]
        found = {f"{name}_{n}": value for n, score in enumerate(reached, 1) for name, value in score.items()}
        names = dict.fromkeys(name for score in reached for name in score)
        means = {name: sum(score.get(name, 0.0) for score in reached) / len(self.links) for name in names}
        return means if len(self.links) == 1 else means | found

    def close(self) -> None:
        if self.environment is not None:
            self.environment.close()
            self.environment = None

    # ------------------------------------------------------------ links

    @property
    def _current(self) -> Environment:
        assert self.environment is not None, "step or schedule before reset"
        return self.environment

    @property
    def _offset(self) -> int:
        return self.place * (self.steps or 0)

    def _open(self, place: int) -> Environment:
        link = self.links[place]
        environment = self.task.open(link, int.from_bytes(hashlib.sha256(link.id.encode()).digest()[:6], "big"))
        if isinstance(environment, Recorded):
            raise ValueError(f"{link.id}: recorded runs cannot be chained, what comes after is not recorded")
        return environment

    def _opened(self) -> Environment:
        self.environment = self._open(self.place)
        return self.environment

    def _schedules(self) -> Iterator[Schedule]:
        for place in range(len(self.links)):
            environment = self._open(place)
            environment.reset()
            schedule = environment.schedule()
            environment.close()
            assert schedule is not None
            yield schedule

    def _seated(self, turn: Turn) -> Turn:
        """The turn with its brief as one of the chain: told which task it is, in the agent's own history."""
        brief = turn.brief
        if brief is None:
            return turn
        self.sessions = max(self.sessions, self.before + brief.session)
        known, own = brief.agent in self.agents, brief.session > 0
        self.agents.add(brief.agent)
        return replace(turn, brief=self._brief(brief), new_history=turn.new_history and (own or not known))

    def _brief(self, brief: Brief) -> Brief:
        task, n = brief.task, len(self.links)
        if n > 1:
            task = f"{_BORDER.format(number=self.place + 1, n=n)}\n\n{task}"
        return replace(brief, task=task, session=self.before + brief.session)


def _answers(messages: Sequence[Message]) -> list[Message]:
    """Messages at a border: what stands beside the answers belongs to the old task, so it joins the last of them."""
    answers = [message for message in messages if message.role == "tool"]
    others = [message for message in messages if message.role != "tool"]
    if not answers:
        return others
    joined = "\n\n".join([answers[-1].content, *(message.content for message in others)])
    return [*answers[:-1], replace(answers[-1], content=joined)]


def _name(fact: str, place: int) -> str:
    """An id in the chain: that of the first instance stays as it is."""
    return fact if place == 0 else f"{place + 1}:{fact}"


def _fact(fact: Fact, place: int, offset: int, end: int | None) -> Fact:
    superseded = end if fact.superseded is None else fact.superseded + offset
    return replace(fact, id=_name(fact.id, place), stated=fact.stated + offset, superseded=superseded)


def _moved(event: Event, place: int, offset: int) -> Event:
    """An event with its steps and facts as they are numbered in the chain."""
    detail: dict[str, Any] = dict(event.detail)
    for name in ("step", "until"):
        if name in detail:
            detail[name] += offset
    if "by" in detail:
        detail["by"] = [step + offset for step in detail["by"]]
    if "used" in detail:
        detail["used"] = {_name(fact, place): verdict for fact, verdict in detail["used"].items()}
    return Event(event.kind, detail)
