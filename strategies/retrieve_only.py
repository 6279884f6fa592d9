"""Nothing old stays in view; what is like the newest text comes back from a vector index."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Literal

from harness.contract import Brief, Call, History, Kit, Message, Tool
from strategies import settings
from strategies.blocks import Block
from strategies.eviction import Eviction
from strategies.kept import Kept, Room
from strategies.overflow import Overflow
from strategies.recall import SEARCH, Recall, When, check, tools

HEAD = "From earlier, what is nearest to the newest text:"


class RetrieveOnly:
    """Keeps the newest turns; all before them is cut into chunks, embedded, and retrieved by likeness.

    newest: turns kept whole, those that only searched not counted. when: every_turn = the best chunks for the newest
    text stand in every view; on_call = the model asks by a tool. query: what of the newest text is searched for, its
    last paragraph (where an instruction stands) or all of it. top: most chunks; share: part of the room that they
    may take. lines: of a chunk. overflow: as in `window`.

    Source: retrieval in place of a context, the control of retrieval-augmented memories; sizes are ours.
    """

    _eviction: Eviction
    _recall: Recall
    _kit: Kit

    def __init__(
        self,
        newest: int = 1,
        when: When = "every_turn",
        query: Literal["last", "whole"] = "last",
        top: int = 48,
        share: float = 0.8,
        lines: int = 4,
        low_water: float = 1.0,
        overflow: Overflow = "window",
    ) -> None:
        self.newest = newest
        self.when = when
        self.query = query
        self.top = top
        self.share = share
        self.lines = lines
        self.low_water = low_water
        self.overflow = overflow

    @property
    def tools(self) -> tuple[Tool, ...]:
        return tools(self.when, "Find what was said or done earlier, by words.")

    def reset(self, kit: Kit, brief: Brief, saved: bytes | None = None) -> None:
        """Raises ValueError for settings out of range."""
        settings.at_least("newest", self.newest, 1)
        check(self.when, self.top, self.share, self.lines)
        settings.one_of("query", self.query, ("last", "whole"))
        settings.eviction(self.low_water, self.overflow)
        self._kit = kit
        self._begin()
        self._eviction = Eviction(kit, self._evict, self.low_water, self.overflow, self._begin)

    def compose(self, history: History, budget: int) -> Sequence[Message]:
        self._eviction.settle(history, budget)
        kept, room = self._eviction.kept, self._eviction.room
        self._store(kept.take_gone())  # what left after the rule was applied
        view = self._eviction.view(history, budget)
        self._recall.room = int(self.share * max(0, room.limit - kept.tokens))
        if self.when == "on_call" or not kept.blocks:
            return view
        newest = kept.blocks[-1].messages[-1].content
        return [*view, *self._recall.beside(last_paragraph(newest) if self.query == "last" else newest)]

    def answer(self, call: Call) -> Message:
        return self._recall.answer(call)

    def calls_in(self, text: str) -> Sequence[Call]:
        return ()

    def find(self, key: str) -> Sequence[Message]:
        return self._recall.index.holding(key)

    def _begin(self) -> None:
        self._recall = Recall(self._kit, self.top, self.lines, HEAD)

    def _evict(self, kept: Kept, room: Room) -> None:
        first = self._first(kept)
        kept.retain([block for block in kept.blocks if block.turn >= first], "turns")
        self._store(kept.take_gone())

    def _first(self, kept: Kept) -> int:
        """The first turn that stays. One that only searched counts for nothing: it must not push out what it is for."""
        left = self.newest
        for block in reversed(kept.blocks):
            calls = block.messages[0].calls
            if block.turn and not block.user and not (calls and all(call.name == SEARCH for call in calls)):
                left -= 1
            if left == 0:
                return block.turn
        return 0

    def _store(self, blocks: Iterable[Block]) -> None:
        self._recall.index.add((block.start + n, m) for block in blocks for n, m in enumerate(block.messages))


def last_paragraph(text: str) -> str:
    """What stands after the last blank line of a text; all of one that has none."""
    return re.split(r"\n\s*\n", text.strip())[-1]
