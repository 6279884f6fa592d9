"""The dependency graph: which message needs which earlier one.

Nodes are numbers. An edge goes from what is needed (`source`) to what needs it (`dependent`). Adding, removing and
asking take constant time; finishing a dependent takes time in the number of its own edges, not in the graph's size.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

Origin = Literal["declared", "use", "model", "doubted", "verified"]
MUST, MAY = 1.0, 0.3
SAFETY = 0.5  # an edge of at least this weight keeps its source from being safe


@dataclass(frozen=True, slots=True)
class Edge:
    """Someone proposed it. kept: whether it still stands (a check may have taken it away)."""

    source: int
    dependent: int
    weight: float
    origin: Origin
    kept: bool = True


class Graph:
    """`depends_on[d][s]` and `depended_by[s][d]` hold the weight of an edge by origin; its weight is the greatest."""

    def __init__(self) -> None:
        self.depends_on: dict[int, dict[int, dict[Origin, float]]] = {}
        self.depended_by: dict[int, set[int]] = {}
        self.proposed: list[tuple[int, int, float, Origin]] = []
        self._finished: set[int] = set()
        self._waiting: dict[int, int] = {}  # by source: edges of safety weight to unfinished dependents
        self._degree: dict[int, float] = {}

    def link(self, source: int, dependent: int, weight: float, origin: Origin) -> None:
        """A heavier edge of the same origin takes the place of a lighter one; a node does not depend on itself."""
        known = self.depends_on.get(dependent, {}).get(source, {})
        if source == dependent or weight <= known.get(origin, 0.0):
            return
        self.proposed.append((source, dependent, weight, origin))
        self._weigh(source, dependent, {**known, origin: weight})

    def unlink(self, source: int, dependent: int) -> None:
        self._weigh(source, dependent, {})

    def finish(self, dependent: int) -> None:
        """It has what it needs: its edges keep nothing from being safe any longer."""
        if dependent in self._finished:
            return
        for source, by_origin in self.depends_on.get(dependent, {}).items():
            self._wait(source, -(max(by_origin.values()) >= SAFETY))
        self._finished.add(dependent)

    def waited_for(self, source: int) -> bool:
        """Whether an unfinished dependent needs it for sure."""
        return self._waiting.get(source, 0) > 0

    def degree(self, source: int) -> float:
        """Sum of the weights of its edges to dependents."""
        return self._degree.get(source, 0.0)

    def sources(self, dependent: int) -> dict[int, float]:
        """What a node depends on, with weights."""
        return {source: max(own.values()) for source, own in self.depends_on.get(dependent, {}).items()}

    def edges(self) -> Iterator[Edge]:
        """Every edge that was proposed, in order."""
        for source, dependent, weight, origin in self.proposed:
            kept = origin in self.depends_on.get(dependent, {}).get(source, {})
            yield Edge(source, dependent, weight, origin, kept)

    def dump(self) -> dict[str, Any]:
        standing = [[s, d, own] for d, sources in self.depends_on.items() for s, own in sources.items()]
        return {"edges": standing, "proposed": self.proposed, "finished": sorted(self._finished)}

    def load(self, state: dict[str, Any]) -> None:
        for source, dependent, own in state["edges"]:
            self._weigh(source, dependent, own)
        self.proposed = [(source, dependent, weight, origin) for source, dependent, weight, origin in state["proposed"]]
        for dependent in state["finished"]:
            self.finish(dependent)

    def _weigh(self, source: int, dependent: int, by_origin: dict[Origin, float]) -> None:
        """Give an edge its weights; none = take it away."""
        own = self.depends_on.setdefault(dependent, {})
        old, new = max(own.get(source, {}).values(), default=0.0), max(by_origin.values(), default=0.0)
        if by_origin:
            own[source] = by_origin
            self.depended_by.setdefault(source, set()).add(dependent)
        elif own.pop(source, None) is not None:
            self.depended_by[source].discard(dependent)
        # Rounded, so that the sum does not depend on the order in which its edges came.
        self._degree[source] = round(self._degree.get(source, 0.0) + new - old, 3)
        if dependent not in self._finished:
            self._wait(source, (new >= SAFETY) - (old >= SAFETY))

    def _wait(self, source: int, change: int) -> None:
        self._waiting[source] = self._waiting.get(source, 0) + change
