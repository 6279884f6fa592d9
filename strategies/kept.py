"""The blocks that a strategy still keeps."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from strategies.blocks import Block, size


@dataclass(frozen=True, slots=True)
class Room:
    """Tokens for blocks beside the pinned text: at most `limit`; evict down to `target` once the limit is passed."""

    limit: int
    target: int


@dataclass(frozen=True, slots=True)
class Note:
    """What left the view at one turn: an event for the record."""

    kind: str
    trigger: str
    ids: tuple[str, ...]


class Kept:
    """Blocks in the order of the history, with their tokens; what was removed is noted until somebody takes the notes.

    `turn`: the current turn, also when none of its blocks is kept.
    """

    def __init__(self) -> None:
        self.blocks: list[Block] = []
        self.tokens = 0
        self.turn = 0
        self._notes: list[Note] = []
        self._gone: list[Block] = []

    def add(self, block: Block) -> None:
        self.blocks.append(block)
        self.tokens += block.tokens

    def refuse(self, block: Block, trigger: str) -> None:
        """Note a block that is not even added."""
        self._gone.append(block)
        self._notes.append(Note("overflow", trigger, block.ids))

    def insert(self, block: Block) -> None:
        """Put a made block where its `start`, that of no other block, belongs."""
        self.blocks.insert(bisect_left(self.blocks, block.start, key=lambda other: other.start), block)
        self.tokens += block.tokens

    def retain(self, stay: Iterable[Block], trigger: str, kind: str = "evict", also: Sequence[str] = ()) -> None:
        """Drop all blocks but those of `stay`. also: ids that the note names besides; with some, it is always made."""
        starts = {block.start for block in stay}
        gone = [block for block in self.blocks if block.start not in starts]
        if not gone and not also:
            return
        self.blocks = [block for block in self.blocks if block.start in starts]
        self.tokens -= size(gone)
        self._gone += gone
        ids = dict.fromkeys([*(name for block in gone for name in block.ids), *also])
        self._notes.append(Note(kind, trigger, tuple(ids)))

    def held(self, pin_user: bool) -> tuple[list[Block], list[Block]]:
        """The blocks that rules leave alone (the current turn's; user messages under `pin_user`), and the others."""
        held: list[Block] = []
        free: list[Block] = []
        for block in self.blocks:
            (held if block.turn == self.turn or (pin_user and block.user) else free).append(block)
        return held, free

    def rewrite(self, place: int, block: Block) -> None:
        """Put another form of the block at `place`."""
        self.tokens += block.tokens - self.blocks[place].tokens
        self.blocks[place] = block

    def note(self, trigger: str, ids: Sequence[str]) -> None:
        """Note an eviction of single messages or of parts of them."""
        if ids:
            self._notes.append(Note("evict", trigger, tuple(ids)))

    def take_notes(self) -> list[Note]:
        notes, self._notes = self._notes, []
        return notes

    def take_gone(self) -> list[Block]:
        """The blocks dropped since the last call; what a rule leaves here at the end of its turn is forgotten."""
        gone, self._gone = self._gone, []
        return gone
