"""Edges of a dependency graph against the needs of the task, and evictions that were called safe.

An edge is true when its source states a fact that the action needs which its dependent is or leads to. What is only
counted, compared or found absent is needed as well, so that no source that looks at values alone finds all.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Protocol, runtime_checkable

from harness.contract import Grammar
from harness.facts import table
from harness.history import index_of
from harness.presence import Index
from harness.ranges import unpack
from harness.record import Record
from harness.walk import ENVIRONMENT, author

SURE = 0.5  # an edge of this weight counts for safety


class Edge(Protocol):
    """weight: 1.0 = must, 0.3 = may. origin: who proposed it. kept: it still stood at the end."""

    @property
    def weight(self) -> float: ...
    @property
    def origin(self) -> str: ...
    @property
    def kept(self) -> bool: ...


@runtime_checkable
class Graphed(Protocol):
    """A strategy that says which edges it ever had, with the ids of source and dependent."""

    def proposed(self) -> Iterable[tuple[Edge, str, str]]: ...


@dataclass(frozen=True, slots=True)
class Source:
    """Counts of one source of edges: proposed and true ones, those kept to the end and true ones of them; needs that an
    edge leads to, and all needs that were met with."""

    edges: int = 0
    true: int = 0
    kept: int = 0
    kept_true: int = 0
    found: int = 0
    needs: int = 0

    @property
    def precision(self) -> float | None:
        return self.true / self.edges if self.edges else None

    @property
    def precision_kept(self) -> float | None:
        return self.kept_true / self.kept if self.kept else None

    @property
    def recall(self) -> float | None:
        return self.found / self.needs if self.needs else None

    def __add__(self, other: Source) -> Source:
        return Source(*(getattr(self, name) + getattr(other, name) for name in Source.__slots__))


@dataclass(frozen=True, slots=True)
class Safe:
    """Messages evicted as safe, those of them that stated a fact of the task, and those needed at a later step."""

    messages: int = 0
    telling: int = 0
    needed: int = 0

    def __add__(self, other: Safe) -> Safe:
        return Safe(*(getattr(self, name) + getattr(other, name) for name in Safe.__slots__))


def scores(record: Record, grammar: Grammar | None, edges: Iterable[tuple[Edge, str, str]]) -> dict[str, Source]:
    """By "origin must" and "origin may". Needs of steps that were not reached do not count."""
    needs, states = _needs(record), _stating(record, grammar)
    steps = _leads_to(record)
    reached = {(step, fact) for step, facts in needs.items() if step <= record.steps for fact in facts}
    found: dict[str, set[tuple[int, int]]] = defaultdict(set)
    counts: dict[str, Source] = defaultdict(Source)
    for edge, source, dependent in edges:
        name = f"{edge.origin} {'must' if edge.weight >= SURE else 'may'}"
        step = steps(_place(dependent))
        hits = needs.get(step, frozenset()) & states(_place(source))
        counts[name] += Source(1, bool(hits), edge.kept, edge.kept and bool(hits))
        found[name] |= {(step, fact) for fact in hits}
    return {name: own + Source(found=len(found[name] & reached), needs=len(reached)) for name, own in counts.items()}


def safe(record: Record, grammar: Grammar | None) -> Safe:
    """What was evicted as safe: events `evict` with trigger `safe`."""
    needs, states, total = _needs(record), _stating(record, grammar), Safe()
    last = {fact: step for step, facts in sorted(needs.items()) for fact in facts}
    for turn in record.turns:
        for kind, trigger, ids in turn.noted:
            if (kind, trigger) != ("evict", "safe"):
                continue
            for name in unpack(ids):
                facts = states(_place(name))
                total += Safe(1, bool(facts), any(last[fact] > turn.step for fact in facts if fact in last))
    return total


def _needs(record: Record) -> Mapping[int, frozenset[int]]:
    """By step, the facts that its action needs."""
    found: dict[int, set[int]] = defaultdict(set)
    for need in table(record).needs:
        found[need.step].add(need.fact)
    return {step: frozenset(facts) for step, facts in found.items()}


class Stating(Protocol):
    def __call__(self, place: int, /) -> frozenset[int]: ...


def _stating(record: Record, grammar: Grammar | None) -> Stating:
    """The facts that a message of the history states."""
    index = Index(table(record).facts, grammar)

    @cache
    def states(place: int) -> frozenset[int]:
        message = record.segments[0].messages[place]
        return index.holds(message, author(message, original=True) != ENVIRONMENT).bound

    return states


class Leading(Protocol):
    def __call__(self, place: int, /) -> int: ...


def _leads_to(record: Record) -> Leading:
    """The step of the action that a message is, or that comes next after it; one past the last where none does."""
    acted = [(turn.length, turn.step) for turn in record.turns if turn.acted]

    def step(place: int) -> int:
        at = bisect_left(acted, (place, 0))
        return acted[at][1] if at < len(acted) else record.steps + 1

    return step


def _place(name: str) -> int:
    place = index_of(name)
    assert place is not None, f"{name} is no id of the history"
    return place
