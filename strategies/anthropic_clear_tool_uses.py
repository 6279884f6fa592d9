"""Anthropic's servers replace old tool results by a placeholder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from harness.contract import Brief, History, Kit, Message
from strategies import settings

BETA = "context-management-2025-06-27"


class AnthropicClearToolUses:
    """Sends the whole history, and asks the server to clear the oldest tool results once the input is too long.

    trigger: share of the budget at which it begins. keep: newest tool uses that stay. at_least: share of the budget
    that must be cleared at once, so that the broken cache pays. exclude: tools whose results stay. inputs: clear the
    calls' arguments too.

    Source: docs.claude.com, "Context editing" (clear_tool_uses_20250919, beta of 2025-06-27); defaults there: 100,000
    tokens, 3 uses.
    """

    provider = "anthropic"

    def __init__(
        self,
        trigger: float = 0.8,
        keep: int = 3,
        at_least: float = 0.1,
        exclude: Sequence[str] = (),
        inputs: bool = False,
    ) -> None:
        self.trigger = trigger
        self.keep = keep
        self.at_least = at_least
        self.exclude = exclude
        self.inputs = inputs

    def reset(self, kit: Kit, brief: Brief, saved: bytes | None = None) -> None:
        """Raises ValueError for settings out of range."""
        settings.share("trigger", self.trigger)
        settings.at_least("keep", self.keep, 0)
        settings.share("at_least", self.at_least)

    def compose(self, history: History, budget: int) -> Sequence[Message]:
        return history[:]

    def options(self, budget: int) -> Mapping[str, Any]:
        edit = {
            "type": "clear_tool_uses_20250919",
            "trigger": {"type": "input_tokens", "value": int(self.trigger * budget)},
            "keep": {"type": "tool_uses", "value": self.keep},
            "clear_at_least": {"type": "input_tokens", "value": int(self.at_least * budget)},
            "exclude_tools": list(self.exclude),
            "clear_tool_inputs": self.inputs,
        }
        return {"betas": [BETA], "context_management": {"edits": [edit]}}
