"""A summary in the view, the originals in a vector index, the best few brought back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from harness.contract import Brief, Call, History, Kit, Message, Tool
from strategies import settings
from strategies.index import Index
from strategies.retrieve_only import SEARCH
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
    _index: Index
    _kit: Kit

    def __init__(
        self,
        when: Literal["every_turn", "on_call"] = "every_turn",
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
        if self.when == "every_turn":
            return ()
        schema = {"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]}
        return (Tool(SEARCH, "Find the originals of what was summarised, by words.", schema, "retrieve"),)

    def reset(self, kit: Kit, brief: Brief, saved: bytes | None = None) -> None:
        """Raises ValueError for settings out of range, TypeError for one that `summary` does not have."""
        settings.one_of("when", self.when, ("every_turn", "on_call"))
        settings.at_least("top", self.top, 1)
        settings.at_least("lines", self.lines, 1)
        settings.share("share", self.share)
        self._kit = kit
        self._summary = Summary(**{"overflow": self.overflow, **(self.summary or {})})
        self._summary.reset(kit, brief, saved)
        self._index = Index(kit, self.lines)
        self._read = 0
        self._waiting: list[tuple[int, Message]] = []
        self._first: Message | None = None
        self._shown = False
        self._most = 0

    def compose(self, history: History, budget: int) -> Sequence[Message]:
        beside = int(self.share * budget)
        pinned = self._kit.count(history.pinned)
        view = list(self._summary.compose(history, max(budget - beside, min(budget, pinned))))
        self._most = max(0, min(beside, budget - self._kit.count(view)))
        self._store(history, view)
        if self.when == "on_call" or len(view) < 3:
            return view
        made = self._found(view[-1].content)
        if made or self._shown:  # at the end of the view it breaks what is cached there, also where it stays the same
            self._kit.event("retrieve", "every_turn", made[0].sources if made else ())
        self._shown = bool(made)
        return [*view, *made]

    def answer(self, call: Call) -> Message:
        found = self._found(str(call.arguments.get("query", "")))
        return found[0] if found else Message("", "tool", "nothing is stored that is like it")

    def calls_in(self, text: str) -> Sequence[Call]:
        return ()

    def find(self, key: str) -> Sequence[Message]:
        return self._index.holding(key)

    def export(self) -> bytes:
        return self._summary.export()

    def _found(self, query: str) -> tuple[Message, ...]:
        return self._index.told(self._index.nearest(query, self.top), self._most, HEAD)

    def _store(self, history: History, view: Sequence[Message]) -> None:
        """What is in the history and no longer in the view. A message that left never comes back raw."""
        if self._read > len(history) or (self._read and history[0] is not self._first):
            self._index, self._waiting, self._read = Index(self._kit, self.lines), [], 0
        self._first = history[0]
        self._waiting += enumerate(history[self._read :], self._read)
        self._read = len(history)
        raw = {message.id for message in view}
        gone = [(place, message) for place, message in self._waiting if message.id not in raw]
        self._waiting = [(place, message) for place, message in self._waiting if message.id in raw]
        self._index.add((place, message) for place, message in gone if message.role != "system")
