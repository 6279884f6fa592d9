"""The tools of a layered memory, their text forms, and what they answer."""

from __future__ import annotations

import re
from collections.abc import Sequence

from harness.contract import Call, Message, Tool
from strategies import recall
from strategies.memory.page import LOOK_BACK
from strategies.recall import SEARCH, When

_TEXT = re.compile(rf"\[({LOOK_BACK}|{SEARCH}): ([^\]\n]+)\]", re.IGNORECASE)
_ARGUMENT = {LOOK_BACK: "unit", SEARCH: "query"}
_ORIGINALS = Tool(
    LOOK_BACK,
    "Read the originals that a summary in your memory stands for. Takes a turn, but is no step.",
    {
        "type": "object",
        "properties": {"unit": {"type": "string", "pattern": "^u[0-9]+$", "description": "as in u12"}},
        "required": ["unit"],
    },
    "retrieve",
)


def offered(when: When, look_back: bool) -> tuple[Tool, ...]:
    """A search of the memory, with `when: on_call`. look_back: the originals of a summary."""
    found = recall.tools(when, "Search your memory of this run. Takes a turn, but is no step.")
    return (*found, _ORIGINALS) if look_back else found


def calls_in(text: str, tools: Sequence[Tool]) -> list[Call]:
    """`[LOOK_BACK: u12]`, `[SEARCH_MEMORY: what to look for]`, as far as there are such tools; each once."""
    known = {tool.name for tool in tools}
    found = dict.fromkeys((name.lower(), argument.strip()) for name, argument in _TEXT.findall(text))
    return [Call("", name, {_ARGUMENT[name]: argument}) for name, argument in found if name in known]


def argument(call: Call) -> str:
    return str(call.arguments.get(_ARGUMENT.get(call.name, ""), "")).strip()


def error(call: Call, text: str) -> Message:
    return Message("", "tool", f"error: {text}", answers=call.id)


def answered(call: Call, messages: Sequence[Message]) -> Message:
    """Made messages as an answer."""
    sources = tuple(dict.fromkeys(source for message in messages for source in message.sources))
    text = "\n".join(message.content for message in messages)
    return Message("", "tool", text, answers=call.id, sources=sources)
