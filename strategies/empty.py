"""The control without memory: the pinned text only."""

from __future__ import annotations

from collections.abc import Sequence

from harness.contract import Brief, History, Kit, Message
from strategies.eviction import Eviction
from strategies.kept import Kept, Room


class Empty:
    """Sends the system text and the task message, whatever else was said: what guessing and the task alone give.

    Every message is reported as evicted in the turn in which it came.
    """

    _eviction: Eviction

    def reset(self, kit: Kit, brief: Brief, saved: bytes | None = None) -> None:
        self._eviction = Eviction(kit, drop_all, low_water=1.0, overflow="error")

    def compose(self, history: History, budget: int) -> Sequence[Message]:
        return self._eviction.view(history, budget)


def drop_all(kept: Kept, room: Room) -> None:
    kept.retain((), "always")
