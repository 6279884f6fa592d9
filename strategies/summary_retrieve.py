"""A summary in the view, the originals in a vector index, the best few brought back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from harness.contract import Brief, Call, History, Kit, Message, Tool
from strategies.recall import Recall, When, check, tools
from strategies.summary import Summary

HEAD = "Word for word from what was summarised, nearest to the newest text:"


class SummaryRetrieve:
    """As `summary` at the part of the budget that `share` leaves; in the rest, originals that are like the newest text.

    when: every_turn = they stand at the end of every view | on_call = the model asks by a tool. top: most chunks.
    share: part of the budget for them. lines: of a chunk. summary: settings of `strategies.summary.Summary`.

    Source: summary plus retrieval of originals ("core summary in the view, originals in a vector index"), the fourth
    variant of the parallel-compaction design; sizes are ours.
    """

    _summary: Summary
    _recall: Recall
    _kit: Kit

    def __init__(
        self,
        when: When = "every_turn",
        top: int = 6,
        share: float = 0.25,
        lines: int = 4,
        summary: dict[str, Any] | None = None,
        overflow: Literal["window", "error"] = "window",
    ) -> None:
        self.when = when
        self.top = top
        self.share = share
        self.lines = lines
        self.summary = summary
        self.overflow = overflow

    @property
    def tools(self) -> tuple[Tool, ...]:
        return tools(self.when, "Find the originals of what was summarised, by words.")

    def reset(self, kit: Kit, brief: Brief, saved: bytes | None = None) -> None:
        """Raises ValueError for settings out of range, TypeError for one that `summary` does not have."""
        check(self.when, self.top, self.share, self.lines)
        self._kit = kit
        self._summary = Summary(**{"overflow": self.overflow, **(self.summary or {})})
        self._summary.reset(kit, brief, saved)
        self._recall = Recall(kit, self.top, self.lines, HEAD)
        self._read = 0
        self._waiting: list[tuple[int, Message]] = []
        self._first: Message | None = None

    def compose(self, history: History, budget: int) -> Sequence[Message]:
        beside = int(self.share * budget)
        pinned = self._kit.count(history.pinned)
        view = list(self._summary.compose(history, max(budget - beside, min(budget, pinned))))
        self._store(history, view)
        self._recall.room = max(0, min(beside, budget - self._kit.count(view)))
        if self.when == "on_call" or len(view) < 3:
            return view
        return [*view, *self._recall.beside(view[-1].content)]

    def answer(self, call: Call) -> Message:
        return self._recall.answer(call)

    def calls_in(self, text: str) -> Sequence[Call]:
        return ()

    def find(self, key: str) -> Sequence[Message]:
        return self._recall.index.holding(key)

    def export(self) -> bytes:
        return self._summary.export()

    def _store(self, history: History, view: Sequence[Message]) -> None:
        """What is in the history and no longer in the view. A message that left never comes back raw."""
        if self._read > len(history) or (self._read and history[0] is not self._first):
            self._recall.forget()
            self._waiting, self._read = [], 0
        self._first = history[0]
        self._waiting += enumerate(history[self._read :], self._read)
        self._read = len(history)
        raw = {message.id for message in view}
        gone = [(place, message) for place, message in self._waiting if message.id not in raw]
        self._waiting = [(place, message) for place, message in self._waiting if message.id in raw]
        self._recall.index.add((place, message) for place, message in gone if message.role != "system")
