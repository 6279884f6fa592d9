"""The tools of a layered memory, their text forms, and what they answer."""

from __future__ import annotations

import re
from collections.abc import Sequence

from harness.contract import Call, Message, Tool
from strategies.memory.page import LOOK_BACK, RECALL

_TEXT = re.compile(rf"\[({LOOK_BACK}|{RECALL}): ([^\]\n]+)\]", re.IGNORECASE)
_HANDLE = r"^u[0-9]+$"
_ARGUMENT = {LOOK_BACK: "unit", RECALL: "query"}


def offered(recall: bool, look_back: bool) -> tuple[Tool, ...]:
    """recall: search the memory. look_back: the originals of a summary."""
    found = []
    if recall:
        text = "Search your memory of this run. Takes a turn, but is no step."
        found.append(_tool(RECALL, text, {"type": "string", "description": "what to look for"}))
    if look_back:
        text = "Read the originals that a summary in your memory stands for. Takes a turn, but is no step."
        found.append(_tool(LOOK_BACK, text, {"type": "string", "pattern": _HANDLE, "description": "as in u12"}))
    return tuple(found)


def calls_in(text: str, tools: Sequence[Tool]) -> list[Call]:
    """`[LOOK_BACK: u12]`, `[RECALL: what to look for]`, as far as there are such tools; each once."""
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


def _tool(name: str, description: str, schema: dict[str, str]) -> Tool:
    argument = _ARGUMENT[name]
    parameters = {
        "type": "object", "properties": {argument: schema}, "required": [argument], "additionalProperties": False,
    }  # fmt: skip
    return Tool(name, description, parameters, "retrieve")
