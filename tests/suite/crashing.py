"""A window that goes well until it raises."""

from __future__ import annotations

from collections.abc import Sequence

from harness.contract import Brief, History, Kit, Message
from strategies.window import Window


class Crashing(Window):
    """at: the step for which it makes no view any more."""

    def __init__(self, at: int) -> None:
        super().__init__()
        self.at = at

    def reset(self, kit: Kit, brief: Brief, saved: bytes | None = None) -> None:
        super().reset(kit, brief, saved)
        self._rereads = {tool.name for tool in brief.tools if tool.purpose == "retrieve"}

    def compose(self, history: History, budget: int) -> Sequence[Message]:
        actions = sum(bool(m.calls) and m.calls[0].name not in self._rereads for m in history)
        if actions >= self.at - 1:
            raise ArithmeticError("lost count")
        return super().compose(history, budget)
