"""The tools by which a model gets evicted text back, and their text form."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from harness.contract import Call, Message, Tool

Schema = Mapping[str, object]
RETRIEVE, SEARCH = "retrieve", "search_evicted"
# [RETRIEVE: ref12] asks for it, the line of what was evicted offers it.
_TEXT = re.compile(r"\[(?:RETRIEVE:|evicted) (ref\d+(?:-\d+)?)(?=[\]:])", re.IGNORECASE)


def offered(fetch: bool, search: bool) -> tuple[Tool, ...]:
    """Search first: it finds what no line names, and a reader that tries one tool after the other needs fewer turns."""
    tools: list[Tool] = []
    if fetch and search:
        query = {"type": "string", "description": "names and words to look for"}
        tools.append(_tool(SEARCH, "Find evicted text by words. Takes a turn, but is no step.", "query", query))
    if fetch:
        identifier = {"type": "string", "pattern": "^ref[0-9]+(-[0-9]+)?$", "description": "as in an [evicted …] line"}
        line = {"type": "integer", "minimum": 1, "description": "first line, for a text that was cut"}
        text = "Read evicted text again. Takes a turn, but is no step."
        tools.append(_tool(RETRIEVE, text, "id", identifier, {"line": line}))
    return tuple(tools)


def _tool(name: str, text: str, argument: str, schema: Schema, more: Mapping[str, Schema] | None = None) -> Tool:
    properties = {argument: schema, **(more or {})}
    parameters = {"type": "object", "properties": properties, "required": [argument], "additionalProperties": False}
    return Tool(name, text, parameters, "retrieve")


def calls_in(text: str) -> Sequence[Call]:
    """The entries that a text asks for or offers, each once."""
    return [Call("", RETRIEVE, {"id": handle.lower()}) for handle in dict.fromkeys(_TEXT.findall(text))]


def error(call: Call, text: str) -> Message:
    return Message("", "tool", f"error: {text}", answers=call.id)


def pages(text: str, name: str, first: int, most: int, size: Callable[[str], int]) -> str | None:
    """The text from its line `first` on, cut to `most` tokens where it is longer; None where there is no such line.

    name: what it is, for the line above it.
    """
    lines = text.splitlines()
    if not 1 <= first <= max(1, len(lines)):
        return None
    whole = f"[{name}]\n{text}"
    if first == 1 and size(whole) <= most:
        return whole

    def until(last: int) -> str:
        rest = f"; go on with line={last + 1}" if last < len(lines) else ""
        return "\n".join((f"[{name}, lines {first}-{last} of {len(lines)}{rest}]", *lines[first - 1 : last]))

    low, high = first, len(lines)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if size(until(middle)) <= most else (low, middle - 1)
    cut = until(low)
    return cut if size(cut) <= most else cut[: _fitting(cut, most, size)] + "…"


def _fitting(text: str, most: int, size: Callable[[str], int]) -> int:
    """How many characters of a text have at most `most` tokens, its last mark included."""
    low, high = 0, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if size(text[:middle] + "…") <= most else (low, middle - 1)
    return low
