"""Items of OpenAI's Responses interface, turned into chat messages."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any


def as_chat(messages: Sequence[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    """Each message once: a response's `output` becomes an assistant message, an output of a call a tool message."""
    for message in messages:
        if message.get("type") == "function_call_output":
            yield {"role": "tool", "tool_call_id": message.get("call_id"), "content": message.get("output")}
        elif isinstance(message.get("output"), list) and "role" not in message:
            items = [item for item in message["output"] if isinstance(item, Mapping)]
            texts = [part for item in items if item.get("type") == "message" for part in item.get("content") or ()]
            calls = [{**item, "id": item.get("call_id")} for item in items if item.get("type") == "function_call"]
            yield {**message, "role": "assistant", "content": texts, "tool_calls": calls}
        else:
            yield message
