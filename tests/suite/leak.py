"""A family with a planted leak: a mark before every statement that will be needed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from harness.contract import Environment, Grammar, Instance, Message, Schedule, Task, Turn
from harness.shortcuts.units import pieces


class Leaky:
    """The same task, but for `mark`."""

    def __init__(self, task: Task, mark: str) -> None:
        assert task.grammar is not None
        self.task = task
        self.mark = mark
        self.grammar: Grammar = task.grammar
        self.horizon = getattr(task, "horizon", None)

    def instances(self) -> Sequence[Instance]:
        return self.task.instances()

    def open(self, instance: Instance, seed: int) -> Marked:
        return Marked(self.task.open(instance, seed), self.grammar, self.mark)


class Marked:
    def __init__(self, inner: Environment, grammar: Grammar, mark: str) -> None:
        self.inner, self.grammar, self.mark = inner, grammar, mark

    def reset(self) -> Turn:
        return self._marked(self.inner.reset())

    def step(self, reply: Message) -> Turn:
        return self._marked(self.inner.step(reply))

    def schedule(self) -> Schedule | None:
        return self.inner.schedule()

    def score(self):  # type: ignore[no-untyped-def]
        return self.inner.score()

    def close(self) -> None:
        self.inner.close()

    def _marked(self, turn: Turn) -> Turn:
        schedule = self.inner.schedule()
        assert schedule is not None
        wanted = {fact for goal in schedule.goals for fact in goal.facts}
        needed = {(fact.key, fact.value) for fact in schedule.facts if fact.id in wanted}
        return replace(turn, messages=tuple(replace(m, content=self._text(m.content, needed)) for m in turn.messages))

    def _text(self, text: str, needed: set[tuple[str, str]]) -> str:
        starts = [s for s, _, claims in pieces(text, self.grammar) if any((c.key, c.value) in needed for c in claims)]
        for start in reversed(starts):
            text = text[:start] + self.mark + text[start:]
        return text
