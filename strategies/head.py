"""The oldest blocks and the newest ones."""

from __future__ import annotations

from collections.abc import Sequence

from harness.contract import Brief, History, Kit, Message
from strategies import settings
from strategies.blocks import newest_first, oldest_first, size
from strategies.eviction import Eviction
from strategies.kept import Kept, Room
from strategies.overflow import Overflow


class Head:
    """Keeps the oldest blocks and the current turn; with `share` below 1, the rest of the budget goes to the newest.

    share: part of the room for old blocks that goes to the oldest; 1.0 = `head`, 0.5 = the default of `head_tail`.
    low_water: share of the budget to evict down to once it is passed; what comes after stays until it is passed again.
    pin_user, overflow: as in `window`.

    "Oldest" is among what is kept: a block once dropped never comes back.
    Source: head-and-tail truncation as in StreamingLLM's first tokens + window (Xiao et al. 2023, arXiv 2309.17453,
    section 3), here over whole messages; `head` alone is its control.
    """

    _eviction: Eviction

    def __init__(
        self, share: float = 1.0, low_water: float = 1.0, pin_user: bool = False, overflow: Overflow = "window"
    ) -> None:
        self.share = share
        self.low_water = low_water
        self.pin_user = pin_user
        self.overflow = overflow

    def reset(self, kit: Kit, brief: Brief, saved: bytes | None = None) -> None:
        """Raises ValueError for settings out of range."""
        settings.share("share", self.share)
        settings.eviction(self.low_water, self.overflow)
        self._eviction = Eviction(kit, self._evict, self.low_water, self.overflow)

    def compose(self, history: History, budget: int) -> Sequence[Message]:
        return self._eviction.view(history, budget)

    def _evict(self, kept: Kept, room: Room) -> None:
        if kept.tokens <= room.limit:
            return
        held, free = kept.held(self.pin_user)
        left = room.target - size(held)
        head = oldest_first(free, int(self.share * left))
        tail = newest_first(free[len(head) :], left - size(head)) if self.share < 1 else ()
        kept.retain([*held, *head, *tail], "budget")
