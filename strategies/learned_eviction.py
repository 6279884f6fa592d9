"""Evicts the blocks from which least is expected, as learned from other episodes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from harness.contract import Brief, History, Kit, Message
from strategies import settings
from strategies.blocks import Block
from strategies.eviction import Eviction
from strategies.kept import Kept, Room
from strategies.learned import scorer
from strategies.learned.reading import Reading
from strategies.learned.worth import Worth
from strategies.overflow import Overflow


class LearnedEviction:
    """Drops one block after another, the one with the least expected needs a token first.

    A block is expected to meet the needs for those of its names that no other block in the view shows; how likely a
    name is needed again, the weights say, from how it was shown and used so far (strategies/learned/features.py).

    model: weights, a file of strategies/learned/weights or a path. digest: first digits of its SHA-256, null = any.
    per_token: divide by the block's size, else the least expected needs alone.
    newest: turns that always stay, the current one included.
    low_water: share of the budget to evict down to once it is passed; 1.0 = step by step.
    pin_user: keep later user messages too, whatever their age.
    overflow: what to do when that does not fit (strategies/overflow.py).

    Source: the structured-eviction design's learned utility (logistic regression or gradient boosting, label = needed
    within 20 steps); dropping by value a size: the greedy rule for knapsacks (Dantzig, Operations Research 1957).
    """

    _eviction: Eviction
    _reading: Reading
    _pinned: tuple[Message, ...]

    def __init__(
        self,
        model: str = "eviction.json",
        digest: str | None = None,
        per_token: bool = True,
        newest: int = 1,
        low_water: float = 0.9,
        pin_user: bool = False,
        overflow: Overflow = "window",
    ) -> None:
        self.model = model
        self.digest = digest
        self.per_token = per_token
        self.newest = newest
        self.low_water = low_water
        self.pin_user = pin_user
        self.overflow = overflow

    def reset(self, kit: Kit, brief: Brief, saved: bytes | None = None) -> None:
        """Raises ValueError for settings out of range and weights of another kind, FileNotFoundError for none."""
        settings.at_least("newest", self.newest, 1)
        settings.eviction(self.low_water, self.overflow)
        self._scorer = scorer.load(self.model, self.digest)
        self._eviction = Eviction(kit, self._evict, self.low_water, self.overflow, self._begin)

    def compose(self, history: History, budget: int) -> Sequence[Message]:
        self._pinned = history.pinned
        return self._eviction.view(history, budget)

    def _begin(self) -> None:
        self._reading = Reading(self._pinned)

    def _evict(self, kept: Kept, room: Room) -> None:
        came = [*kept.take_gone(), *(block for block in kept.blocks if block.turn == kept.turn)]  # too large ones too
        for block in sorted(came, key=lambda block: block.start):
            self._reading.take(block)
        if kept.tokens > room.limit:
            self._down_to(room.target, kept)
            stay = {block.start for block in kept.blocks}
            for start in [start for start in self._reading.pages if start not in stay]:
                self._reading.forget(start)

    def _down_to(self, target: int, kept: Kept) -> None:
        """The oldest of equals goes first. What is held counts: a name that it shows is safe."""
        worth = Worth(self._reading, [block.start for block in kept.blocks], self._scorer)
        each = np.array([max(1, block.tokens) if self.per_token else 1 for block in kept.blocks])
        free = np.array([self._free(block, kept.turn) for block in kept.blocks])
        tokens, gone = kept.tokens, set[int]()
        while tokens > target and free.any():
            number = int(np.argmin(np.where(free, worth.now() / each, np.inf)))
            worth.drop(number)
            free[number] = False
            gone.add(number)
            tokens -= kept.blocks[number].tokens
        kept.retain([block for number, block in enumerate(kept.blocks) if number not in gone], "worth")

    def _free(self, block: Block, turn: int) -> bool:
        return block.turn <= turn - self.newest and not (self.pin_user and block.user)
