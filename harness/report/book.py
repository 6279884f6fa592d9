"""Finds a number again: the lines of the summary by family, budget, arm, reader, measure and checkpoint."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from harness.report.estimates import Point

Key = tuple[str, int | None, str, str, str, int | None]


@dataclass(frozen=True, slots=True)
class Scope:
    """One table: a family at one budget, with its arms and readers in the order of the plan, and its checkpoints."""

    family: str
    budget: int | None
    arms: tuple[str, ...]
    readers: tuple[str, ...]
    checkpoints: tuple[int, ...]


@dataclass(slots=True)
class Book:
    """reader: the reader's label, or the model's where the model reads for itself."""

    points: Sequence[Point]
    _found: dict[Key, Point] = field(default_factory=dict)
    several: bool = field(default=False, init=False)  # models with scripted readers

    def __post_init__(self) -> None:
        self.several = len({p.model for p in self.points if p.reader != "-"}) > 1
        self._found = {(p.family, p.budget, p.arm, self.who(p), p.measure, p.checkpoint): p for p in self.points}

    def who(self, point: Point) -> str:
        if point.reader == "-":
            return point.model
        return f"{point.model} {point.reader}" if self.several else point.reader

    def at(self, scope: Scope, arm: str, reader: str, measure: str, checkpoint: int | None = None) -> Point | None:
        return self._found.get((scope.family, scope.budget, arm, reader, measure, checkpoint))

    def value(self, scope: Scope, arm: str, reader: str, measure: str, checkpoint: int | None = None) -> float | None:
        found = self.at(scope, arm, reader, measure, checkpoint)
        return None if found is None else found.value

    def lines(self, scope: Scope, measure: str) -> list[Point]:
        """Of all arms of the family, where there is a value."""
        own = (scope.family, scope.budget, measure)
        return [p for p in self.points if (p.family, p.budget, p.measure) == own and p.value is not None]

    def has(self, scope: Scope, measure: str) -> bool:
        return bool(self.lines(scope, measure))

    def named(self, scope: Scope, arm: str, reader: str, prefix: str) -> list[Point]:
        """Lines whose measure starts with the prefix."""
        own = (scope.family, scope.budget, arm, reader)
        return [p for key, p in self._found.items() if key[:4] == own and p.measure.startswith(prefix)]

    def simulated(self, reader: str) -> bool:
        return any(p.reader != "-" and self.who(p) == reader for p in self.points)

    def scopes(self, arms: Sequence[str], family: str | None = None) -> list[Scope]:
        """arms: of the sweep, in order; computed bounds are none of them."""
        groups: dict[tuple[str, int | None], tuple[list[str], list[str], set[int]]] = {}
        for p in self.points:
            if p.arm in arms and (family is None or p.family == family):
                own_arms, readers, reached = groups.setdefault((p.family, p.budget), ([], [], set()))
                if p.checkpoint is not None:
                    reached.add(p.checkpoint)
                if p.arm not in own_arms:
                    own_arms.append(p.arm)
                if self.who(p) not in readers:
                    readers.append(self.who(p))
        return [
            Scope(name, budget, tuple(sorted(own, key=list(arms).index)), tuple(readers), tuple(sorted(reached)))
            for (name, budget), (own, readers, reached) in groups.items()
        ]
