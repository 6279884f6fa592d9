"""Anthropic's messages.

Roles alternate; all answers of a turn come first in the next user message. Thinking comes back signed; it is kept with
the message (`opaque`) and sent again in its place, whole. Cache breakpoints stand after the system text, after what the
request has in common with the one before it, and at the end, so that a stable prefix is found again.
Source: docs.anthropic.com, "Messages", "Prompt caching" (a look-up goes back at most 20 blocks from a breakpoint).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from harness.contract import Message, Reply, Request, Usage
from harness.models.wire.turns import call_from

KEPT = "anthropic"
FINISH = {"end_turn": "stop", "stop_sequence": "stop", "tool_use": "calls", "max_tokens": "length"}
CACHED = {"cache_control": {"type": "ephemeral"}}


def body(request: Request, common: int = 0) -> dict[str, Any]:
    """common: how many messages of the view the request before it began with too."""
    system = [message.content for message in request.view if message.role == "system"]
    places, turns = _turns(request.view)
    found: dict[str, Any] = {
        "system": [{"type": "text", "text": text, **CACHED} for text in system],
        "messages": turns,
    }
    for turn, block in filter(None, {_last(places[:common]), _last(places)}):
        turns[turn]["content"][block].update(CACHED)
    if request.tools:
        found["tools"] = [
            {"name": t.name, "description": t.description, "input_schema": dict(t.parameters)} for t in request.tools
        ]
    return {**found, **dict(request.options or {})}


def reply(answer: Mapping[str, Any]) -> Reply:
    texts: list[str] = []
    calls = []
    opaque = []
    for block in answer.get("content") or ():
        kind = block.get("type")
        if kind == "text":
            texts.append(block["text"])
        elif kind == "tool_use":
            calls.append(call_from(block["name"], block.get("input")))
        else:
            opaque.append(dict(block))
    reason = answer.get("stop_reason") or "stop"
    edits = tuple((answer.get("context_management") or {}).get("applied_edits") or ())
    edits += tuple(block for block in opaque if block.get("type") == "compaction")
    message = Message("", "assistant", "\n".join(texts), tuple(calls), opaque={KEPT: opaque} if opaque else None)
    return Reply(message, usage(answer), FINISH.get(reason, reason), edits)


def usage(answer: Mapping[str, Any]) -> Usage:
    """input_tokens holds the uncached ones alone: the input is the sum of all three."""
    spent = answer.get("usage") or {}
    plain, read, written = (
        spent.get(name) for name in ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")
    )
    whole = None if plain is None else plain + (read or 0) + (written or 0)
    return Usage(whole, read, written, spent.get("output_tokens"))


def _turns(view: Sequence[Message]) -> tuple[list[tuple[int, int] | None], list[dict[str, Any]]]:
    """For each message the place of its last block (None: it has none), and the turns."""
    turns: list[dict[str, Any]] = []
    places: list[tuple[int, int] | None] = []
    for message in view:
        blocks = _blocks(message)
        role = "assistant" if message.role == "assistant" else "user"
        if not blocks:
            places.append(None)
            continue
        if not turns or turns[-1]["role"] != role:
            turns.append({"role": role, "content": []})
        turns[-1]["content"] += blocks
        places.append((len(turns) - 1, len(turns[-1]["content"]) - 1))
    return places, turns


def _last(places: Sequence[tuple[int, int] | None]) -> tuple[int, int] | None:
    return next((place for place in reversed(places) if place is not None), None)


def _blocks(message: Message) -> list[dict[str, Any]]:
    if message.role == "system":
        return []
    if message.role == "tool":
        return [{"type": "tool_result", "tool_use_id": message.answers, "content": message.content}]
    kept = message.opaque.get(KEPT, ()) if isinstance(message.opaque, Mapping) else ()
    blocks = [dict(block) for block in kept]
    if message.content:
        blocks.append({"type": "text", "text": message.content})
    return blocks + [
        {"type": "tool_use", "id": call.id, "name": call.name, "input": dict(call.arguments)} for call in message.calls
    ]
