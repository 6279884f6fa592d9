"""Answers of a turn, each to its call: errors for calls that cannot be made, and what the environment said."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from harness.calls import fault
from harness.contract import Call, Message, Tool, Turn
from harness.text import admitted


def refused(calls: Iterable[Call], tools: Sequence[Tool]) -> dict[str, Message]:
    """By call id, an error for each call that cannot be made."""
    faults = ((call.id, fault(call, tools)) for call in calls)
    return {name: Message("", "tool", text, answers=name) for name, text in faults if text is not None}


def paired(turn: Turn, calls: Sequence[Call], answers: dict[str, Message], instance: str) -> list[Message]:
    """Sort the environment's answers into `answers`; return its other messages.

    Raises ValueError for an answer to no open call.
    """
    rest: list[Message] = []
    open_calls = {call.id for call in calls} - set(answers)
    for message in map(admitted, turn.messages):
        if message.role != "tool":
            rest.append(message)
        elif message.answers in open_calls:
            open_calls.remove(message.answers)
            answers[message.answers] = message
        else:
            raise ValueError(f"{instance}: the environment answered {message.answers!r}, no open call")
    return rest
