"""OpenAI's responses.

Reasoning comes back as items that only the server can read; they are kept with the message (`opaque`) and sent again
in their place, whole. Source: platform.openai.com/docs/api-reference/responses.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from harness.contract import Message, Reply, Request, Usage
from harness.models.wire.turns import arguments_to, call_from, joined, text_of

KEPT = "responses"  # the key under which opaque items stand


def body(request: Request) -> dict[str, Any]:
    """Nothing is stored on the server: a request says all that it depends on."""
    system = [message.content for message in request.view if message.role == "system"]
    found: dict[str, Any] = {
        "instructions": "\n\n".join(system),
        "input": [item for group in joined(request.view) if group[0].role != "system" for item in _items(group)],
        "store": False,
        "include": ["reasoning.encrypted_content"],
    }
    if request.tools:
        found["tools"] = [
            {"type": "function", "name": t.name, "description": t.description, "parameters": dict(t.parameters)}
            for t in request.tools
        ]
    if request.schema is not None:
        schema = {"type": "json_schema", "name": "answer", "schema": dict(request.schema), "strict": True}
        found["text"] = {"format": schema}
    return {**found, **dict(request.options or {})}


def reply(answer: Mapping[str, Any]) -> Reply:
    texts: list[str] = []
    calls = []
    opaque = []
    refused = False
    for item in answer.get("output") or ():
        kind = item.get("type")
        if kind == "message":
            for part in item.get("content") or ():
                refused |= part.get("type") == "refusal"
                texts.append(part.get("text") or part.get("refusal") or "")
        elif kind == "function_call":
            calls.append(call_from(item["name"], item.get("arguments")))
        else:
            opaque.append(dict(item))
    cut = answer.get("status") == "incomplete"
    finish = "refusal" if refused else "length" if cut else "calls" if calls else "stop"
    kept = {KEPT: opaque} if opaque else None
    edits = tuple(item for item in opaque if item.get("type") == "compaction")
    message = Message("", "assistant", "\n".join(filter(None, texts)), tuple(calls), opaque=kept)
    return Reply(message, usage(answer), finish, edits)


def usage(answer: Mapping[str, Any]) -> Usage:
    """input_tokens holds the cached ones too."""
    spent = answer.get("usage") or {}
    details = spent.get("input_tokens_details") or {}
    return Usage(spent.get("input_tokens"), details.get("cached_tokens"), None, spent.get("output_tokens"))


def _items(group: tuple[Message, ...]) -> Iterator[dict[str, Any]]:
    first = group[0]
    if first.role == "user":
        yield {"role": "user", "content": [{"type": "input_text", "text": text_of(group)}]}
        return
    if first.role == "tool":
        yield {"type": "function_call_output", "call_id": first.answers, "output": first.content}
        return
    yield from (first.opaque or {}).get(KEPT, ()) if isinstance(first.opaque, Mapping) else ()
    if first.content:
        yield {"role": "assistant", "content": [{"type": "output_text", "text": first.content}]}
    for call in first.calls:
        yield {"type": "function_call", "call_id": call.id, "name": call.name, "arguments": arguments_to(call)}
