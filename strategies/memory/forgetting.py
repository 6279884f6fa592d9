"""What fades: not deleted, but said in fewer words (seed, section 3.3: full, summary, points, tag)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal

from strategies import settings
from strategies.memory.bindings import binding
from strategies.memory.statements import statements
from strategies.memory.store import Store
from strategies.memory.unit import Kind, Level, Unit

Retention = Literal["all", "last", "tiered"]


@dataclass(frozen=True, slots=True)
class Forgetting:
    """How to forget.

    retention: `all` nothing; `last` all but the newest `last` units go, whatever they are; `tiered` goals, constraints
    and preferences for ever, the newest `decisions`, `thoughts` and `steps` (lines of progress), and summaries
    step down to points after step_down[0] steps, to a tag after step_down[1].
    """

    retention: Retention
    last: int
    decisions: int
    thoughts: int
    steps: int
    step_down: tuple[int, ...]

    def check(self) -> None:
        """Raises ValueError for a setting out of range."""
        settings.one_of("retention", self.retention, ("all", "last", "tiered"))
        settings.at_least("last_units", self.last, 1)
        for name, value in (("decisions", self.decisions), ("thoughts", self.thoughts), ("last_steps", self.steps)):
            settings.at_least(name, value, 0)
        if len(self.step_down) != 2 or not 0 < self.step_down[0] <= self.step_down[1]:
            raise ValueError(f"step_down={list(self.step_down)!r}: give two ages in steps, such as [40, 80]")


def forget(store: Store, step: int, how: Forgetting) -> list[Unit]:
    """Apply it; the units that were archived or shortened."""
    if how.retention == "all":
        return []
    if how.retention == "last":
        gone = _surplus(store.active("episodic", "semantic"), how.last)
        return _archive(store, [*gone, *_surplus(_of(store, "progress"), how.steps)])
    gone = [
        *_surplus(_of(store, "decision"), how.decisions),
        *_surplus(_of(store, "reasoning"), how.thoughts),
        *_surplus(_of(store, "progress"), how.steps),
    ]
    return [*_archive(store, gone), *_step_down(store, step, how.step_down)]


def _of(store: Store, kind: Kind) -> list[Unit]:
    return [unit for unit in store.active() if unit.kind == kind]


def _surplus(units: list[Unit], newest: int) -> list[Unit]:
    return units[: max(0, len(units) - newest)]


def _archive(store: Store, units: Iterable[Unit]) -> list[Unit]:
    found = [replace(unit, status="archived") for unit in units]
    for unit in found:
        store.put(unit)
    return found


def _step_down(store: Store, step: int, after: tuple[int, ...]) -> list[Unit]:
    changed = []
    for unit in _of(store, "summary"):
        age = step - unit.metadata.until
        level: Level = "tag" if age >= after[1] else "points" if age >= after[0] else "summary"
        if level == unit.level or unit.level == "tag":
            continue
        shorter = replace(unit, level=level, content=points(unit.content) if level == "points" else tag(unit.content))
        store.put(shorter)
        changed.append(shorter)
    return changed


def points(summary: str) -> str:
    """The fields, and of the results only name = value."""
    lines = []
    for line in statements(summary):
        if (found := binding(line)) is not None:
            lines.append(f"{found.name} = {found.value}")
        elif line.startswith(("task:", "goal:", "steps:", "results:", "open issues:")):
            lines.append(line)
    return "\n".join(lines)


def tag(summary: str) -> str:
    """Which subtask, which steps."""
    return "; ".join(line for line in statements(summary) if line.startswith(("task:", "steps:")))
