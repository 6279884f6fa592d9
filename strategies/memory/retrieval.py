"""Which units come back: metadata filter, cosine, threshold, decay, the best few."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal

from strategies import settings
from strategies.memory.store import Store
from strategies.memory.unit import Unit
from strategies.memory.vectors import Vectors

EXEMPT = ("goal", "constraint")  # kinds that do not fade
TELLING = 0.25  # share of the units: a name in more of them tells nothing apart (ours)


@dataclass(frozen=True, slots=True)
class Retrieval:
    """How to retrieve.

    threshold: least cosine, or least faded cosine with `threshold_on: decayed` (the seed's code; its text: similarity).
    top: most units, and as many records of other agents beside them. half_life: steps. metadata: filter by names before
    vectors are made, after, or not at all.
    """

    threshold: float
    threshold_on: Literal["similarity", "decayed"]
    top: int
    half_life: float
    metadata: Literal["before", "after", "off"]

    def check(self) -> None:
        """Raises ValueError for a setting out of range."""
        if not -1 <= self.threshold <= 1:
            raise ValueError(f"threshold={self.threshold!r}: give a cosine, -1 to 1")
        if not self.half_life > 0:
            raise ValueError(f"half_life={self.half_life!r}: give a number of steps above 0")
        settings.at_least("top", self.top, 1)
        settings.one_of("threshold_on", self.threshold_on, ("similarity", "decayed"))
        settings.one_of("metadata", self.metadata, ("before", "after", "off"))


@dataclass(frozen=True, slots=True)
class Query:
    """names: id-like strings of the text. step: now. shown: ids of the history messages and units that are in view."""

    text: str
    names: frozenset[str]
    step: int
    shown: Collection[str] = ()


@dataclass(frozen=True, slots=True)
class Hit:
    """about: the names that the unit shares with the query. similarity: cosine; score: what it was ranked by."""

    unit: Unit
    similarity: float
    score: float
    about: frozenset[str]


def retrieve(query: Query, store: Store, vectors: Vectors, how: Retrieval) -> list[Hit]:
    """The best units first. Working memory is not searched, nor what is in view already."""
    if not query.text.strip():
        return []
    units = [unit for unit in store.active("episodic", "semantic") if not _in_view(unit, query.shown)]
    telling = store.telling(query.names, TELLING)
    about = {unit.id: telling.intersection(unit.metadata.names) for unit in units}
    named = [unit for unit in units if about[unit.id]] if how.metadata != "off" and telling else units
    compared = units if how.metadata == "after" else named
    kept = {unit.id for unit in named}
    alike = vectors.likeness(query.text, [unit.content for unit in compared])
    hits = []
    for unit, similarity in zip(compared, alike, strict=True):
        hits.append(Hit(unit, similarity, similarity * fading(unit, query.step, how.half_life), about[unit.id]))
    hits = [hit for hit in hits if hit.unit.id in kept and _passes(hit, how)]
    hits.sort(key=lambda hit: (-hit.score, -hit.unit.number))
    own = [hit for hit in hits if hit.unit.kind != "record"]
    records = [hit for hit in hits if hit.unit.kind == "record"]  # a few words each: they must not crowd out the rest
    return [*own[: how.top], *records[: how.top]]


def fading(unit: Unit, step: int, half_life: float) -> float:
    """Half after each half-life since the unit's last step; goals and constraints do not fade."""
    return 1.0 if unit.kind in EXEMPT else 0.5 ** (max(0, step - max(unit.created, unit.metadata.until)) / half_life)


def _passes(hit: Hit, how: Retrieval) -> bool:
    return (hit.similarity if how.threshold_on == "similarity" else hit.score) >= how.threshold


def _in_view(unit: Unit, shown: Collection[str]) -> bool:
    sources = unit.metadata.sources
    return unit.id in shown or (bool(sources) and all(source in shown for source in sources))
