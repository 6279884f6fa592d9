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
from strategies.made import user_message
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
    _kit: Kit

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
        self._kit = kit
        self._find = re.compile(self.pattern)
        self._frame = kit.count((listing("frame", "x"),)) - 1
        self._shown: tuple[Message, ...] = ()
        self._begin()
        self._eviction = Eviction(kit, self._evict, self.low_water, self.overflow, self._begin)

    def compose(self, history: History, budget: int) -> Sequence[Message]:
        self._eviction.settle(history, budget)
        kept, room = self._eviction.kept, self._eviction.room
        self._collect(kept.take_gone())  # what left after the rule was applied
        made = self._listed(room.limit - kept.tokens)
        if made != self._shown:
            self._kit.event("write", "list", made[0].sources if made else ())
            self._shown = made
        return self._eviction.view(history, budget, made)

    def _begin(self) -> None:
        # string -> (its tokens with the line's end, the message that held it last), the newest at the end
        self._strings: dict[str, tuple[int, str]] = {}
        self._tokens = 0

    def _evict(self, kept: Kept, room: Room) -> None:
        kept.retain([block for block in kept.blocks if block.turn > kept.turn - self.newest], "turns")
        self._collect(kept.take_gone())
        rest = kept.tokens + self._frame
        if self._tokens > room.limit - rest:
            self._cut(room.target - rest)

    def _collect(self, blocks: Iterable[Block]) -> None:
        for message in (message for block in blocks for message in block.messages):
            for string in self._find.findall(text_of(message)):
                known = self._strings.pop(string, None)
                tokens = known[0] if known else self._kit.count((listing(string, string),)) - self._frame + 1
                self._strings[string] = tokens, message.id
                self._tokens += 0 if known else tokens

    def _cut(self, tokens: int) -> None:
        """Forget the oldest strings until the list has at most `tokens`."""
        for string in list(self._strings):
            if self._tokens <= tokens:
                break
            self._tokens -= self._strings.pop(string)[0]

    def _listed(self, room: int) -> tuple[Message, ...]:
        """The list as one message of at most `room` tokens. Joined lines may count a little more than each alone."""
        strings = list(self._strings)
        while strings:
            text = "\n".join(reversed(strings))
            sources = tuple(dict.fromkeys(self._strings[string][1] for string in strings))
            message = user_message("regex", text, sources)
            excess = self._kit.count((message,)) - room
            if excess <= 0:
                return (message,)
            del strings[: max(1, excess // 16)]
        return ()


def listing(name: str, text: str) -> Message:
    """To measure with."""
    return Message(f"regex:{name}", "user", text)


def text_of(message: Message) -> str:
    """What a message says, the arguments of its calls included."""
    return "\n".join((message.content, *(json.dumps(dict(c.arguments), ensure_ascii=False) for c in message.calls)))
