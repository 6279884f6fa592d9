"""Tool calls as text, for models that have no native ones: a call is one JSON object, an answer is a user message."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from harness.contract import Call, Message, Reply, Request, Tool
from harness.models.wire.turns import call_from

_HOW = (
    "\n\nTo use a tool, answer with one JSON object and nothing else: "
    '{"tool": "<name>", "arguments": {…}}. The tools:\n'
)


def told(request: Request) -> Request:
    """The request without native tools: they are described in the system text, calls and answers are plain text."""
    names = {call.id: call.name for message in request.view for call in message.calls}
    view = [_plain(message, names) for message in request.view]
    if request.tools:
        view[0] = replace(view[0], content=view[0].content + _HOW + "\n".join(map(_described, request.tools)))
    return replace(request, view=tuple(view), tools=())


def heard(reply: Reply, tools: Sequence[Tool]) -> Reply:
    """The reply with the call that its text makes; text around the object stays text."""
    text = reply.message.content
    found = _object(text)
    if found is None or not tools:
        return reply
    value, start, end = found
    call = call_from(str(value.get("tool", "")), value.get("arguments", {}))
    around = f"{text[:start]}{text[end:]}".strip().removeprefix("```json").removesuffix("```").strip()
    return replace(reply, message=replace(reply.message, content=around, calls=(call,)), finish="calls")


def schema(tools: Sequence[Tool]) -> dict[str, Any]:
    """A JSON schema that only a call of one of the tools fits, for servers that can hold a model to it.

    Without patterns: what samplers make grammars of knows only some of their syntax.
    """
    return {
        "anyOf": [
            {
                "type": "object",
                "properties": {"tool": {"const": tool.name}, "arguments": _without_patterns(tool.parameters)},
                "required": ["tool", "arguments"],
            }
            for tool in tools
        ]
    }


def _without_patterns(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _without_patterns(item) for key, item in value.items() if key != "pattern"}
    return value


def _plain(message: Message, names: dict[str, str]) -> Message:
    if message.role == "tool":
        text = f"[{names.get(message.answers or '', 'tool')}] {message.content}"
        return replace(message, role="user", content=text, answers=None)
    if not message.calls:
        return message
    calls = "\n".join(_call(call) for call in message.calls)
    return replace(message, content=f"{message.content}\n{calls}".strip(), calls=())


def _call(call: Call) -> str:
    return json.dumps({"tool": call.name, "arguments": dict(call.arguments)}, ensure_ascii=False)


def _described(tool: Tool) -> str:
    return json.dumps(
        {"name": tool.name, "description": tool.description, "parameters": dict(tool.parameters)}, ensure_ascii=False
    )


def _object(text: str) -> tuple[dict[str, Any], int, int] | None:
    """The first JSON object of the text that names a tool, and where it stands."""
    decoder, start = json.JSONDecoder(), text.find("{")
    while start >= 0:
        try:
            value, end = decoder.raw_decode(text, start)
        except ValueError:
            start = text.find("{", start + 1)
            continue
        if isinstance(value, dict) and "tool" in value:
            return value, start, end
        start = text.find("{", end)
    return None
