"""The facts and needs of an episode as tables: from the task's schedule, or found in a recorded history."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from harness import needs as finder
from harness.contract import Fact
from harness.record import Record


@dataclass(frozen=True, slots=True)
class NeedRow:
    """The action at `step` needs `fact` (a position in the table). `goal` numbers the goals; `first`: the history
    position of the message that showed the value first, None where the schedule does not tell."""

    step: int
    op: str
    goal: int
    fact: int
    first: int | None = None


@dataclass(frozen=True, slots=True)
class FactTable:
    """`declared`: bound presence applies (the task states keys); else only bare values are known."""

    facts: tuple[Fact, ...]
    needs: tuple[NeedRow, ...]
    declared: bool


def live(fact: Fact, step: int) -> bool:
    """Whether the action at the step can build on the fact: stated before it, and not superseded by then."""
    return fact.stated < step and (fact.superseded is None or fact.superseded >= step)


def table(record: Record, repositories: Sequence[str] = ()) -> FactTable:
    """Facts that some goal needs; values that are never needed are noise.

    repositories: prefixes that found paths are written without (see `needs.find`); recorded runs only.
    """
    if record.schedule is None:
        return _found(record, repositories)
    needed = {identifier for goal in record.schedule.goals for identifier in goal.facts}
    facts = tuple(f for f in record.schedule.facts if f.id in needed)
    positions = {f.id: i for i, f in enumerate(facts)}
    rows = [
        NeedRow(goal.step, goal.op, number, positions[identifier])
        for number, goal in enumerate(record.schedule.goals)
        for identifier in goal.facts
    ]
    return FactTable(facts, tuple(rows), declared=True)


def _found(record: Record, repositories: Sequence[str]) -> FactTable:
    facts: dict[str, int] = {}
    table_facts: list[Fact] = []
    rows: list[NeedRow] = []
    for goal, need in enumerate(found(record, repositories)):
        if need.value not in facts:
            facts[need.value] = len(table_facts)
            table_facts.append(Fact(need.value, need.value, need.value, need.kind, need.stated))
        rows.append(NeedRow(need.step, "value", goal, facts[need.value], need.first))
    return FactTable(tuple(table_facts), tuple(rows), declared=False)


def found(record: Record, repositories: Sequence[str] = ()) -> Sequence[finder.Need]:
    """Needs are found in the whole history, whatever the views were: the same set for every arm of a recorded run."""
    return finder.find(record.segments[0].messages, repositories) if record.segments else ()
