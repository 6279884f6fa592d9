"""The control that keeps every id-like string and understands nothing."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence

from harness.contract import Brief, History, Kit, Message
from strategies import settings
from strategies.blocks import Block
from strategies.eviction import Eviction
from strategies.kept import Kept, Room
from strategies.listing import Listing
from strategies.overflow import Overflow

# Words, also several joined by . / : @ # + -, that hold a digit, an underscore, a joint or an inner capital
# (camelCase), with up to three leading marks (/etc/hosts, ../a.py, #12). \b keeps the search linear in the text.
ID_LIKE = r"[./~#@$]{0,3}\b(?=\w*[\d_]|\w+[./:@#+-]+\w|\w*[a-z][A-Z])\w+(?:[./:@#+-]+\w+)*"


class Regex:
    """Keeps the newest turns whole, and of all before them the distinct strings that match `pattern`.

    The strings stand one a line, newest first, in one made user message after the task.

    pattern: what is id-like. newest: turns kept whole, so that the agent can act.
    low_water: share of the budget to cut the list down to when it does not fit; the list changes at its top every turn,
    so no setting keeps the cached prefix.
    overflow: what to do when the newest turns alone do not fit (strategies/overflow.py).

    Source: none; a control: a strategy that does not beat it selects no better than a regular expression.
    """

    _eviction: Eviction
    _listing: Listing

    def __init__(
        self, pattern: str = ID_LIKE, newest: int = 1, low_water: float = 1.0, overflow: Overflow = "window"
    ) -> None:
        self.pattern = pattern
        self.newest = newest
        self.low_water = low_water
        self.overflow = overflow

    def reset(self, kit: Kit, brief: Brief, saved: bytes | None = None) -> None:
        """Raises ValueError for settings out of range, re.error for a broken pattern."""
        settings.at_least("newest", self.newest, 1)
        settings.eviction(self.low_water, self.overflow)
        self._find = re.compile(self.pattern)
        self._listing = Listing(kit, "regex", newest_first=True)
        self._eviction = Eviction(kit, self._evict, self.low_water, self.overflow, self._listing.clear)

    def compose(self, history: History, budget: int) -> Sequence[Message]:
        self._eviction.settle(history, budget)
        kept, room = self._eviction.kept, self._eviction.room
        self._collect(kept.take_gone())  # what left after the rule was applied
        return self._eviction.view(history, budget, self._listing.show(room.limit - kept.tokens))

    def _evict(self, kept: Kept, room: Room) -> None:
        kept.retain([block for block in kept.blocks if block.turn > kept.turn - self.newest], "turns")
        self._collect(kept.take_gone())
        if self._listing.tokens > room.limit - kept.tokens:
            self._listing.cut(room.target - kept.tokens)

    def _collect(self, blocks: Iterable[Block]) -> None:
        for message in (message for block in blocks for message in block.messages):
            for string in self._find.findall(text_of(message)):
                self._listing.put(string, string, message.id)


def text_of(message: Message) -> str:
    """What a message says, the arguments of its calls included."""
    return "\n".join((message.content, *(json.dumps(dict(c.arguments), ensure_ascii=False) for c in message.calls)))
