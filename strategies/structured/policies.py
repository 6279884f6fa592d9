"""Which entry goes first."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import log1p
from typing import Literal

from strategies.structured.entries import Entry
from strategies.structured.graph import Graph

Policy = Literal["lru", "safe", "utility", "hybrid"]
POLICIES = ("lru", "safe", "utility", "hybrid")
Utility = Callable[[Entry], float]
# What a kind of text is worth. The order is the seed's (goals and constraints for ever, then credentials, then outputs,
# logs last), the numbers are ours.
TIERS = {"goal": 1.0, "constraint": 1.0, "credential": 0.7, "output": 0.4, "log": 0.1}
DEGREE, RECENT, HALF_LIFE = 0.2, 0.2, 10.0  # weights of out-degree and recency; steps in which recency halves (ours)


@dataclass(frozen=True, slots=True)
class Standing:
    """What a choice rests on. used: by ref, the step of the last call that contained a value first stated there.

    weights: by likeness, what was learnt online. ended: the subtasks before this number are over.
    """

    graph: Graph
    used: Mapping[int, int]
    weights: Mapping[str, float]
    step: int
    part: int

    def safe(self, entry: Entry) -> bool:
        """Nobody unfinished needs it for sure. Its own subtask counts as someone who does until it ends: what is new
        has no dependents yet, and is not safe for that."""
        return entry.part < self.part and not any(self.graph.waited_for(node) for node in entry.nodes)

    def last_use(self, entry: Entry) -> int:
        return max(self.used.get(entry.ref, entry.step), entry.step)

    def utility(self, entry: Entry, tiers: Mapping[str, float]) -> float:
        """By rules: tier, how much depends on it, how recently it was used; times what was learnt of its like."""
        degree = sum(self.graph.degree(node) for node in entry.nodes)
        recency = 2 ** (-(self.step - self.last_use(entry)) / HALF_LIFE)
        value = tiers[entry.tier] + DEGREE * log1p(degree) + RECENT * recency
        return value * self.weights.get(entry.like, 1.0)


class Rules:
    """The utility by rules, of one turn: nothing that leaves in it changes what the others are worth."""

    def __init__(self, now: Standing) -> None:
        self._now = now
        self._known: dict[int, float] = {}

    def __call__(self, entry: Entry) -> float:
        if entry.ref not in self._known:
            self._known[entry.ref] = self._now.utility(entry, TIERS)
        return self._known[entry.ref]

    def drop(self, entry: Entry) -> None:
        """It left the page."""


def ordered(
    policy: Policy, entries: Iterable[Entry], now: Standing, utility: Utility
) -> Iterator[tuple[Entry, str]]:
    """The entries that may go, the first to go first, each with the reason. `hybrid` is given no core.

    utility: may change while entries leave; each time the least useful of those that are left goes.
    """
    free = list(entries)
    if policy == "lru":
        yield from ((entry, "lru") for entry in sorted(free, key=lambda e: (now.last_use(e), e.ref)))
        return
    safe = [entry for entry in free if policy in ("safe", "hybrid") and now.safe(entry)]
    if policy == "safe":  # the oldest first
        yield from ((entry, "safe") for entry in sorted(safe, key=lambda e: e.ref))
        return
    rest = {entry.ref for entry in free} - {entry.ref for entry in safe}
    for reason, left in (("safe", safe), ("utility", [entry for entry in free if entry.ref in rest])):
        while left:
            least = min(left, key=lambda e: (utility(e), e.ref))
            left.remove(least)
            yield least, reason


def core(entries: Sequence[Entry], most: int, utility: Utility) -> set[int]:
    """Refs of the constraints and credentials that always stay, the most useful first, up to `most` tokens."""
    kept: set[int] = set()
    for entry in sorted((e for e in entries if e.core), key=lambda e: (-utility(e), e.ref)):
        if entry.tokens <= most:
            kept.add(entry.ref)
            most -= entry.tokens
    return kept
