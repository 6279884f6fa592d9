"""OpenAI's servers compact what came before into an item that only they can read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from harness.contract import Brief, History, Kit, Message
from strategies import settings


class OpenAICompaction:
    """Sends the whole history, and asks the server to compact it once the input is too long. Needs model.api=responses.

    The encrypted item comes back with the reply; it is kept with that message and sent again in its place. What it
    holds can be found out by probes alone.

    trigger: share of the budget at which it compacts.

    Source: developers.openai.com, "Compaction" (`context_management` with `compact_threshold`).
    """

    provider = "openai"

    def __init__(self, trigger: float = 0.8) -> None:
        self.trigger = trigger

    def reset(self, kit: Kit, brief: Brief, saved: bytes | None = None) -> None:
        """Raises ValueError for settings out of range."""
        settings.share("trigger", self.trigger)

    def compose(self, history: History, budget: int) -> Sequence[Message]:
        return history[:]

    def options(self, budget: int) -> Mapping[str, Any]:
        return {"context_management": [{"type": "compaction", "compact_threshold": int(self.trigger * budget)}]}
