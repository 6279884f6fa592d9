"""Learned utility: what an entry is expected to be needed for, by weights that were trained on other episodes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from harness.contract import History
from strategies.blocks import Count, by_turn, split
from strategies.learned.reading import Reading
from strategies.learned.scorer import Scorer
from strategies.learned.worth import Worth
from strategies.structured.entries import Entry
from strategies.structured.page import Item


class Expected:
    """Expected needs a token of the entries of a page, times what was learnt online of their like."""

    def __init__(self, worth: Worth, items: Sequence[Item], weights: Mapping[str, float]) -> None:
        self._worth = worth
        self._number = {item.entry.ref: number for number, item in enumerate(items)}
        self._weights = weights
        self._now = worth.now()

    def __call__(self, entry: Entry) -> float:
        needs = float(self._now[self._number[entry.ref]])
        return needs / max(1, entry.tokens) * self._weights.get(entry.like, 1.0)

    def drop(self, entry: Entry) -> None:
        """It left the page: others may now be the only ones to show a name."""
        self._worth.drop(self._number[entry.ref])
        self._now = self._worth.now()


class Learned:
    """Reads a history for the scorer. All that it knows follows from the history: nothing of it is saved.

    Source: the seed document's learned utility; the scorer is that of `learned_eviction`.
    """

    def __init__(self, scorer: Scorer, count: Count) -> None:
        self._scorer = scorer
        self._count = count
        self._reading = Reading()
        self._pinned: tuple[str, ...] = ()
        self._read = self._turn = 0

    def read(self, history: History) -> None:
        """Take what is new; with another task message everything anew, for that one is in every view now."""
        pinned = tuple(message.id for message in history.pinned)
        if pinned != self._pinned:
            self._reading, self._pinned, self._read, self._turn = Reading(history.pinned), pinned, 0, 0
        for turn in by_turn(history[self._read :]):
            self._turn += turn[0].role == "assistant"
            for block in split(turn, self._turn, self._read, self._count, pinned):
                self._reading.take(block)
            self._read += len(turn)

    def expected(self, items: Sequence[Item], weights: Mapping[str, float]) -> Expected:
        """items: all that stand raw; those that stay vouch for the names that they show."""
        return Expected(Worth(self._reading, [item.start for item in items], self._scorer), items, weights)
