"""The current interaction: the newest blocks, within their share of the budget."""

from __future__ import annotations

from collections.abc import Collection

from strategies.blocks import newest_first, size
from strategies.kept import Kept, Room


class Current:
    """An eviction rule. most: tokens of the share, set for each budget. low_water: share of it to evict down to.

    own: names of the strategy's own tools. While memory is asked, the order that it is asked for stays.
    """

    def __init__(self, low_water: float, own: Collection[str]) -> None:
        self.most = 0
        self._low_water = low_water
        self._own = own

    def evict(self, kept: Kept, room: Room) -> None:
        most = min(room.limit, self.most)
        if kept.tokens <= most:
            return
        since = kept.turn
        while self._asks_memory(kept, since):
            since -= 1
        held = [block for block in kept.blocks if block.turn >= since]
        free = kept.blocks[: len(kept.blocks) - len(held)]
        kept.retain([*newest_first(free, int(self._low_water * most) - size(held)), *held], "budget")

    def _asks_memory(self, kept: Kept, turn: int) -> bool:
        """Whether all that was done in the turn was to ask memory."""
        calls = [call for block in kept.blocks if block.turn == turn for call in block.messages[0].calls]
        return bool(calls) and all(call.name in self._own for call in calls)
