"""Which focuses are open, read off the calls in the history and their answers."""

from __future__ import annotations

from collections.abc import Sequence

from harness.contract import Call
from strategies.blocks import Block
from strategies.focus_tools import NAMES, START, Checkpoint, Closing, took_effect


class Calls:
    """open: the checkpoints without an end, outermost first. others: calls of other tools since the last completion."""

    def __init__(self) -> None:
        self.open: list[Checkpoint] = []
        self.others = 0

    def follow(self, head: Block) -> list[Closing]:
        """Take in the calls of a block; returns the focuses that they closed, in their order."""
        message, answers = head.messages[0], {answer.answers: answer for answer in head.messages[1:]}
        closings: list[Closing] = []
        for call in message.calls:
            answer = answers.get(call.id)
            if call.name not in NAMES:
                self.others += 1
            elif answer is None or not took_effect(answer):
                continue
            elif call.name == START.name:
                self.open.append(Checkpoint(head.start, message.id, call))
            elif self.open:
                closings.append(Closing(self.open.pop(), call, answer.id))
                self.others = 0
        return closings

    def lasting(self, head: Block) -> bool:
        """Whether a block holds more than is over: a call of another tool, or one that opened what is still open."""
        return acts(head.messages[0].calls) or any(point.start == head.start for point in self.open)


def acts(calls: Sequence[Call]) -> bool:
    """Whether other tools are called."""
    return any(call.name not in NAMES for call in calls)
