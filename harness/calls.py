"""Is a call one that can be made? What cannot is never executed: its caller gets an error instead."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from harness.contract import Call, Tool

TYPES: Mapping[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "array": (list, tuple),
    "object": (Mapping,),
}
SHOWN = 80  # characters of what a model wrote


def fault(call: Call, tools: Sequence[Tool]) -> str | None:
    """What is wrong with a call, for the model to read; None where nothing is.

    Checked: that its arguments could be read, that there is such a tool, that what it requires is there, and the plain
    types of a schema. Anything deeper is the tool's own business.
    """
    if call.broken is not None:
        written = call.broken[:SHOWN] + ("…" if len(call.broken) > SHOWN else "")
        return f"error: the arguments of {call.name!r} are no JSON object: {written!r}. Nothing was done."
    tool = next((tool for tool in tools if tool.name == call.name), None)
    if tool is None:
        return f"error: there is no tool {call.name!r}. There are: {', '.join(tool.name for tool in tools)}."
    properties: Mapping[str, Any] = tool.parameters.get("properties", {})
    for name in tool.parameters.get("required", ()):
        if name not in call.arguments:
            return f"error: {call.name!r} needs the argument {name!r}. Nothing was done."
    for name, value in call.arguments.items():
        kind = properties.get(name, {}).get("type")
        if isinstance(kind, str) and not _of(value, kind):
            return f"error: the argument {name!r} of {call.name!r} must be of type {kind}. Nothing was done."
    return None


def _of(value: Any, kind: str) -> bool:
    if isinstance(value, bool) and kind != "boolean":
        return False
    return isinstance(value, TYPES.get(kind, (object,)))
