"""Which subtask each block belongs to, and which statements of one subtask another one takes up."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from harness.contract import Message
from strategies.blocks import Block
from strategies.compaction.texts import START, identifiers, numbered
from strategies.kept import Kept, Room
from strategies.pin import SENTENCE

Crossing = Literal["used", "named", "none"]
CROSSINGS: tuple[Crossing, ...] = get_args(Crossing)
_JOINED = re.compile(r"[^\w.-]+")  # between values that one argument puts together


@dataclass(frozen=True, slots=True)
class Statement:
    """place: its number among all statements, the oldest first. source: the message that said it."""

    place: int
    subtask: int
    text: str
    source: str


class Subtasks:
    """Read turn by turn, ahead of a summary (an `eviction.Rule` that drops nothing): a function of the history.

    A statement is a line or sentence of a user or tool text with at least two identifiers that announces no subtask. It
    crosses once another subtask takes up an identifier of which it is the newest statement: used = in the arguments of
    a call, named = also in a text, none = never.
    """

    def __init__(self, border: re.Pattern[str] | None, longest: int, crossing: Crossing) -> None:
        self._border = border
        self._longest = longest
        self._crossing = crossing
        self._kept: Kept | None = None
        self._begin()

    def _begin(self) -> None:
        self._newest = -1
        self._place = START
        self._subtasks: dict[int, int] = {}  # by start of a block
        self._last: dict[int, int] = {}  # by subtask: the start of its last block
        self._names: dict[int, str | None] = {}  # by subtask: what announced it
        self._stated: dict[str, Statement] = {}  # by identifier: the newest
        self._crossed: dict[Statement, None] = {}  # those taken up last at the end
        self._count = 0

    def __call__(self, kept: Kept, room: Room) -> None:
        if kept is not self._kept:  # the history is read anew
            self._begin()
            self._kept = kept
        fresh = [block for block in kept.blocks if block.start > self._newest]
        found, self._place = numbered(fresh, self._place, self._border, self._longest)
        for subtask, block in found:
            self._subtasks[block.start], self._last[subtask], self._newest = subtask, block.start, block.start
            for message in block.messages:
                self._read(message, subtask)
        self._names[self._place.subtask] = self._place.announced

    def of(self, block: Block) -> int:
        return self._subtasks[block.start]

    def name(self, subtask: int) -> str | None:
        """What announced it; None = nothing did."""
        return self._names.get(subtask)

    def ends(self, blocks: Sequence[Block]) -> bool:
        """Whether the last of the blocks is the last one of a finished subtask."""
        subtask = self.of(blocks[-1])
        return subtask < self._place.subtask and self._last[subtask] == blocks[-1].start

    def crossed(self, sources: Collection[str]) -> list[Statement]:
        """What crossed of the statements of these messages, those taken up last at the end."""
        return [statement for statement in self._crossed if statement.source in sources]

    def _read(self, message: Message, subtask: int) -> None:
        if message.role == "assistant":
            arguments = json.dumps([dict(call.arguments) for call in message.calls], ensure_ascii=False)
            self._take(subtask, {*identifiers(arguments), *_JOINED.split(arguments)}, "used")
            return
        for text in SENTENCE.split(message.content):
            found = identifiers(text)
            self._take(subtask, found, "named")
            if len(found) > 1 and not (self._border and self._border.search(text)):
                self._count += 1
                self._stated.update(dict.fromkeys(found, Statement(self._count, subtask, text.strip(), message.id)))

    def _take(self, subtask: int, strings: Collection[str], how: Crossing) -> None:
        if self._crossing not in ("named", how):
            return
        stated = {self._stated[string] for string in strings if string in self._stated}
        for statement in sorted(stated, key=lambda statement: statement.place):
            if statement.subtask != subtask:
                self._crossed.pop(statement, None)
                self._crossed[statement] = None
