"""What a new entry changes: the graph, what was used last, what fetching back teaches."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from strategies.structured.entries import Entry
from strategies.structured.links import Links
from strategies.structured.reading import Read
from strategies.structured.store import Store

Note = Callable[[str, str, Sequence[str]], None]


@dataclass(slots=True)
class Learning:
    """What is fetched back soon after its eviction was worth more than was thought, and so are its like.

    within: steps after an eviction in which fetching back counts. factor: of each lesson. most: the greatest weight.

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


@dataclass(slots=True)
class Intake:
    """gone: see `Evictor`. used: by ref, the step of the last call with a value first stated there. refs: the entry of
    a node. told: refs of safe evictions of which it was noted that they were needed after all. session: whose ids may
    be named.
    """

    links: Links
    learning: Learning
    store: Store
    gone: Mapping[int, tuple[int, str]]
    note: Note
    session: int
    used: dict[int, int] = field(default_factory=dict)
    refs: dict[int, int] = field(default_factory=dict)
    told: set[int] = field(default_factory=set)

    def take(self, read: Read, step: int) -> None:
        entry = read.entry
        if read.border:
            came, went = self.links.ended()
            if came or went:
                self.note("verify", f"part {entry.part - 1}: {came} edges came, {went} went", ())
        for ref in entry.copies:
            self._fetched(ref, step)
        if entry.own:
            return
        for node, message in zip(entry.nodes, read.messages, strict=True):
            self.refs[node] = entry.ref
            if message.role != "assistant":
                self.links.told(node, message)
            elif message.calls:
                for source in self.links.acted(node, message):
                    if source in self.refs:
                        self._use(self.refs[source], step)

    def _use(self, ref: int, step: int) -> None:
        self.used[ref] = step
        _, reason = self.gone.get(ref, (0, ""))
        entry = self.store.get(ref) if reason == "safe" and ref not in self.told else None
        if entry is not None:
            self.told.add(ref)
            self.note("needed", "safe", entry.ids if entry.session == self.session else ())

    def _fetched(self, ref: int, step: int) -> None:
        entry = self.store.get(ref)
        if entry is None or ref not in self.gone:
            return
        if (lesson := self.learning.fetched(entry, self.gone[ref][0], step)) is not None:
            self.note("weight", lesson, ())
        self._use(ref, step)
        self.store.add(entry)
