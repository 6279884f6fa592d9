"""Anthropic's servers summarise what came before."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from harness.contract import Brief, History, Kit, Message
from strategies import settings

BETA = "compact-2026-01-12"


class AnthropicCompaction:
    """Sends the whole history, and asks the server to compact it once the input is too long.

    The summary comes back as a block of the reply; it is kept with that message and sent again in its place, and the
    server passes over all that stands before it.

    trigger: share of the budget at which it compacts. instructions: in place of the server's own, None = those.

    Source: Anthropic's "Compaction" (compact_20260112, beta of 2026-01-12).
    """

    provider = "anthropic"

    def __init__(self, trigger: float = 0.8, instructions: str | None = None) -> None:
        self.trigger = trigger
        self.instructions = instructions

    def reset(self, kit: Kit, brief: Brief, saved: bytes | None = None) -> None:
        """Raises ValueError for settings out of range."""
        settings.share("trigger", self.trigger)

    def compose(self, history: History, budget: int) -> Sequence[Message]:
        return history[:]

    def options(self, budget: int) -> Mapping[str, Any]:
        edit: dict[str, Any] = {
            "type": "compact_20260112",
            "trigger": {"type": "input_tokens", "value": int(self.trigger * budget)},
        }
        if self.instructions is not None:
            edit["instructions"] = self.instructions
        return {"betas": [BETA], "context_management": {"edits": [edit]}}
