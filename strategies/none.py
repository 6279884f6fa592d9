"""No management: the whole history, until it overflows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from harness.contract import Brief, History, Kit, Message


class Whole:
    """Sends the whole history inside the real window; over it, the episode ends as `context_overflow`.

    Source: the raw agent of the comparisons, e.g. Lindenbauer et al. 2025 (arXiv 2508.21433, section 4, "raw agent").
    """

    overflow: Literal["error"] = "error"

    def reset(self, kit: Kit, brief: Brief, saved: bytes | None = None) -> None:
        """There is no state."""

    def compose(self, history: History, budget: int) -> Sequence[Message]:
        return history[:]
