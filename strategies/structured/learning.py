"""Learning while it runs: what is fetched back soon after its eviction was worth more than was thought, and so are its
like."""

from __future__ import annotations

from dataclasses import dataclass, field

from strategies.structured.entries import Entry


@dataclass(slots=True)
class Learning:
    """within: steps after an eviction in which fetching back counts. factor: of each lesson. most: the greatest weight.

    Source: the seed's online adaptation ("evicted and soon fetched back: its like get more weight"); numbers are ours.
    """

    within: int = 5
    factor: float = 1.5
    most: float = 4.0
    weights: dict[str, float] = field(default_factory=dict)

    def fetched(self, entry: Entry, evicted: int, step: int) -> str | None:
        """An entry that left at step `evicted` comes back; returns what changed, for the ledger."""
        old = self.weights.get(entry.like, 1.0)
        new = min(self.most, old * self.factor)
        if step - evicted > self.within or new == old:
            return None
        self.weights[entry.like] = new
        return f"{entry.like} {old:g} -> {new:g}"
