"""The two tools of a focus, and what a history says of the calls that were made of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from harness.contract import Call, Message, Tool

OUTCOMES = ("success", "partial", "blocked", "abandoned")


def _text(description: str) -> Mapping[str, Any]:
    return {"type": "string", "description": description}


START = Tool(
    "start_focus",
    "Begin a piece of work: marks a checkpoint in the conversation. Focuses nest.",
    {
        "type": "object",
        "properties": {
            "description": _text("what you are going to look into or do"),
            "goal": _text("what must be known or done at its end"),
        },
        "required": ["description", "goal"],
    },
    "open",
)
COMPLETE = Tool(
    "complete_focus",
    "End the newest open focus, at a natural end or a dead end. What you write here is kept under Knowledge; all "
    "messages since its start_focus are removed.",
    {
        "type": "object",
        "properties": {
            "outcome": {"type": "string", "enum": list(OUTCOMES)},
            "attempted": _text("what was tried, briefly"),
            "learnings": _text("each fact that may be needed later, one a line: names, paths, values, errors"),
            "next_action": _text("the instruction or step to go on with"),
        },
        "required": ["outcome", "attempted", "learnings"],
    },
    "close",
)
NAMES = frozenset((START.name, COMPLETE.name))


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """Where an open focus began. start: place of its block in the history; message: id of the one with the call."""

    start: int
    message: str
    call: Call


@dataclass(frozen=True, slots=True)
class Closing:
    """A focus that a message completed. answer: id of the message that answers the call."""

    begun: Checkpoint
    call: Call
    answer: str

    @property
    def outcome(self) -> str:
        return said(self.call, "outcome")


def said(call: Call, name: str) -> str:
    """An argument as text, "" where it was not given."""
    return str(call.arguments.get(name, "")).strip()


def reply(call: Call, depth: int) -> str:
    """The answer to a call with `depth` focuses open. One that begins with "error" has no effect."""
    if call.name == START.name:
        return f"Focus started (level {depth + 1}). Complete it with {COMPLETE.name}."
    if depth == 0:
        return f"error: no focus is open, so nothing was completed. Call {START.name} where a piece of work begins."
    outcome = said(call, "outcome")
    if outcome not in OUTCOMES:
        return f"error: outcome {outcome!r} is none of {', '.join(OUTCOMES)}. The focus is still open."
    return "Focus completed, its entry is in Knowledge."


def took_effect(answer: Message | None) -> bool:
    """Whether a call had an effect, by its answer: the harness's refusals begin with "error" as ours do."""
    return answer is not None and not answer.content.startswith("error")
