"""The newest blocks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from harness.contract import Brief, History, Kit, Message
from strategies import settings
from strategies.blocks import newest_first, size
from strategies.eviction import Eviction
from strategies.kept import Kept, Room
from strategies.overflow import Overflow

Unit = Literal["tokens", "turns"]


class Window:
    """Keeps the newest blocks: as many as the budget holds (`unit: tokens`), or those of the last `turns` turns.

    unit: what triggers an eviction: a view over the budget (tokens), or more than `turns` turns kept (turns).
    turns: most turns kept, the current one included; only with `unit: turns`.
    low_water: share of that limit to evict down to once it is passed; 1.0 = step by step. With 0.8 this is `trim`.
    pin_user: keep later user messages too, whatever their age.
    overflow: what to do when that does not fit (strategies/overflow.py).

    The current turn always stays, so that the agent sees what its last action did.
    Source: the sliding window over whole messages that agent frameworks ship (e.g. `trim_messages` of LangChain);
    low_water: dropping in batches, against a cached prefix broken every turn (FAULTS C8).
    """

    _eviction: Eviction

    def __init__(
        self,
        unit: Unit = "tokens",
        turns: int = 10,
        low_water: float = 1.0,
        pin_user: bool = False,
        overflow: Overflow = "window",
    ) -> None:
        self.unit = unit
        self.turns = turns
        self.low_water = low_water
        self.pin_user = pin_user
        self.overflow = overflow

    def reset(self, kit: Kit, brief: Brief, saved: bytes | None = None) -> None:
        """Raises ValueError for settings out of range."""
        settings.one_of("unit", self.unit, ("tokens", "turns"))
        settings.at_least("turns", self.turns, 1)
        settings.eviction(self.low_water, self.overflow)
        rule = self._by_tokens if self.unit == "tokens" else self._by_turns
        self._eviction = Eviction(kit, rule, self.low_water, self.overflow)

    def compose(self, history: History, budget: int) -> Sequence[Message]:
        return self._eviction.view(history, budget)

    def _by_tokens(self, kept: Kept, room: Room) -> None:
        if kept.tokens <= room.limit:
            return
        held, free = kept.held(self.pin_user)
        kept.retain([*held, *newest_first(free, room.target - size(held))], "budget")

    def _by_turns(self, kept: Kept, room: Room) -> None:
        held, free = kept.held(self.pin_user)
        if free and free[0].turn <= kept.turn - self.turns:
            last_out = kept.turn - max(1, int(self.low_water * self.turns))
            kept.retain([*held, *(block for block in free if block.turn > last_out)], "turns")
