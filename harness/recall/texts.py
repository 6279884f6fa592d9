"""Orders of a generated task, the texts told before them, and which of those hold what the order needs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from harness.contract import Call, Environment, Instance, Message, Model, Request, Task
from harness.models.dials import Dials
from harness.models.scripted import Scripted
from harness.models.texts import instruction
from harness.presence import Index

ROOM = 4096  # tokens that a reply may have; the reader's are short
GAP = 5  # steps: what was told later is in view anyway


@dataclass(frozen=True, slots=True)
class Asked:
    """An order, and the passages told at least `GAP` steps before it.

    needed: for each fact that the order needs and that was told so long ago, the places of the passages that bind it.
    named: the places of passages that name the owner of one of those facts: what a filter by names would leave.
    """

    order: str
    passages: tuple[str, ...]
    needed: tuple[frozenset[int], ...]
    named: frozenset[int]


def asked(task: Task, instance: Instance, seed: int) -> list[Asked]:
    """Play an instance with everything in view, by the ideal scripted reader.

    Raises ValueError for a task without a grammar or without a schedule.
    """
    environment = task.open(instance, seed)
    try:
        return list(_played(task, environment, seed))
    finally:
        environment.close()


def _played(task: Task, environment: Environment, seed: int) -> Iterator[Asked]:
    grammar, schedule = task.grammar, environment.schedule()
    if grammar is None or schedule is None:
        raise ValueError(f"{type(task).__name__} has no grammar or no schedule: choose a generated task")
    model = Scripted(Dials()).open(task, environment, seed)
    index, facts = Index(schedule.facts, grammar), schedule.facts
    place = {fact.id: position for position, fact in enumerate(facts)}
    goals = {goal.step: [place[fact] for fact in goal.facts] for goal in schedule.goals}
    told: list[tuple[int, Message]] = []  # the step that it was told in
    for step, new in _steps(environment, model):
        order = instruction(grammar, new[-1].content)
        told += [(step - 1, _without(message, order)) for message in new]
        old = [message for since, message in told if since <= step - 1 - GAP]
        holds = [index.holds(message, written=False).bound for message in old]
        needed = {fact: frozenset(n for n, held in enumerate(holds) if fact in held) for fact in goals.get(step, ())}
        owners = {facts[fact].key.partition("/")[0] for fact, places in needed.items() if places}
        if owners:
            named = frozenset(n for n, message in enumerate(old) if any(owner in message.content for owner in owners))
            found = tuple(places for places in needed.values() if places)
            yield Asked(order, tuple(m.content for m in old), found, named)


def _without(message: Message, order: str) -> Message:
    return replace(message, content=message.content.removesuffix(order).rstrip())


def _steps(environment: Environment, model: Model) -> Iterator[tuple[int, Sequence[Message]]]:
    """Each step: its number, and what was told since the last one, with the order at its end."""
    turn, history, step, calls = environment.reset(), list[Message](), 0, 0
    tools, agent = (turn.brief.tools, turn.brief.agent) if turn.brief is not None else ((), None)
    while not turn.done:
        if turn.brief is not None:
            history = [
                Message(f"m{len(history)}", "system", turn.brief.system),
                Message(f"m{len(history) + 1}", "user", turn.brief.task),
            ]
        acting = turn.brief.agent if turn.brief is not None else turn.agent
        if acting != agent:
            raise ValueError(f"{acting} takes over from {agent}: choose a task with one agent")
        new = [replace(message, id=f"m{len(history) + n}") for n, message in enumerate(turn.messages)]
        history += new
        step += 1
        yield step, new
        reply = model.complete(Request(tuple(history), tools, 0, ROOM)).message
        made = tuple(Call(f"c{calls + n}", call.name, call.arguments) for n, call in enumerate(reply.calls))
        calls += len(made)
        history.append(replace(reply, id=f"m{len(history)}", calls=made))
        turn = environment.step(history[-1])
