"""The unlimited reference: what an agent does that never has to forget."""

from __future__ import annotations

from collections.abc import Sequence

from harness.contract import Brief, History, Kit, Message


class Full:
    """Sends the whole history and knows no budget. A reference, not a bound, for real models."""

    unlimited = True

    def reset(self, kit: Kit, brief: Brief, saved: bytes | None = None) -> None:
        """There is no state."""

    def compose(self, history: History, budget: int) -> Sequence[Message]:
        return history[:]
