"""A window, and beside it a running list of what was stated: names with their values."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from harness.contract import Brief, History, Kit, Message
from strategies import settings
from strategies.blocks import Block, newest_first, size
from strategies.eviction import Eviction
from strategies.kept import Kept, Room
from strategies.listing import Listing
from strategies.overflow import Overflow
from strategies.regex import ID_LIKE

HEAD = "Noted earlier, newest last:"
SENTENCE = re.compile(r"(?<=[.;!?])\s+(?=\S)|\n+")


class Pin:
    """Keeps the newest blocks, and of what left them every statement that names something and gives its value.

    A statement is a line or sentence of a user or tool text with at least two id-like strings, the last of which counts
    as its value; a later one that says the same but for the value replaces it.

    share: part of the room for old blocks that the list may take; beyond it the oldest statements go. longest:
    characters of a statement; longer lines are noise more often than statements. pattern: what is id-like.
    low_water, pin_user, overflow: as in `window`.

    Source: the last line of the structured-eviction design: "a window plus a list of key names and values"; how
    statements are found is ours.
    """

    _eviction: Eviction
    _listing: Listing  # by statement without its value

    def __init__(
        self,
        share: float = 0.5,
        longest: int = 240,
        pattern: str = ID_LIKE,
        low_water: float = 1.0,
        pin_user: bool = False,
        overflow: Overflow = "window",
    ) -> None:
        self.share = share
        self.longest = longest
        self.pattern = pattern
        self.low_water = low_water
        self.pin_user = pin_user
        self.overflow = overflow

    def reset(self, kit: Kit, brief: Brief, saved: bytes | None = None) -> None:
        """Raises ValueError for settings out of range, re.error for a broken pattern."""
        settings.share("share", self.share)
        settings.at_least("longest", self.longest, 1)
        settings.eviction(self.low_water, self.overflow)
        self._find = re.compile(self.pattern)
        self._listing = Listing(kit, "pin", HEAD)
        self._eviction = Eviction(kit, self._evict, self.low_water, self.overflow, self._listing.clear)

    def compose(self, history: History, budget: int) -> Sequence[Message]:
        self._eviction.settle(history, budget)
        kept, room = self._eviction.kept, self._eviction.room
        self._collect(kept.take_gone())  # what left after the rule was applied
        return self._eviction.view(history, budget, self._listing.show(room.limit - kept.tokens))

    def _evict(self, kept: Kept, room: Room) -> None:
        if kept.tokens + self._listing.tokens <= room.limit:
            return
        held, _ = kept.held(self.pin_user)
        left = room.target - size(held)
        for _ in range(2):  # the list grows by what leaves, so once is not enough
            _, free = kept.held(self.pin_user)
            kept.retain([*held, *newest_first(free, left - self._listing.tokens)], "budget")
            self._collect(kept.take_gone())
            self._listing.cut(int(self.share * left))

    def _collect(self, blocks: Iterable[Block]) -> None:
        for message in (message for block in blocks for message in block.messages):
            if message.role == "assistant":
                continue
            for statement in SENTENCE.split(message.content):
                self._note(statement.strip(), message.id)

    def _note(self, statement: str, source: str) -> None:
        found = self._find.findall(statement) if len(statement) <= self.longest else []
        if len(found) < 2 or found[-1] == found[0]:
            return
        place = statement.rindex(found[-1])
        name = statement[:place] + statement[place + len(found[-1]) :]
        self._listing.put(name, statement, source)
