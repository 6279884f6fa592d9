"""Idle time: entries of a summary are written anew from their originals, by the better compactor where there is one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from harness.contract import Message
from strategies.compaction.asking import Ask, Compactor
from strategies.compaction.layers import Layers, Stage
from strategies.compaction.texts import told

IDLE = "idle"  # what triggers it


@dataclass(frozen=True, slots=True)
class Again:
    """What is written anew: the entry at `place` of level number `level`, and how it is asked for."""

    level: int
    place: int
    ask: Ask


class Polish:
    """Each entry once, the oldest and coarsest first, at the size that it has: a view does not grow by it.

    Source: the parallel-compaction design, "schedulable compactor": while load is low a stronger model compacts again.
    """

    def __init__(self, done: Sequence[str] = ()) -> None:
        self._done = dict.fromkeys(done)  # texts of entries that need no other look

    def next(self, layers: Layers, history: Mapping[str, Message], compactor: Compactor) -> Again | None:
        """The next entry whose originals are all in this history and fit the compactor's window."""
        for level in reversed(range(len(layers.levels))):
            for place, entry in enumerate(layers.entries[level]):
                if not entry.text or entry.text in self._done:
                    continue
                if history.keys() >= set(entry.sources):
                    text = told(history[name] for name in entry.sources)
                    ask = Ask(layers.levels[level], text, compactor.size(entry.text), entry.sources)
                    if compactor.size(text) > ask.room and compactor.fits(ask):
                        return Again(level, place, ask)
                self._done[entry.text] = None
        return None

    def stage(self, layers: Layers, again: Again, compactor: Compactor) -> Stage[Layers]:
        """The summary with that entry told anew; as it was where the answer is refused: it is asked for once."""
        entries = [list(level) for level in layers.entries]
        entry = entries[again.level][again.place]
        reply = (yield [replace(compactor.request(again.ask), better=True)])[0]
        fault = compactor.fault(reply, again.ask)
        if fault is not None:
            compactor.note("refused", fault, ())
        text = compactor.text(reply) if fault is None else entry.text
        self._done[text] = None
        entries[again.level][again.place] = replace(entry, text=text)
        return replace(layers, entries=tuple(map(tuple, entries)))

    def plain(self) -> list[str]:
        """As JSON holds it."""
        return list(self._done)
