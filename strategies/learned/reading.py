"""What was seen so far of each name, and where the blocks hold it. Looks back only."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from harness.contract import Message
from strategies.blocks import Block
from strategies.learned.names import Names, statements

Floats = NDArray[np.float64]
Places = NDArray[np.intp]

NEVER = -1000.0  # the turn of what has not happened
# Columns of `Reading.seen`: how often, and in which turn last. Used: in the arguments of a call. Shown: in pinned text,
# a user message or an answer. Said: in the agent's own words. Asked: in the last line of what was shown, where
# instructions stand. Coined: 1 where the agent was the first to write the name.
USED, LAST_USED, SHOWN, LAST_SHOWN, SAID, LAST_SAID, ASKED, LAST_ASKED, COINED = range(9)
_BLANK = (0, NEVER, 0, NEVER, 0, NEVER, 0, NEVER, 0)
_LAST_LINE = 500  # characters
_EXTENSION = re.compile(r"\.[A-Za-z]{1,4}$")
_HUMP = re.compile(r"[a-z][A-Z]")
SHAPES = ("path", "extension", "dotted", "underscore", "hump", "digit", "capitals", "error", "length")


@dataclass(frozen=True, slots=True)
class Page:
    """One block as it was read; names are given by their places in `Reading.words`.

    shown: names in its user message or answers, each once; lines: the statement that each stands in first. used: names
    in its calls. company: the names of all statements, one statement after the other; heads: where each begins.
    shown_then, shown_used_then, used_then: how often `shown` had been shown and used, and `used` been used, just then.
    """

    start: int
    turn: int
    tokens: int
    user: bool
    shown: Places
    lines: Places
    used: Places
    company: Places
    heads: Places
    shown_then: Floats
    shown_used_then: Floats
    used_then: Floats


class Reading:
    """Takes each block once, in the order of the history. pinned: text that is in every view."""

    def __init__(self, pinned: Iterable[Message] = ()) -> None:
        self.words: list[str] = []
        self.seen: Floats = np.empty((64, len(_BLANK)))
        self.shape: Floats = np.empty((64, len(SHAPES)))
        self.pages: dict[int, Page] = {}  # by the place of the block's first message
        self.newest: dict[int, int] = {}  # by name: the place of the newest block that shows it
        self.turn = 0
        self.answers = 0  # blocks that showed something
        self._names = Names()
        self._place: dict[str, int] = {}
        self.pinned = self._places(name for message in pinned for name in self._names.of(message.content))
        self._note(np.unique(self.pinned), SHOWN)

    def take(self, block: Block) -> None:
        used, said, asked = dict[str, None](), dict[str, None](), dict[str, None]()
        lines, company, heads = dict[str, int](), list[str](), list[int]()
        for message in block.messages:
            if message.role == "assistant":
                used |= dict.fromkeys(n for call in message.calls for n in self._names.of(_texts(call.arguments)))
                said |= dict.fromkeys(self._names.of(message.content))
                continue
            for statement in statements(message.content):
                if names := self._names.of(statement):
                    lines = dict.fromkeys(names, len(heads)) | lines
                    heads.append(len(company))
                    company += names
            asked |= dict.fromkeys(self._names.of(message.content.rstrip().rpartition("\n")[2][-_LAST_LINE:]))
        self.turn = block.turn
        self.answers += bool(lines)
        own, shown = self._places(used), self._places(lines)
        written = self._places(used | said)
        fresh = written[self.seen[written][:, [USED, SHOWN, SAID]].sum(axis=1) == 0]
        self.seen[fresh, COINED] = 1.0
        for places, column in ((own, USED), (self._places(said), SAID), (shown, SHOWN), (self._places(asked), ASKED)):
            self._note(places, column)
        self.newest.update(dict.fromkeys(shown.tolist(), block.start))
        self.pages[block.start] = Page(
            block.start, block.turn, block.tokens, block.user,
            shown, np.fromiter((lines[self.words[place]] for place in shown), np.intp, len(shown)), own,
            self._places(company), np.array(heads, np.intp),
            self.seen[shown, SHOWN], self.seen[shown, USED], self.seen[own, USED],
        )  # fmt: skip

    def forget(self, start: int) -> None:
        """The block is gone for good; what was seen of its names stays."""
        self.pages.pop(start, None)

    def known(self, names: Iterable[str]) -> Places:
        """Places in `words` of those names that were met."""
        return np.array([self._place[name] for name in names if name in self._place], np.intp)

    def _note(self, places: Places, column: int) -> None:
        self.seen[places, column] += 1
        self.seen[places, column + 1] = self.turn

    def _places(self, names: Iterable[str]) -> Places:
        return np.fromiter((self._placed(name) for name in names), np.intp)

    def _placed(self, name: str) -> int:
        place = self._place.get(name)
        if place is None:
            place = self._place[name] = len(self.words)
            if place == len(self.seen):
                self.seen, self.shape = (np.concatenate([old, np.empty_like(old)]) for old in (self.seen, self.shape))
            self.words.append(name)
            self.seen[place], self.shape[place] = _BLANK, _shape(name)
        return place


def _shape(name: str) -> tuple[float, ...]:
    return (
        "/" in name,
        _EXTENSION.search(name) is not None,
        "." in name,
        "_" in name,
        _HUMP.search(name) is not None,
        any(character.isdigit() for character in name),
        name.isupper(),
        name.endswith(("Error", "Exception", "Warning")),
        min(len(name), 40) / 20,
    )


def _texts(arguments: Any) -> str:
    """The texts in the arguments of a call, one below the other, without the names of the arguments."""
    return "\n".join(_each(arguments))


def _each(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from _each(item)
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _each(item)
