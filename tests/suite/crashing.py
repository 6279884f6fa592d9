"""A window that goes well until it raises."""

from __future__ import annotations

from collections.abc import Sequence

from harness.contract import History, Message
from strategies.window import Window


class Crashing(Window):
    """at: the step whose view it does not make any more."""

    def __init__(self, at: int) -> None:
        super().__init__()
        self.at = at

    def compose(self, history: History, budget: int) -> Sequence[Message]:
        if sum(message.role == "assistant" for message in history) >= self.at - 1:
            raise ArithmeticError("lost count")
        return super().compose(history, budget)
