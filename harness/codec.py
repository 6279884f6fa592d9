"""Messages and replies as plain JSON values, and back, without loss."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

from harness.contract import Call, Event, Labels, Message, Reply, Usage
from harness.text import clean, clean_value
from harness.tokens import compact


def message_to(message: Message) -> dict[str, Any]:
    """Fields at their default are left out, so that a record stays short."""
    row: dict[str, Any] = {"id": message.id, "role": message.role, "content": message.content}
    if message.calls:
        row["calls"] = [call_to(call) for call in message.calls]
    if message.answers is not None:
        row["answers"] = message.answers
    if message.author is not None:
        row["author"] = message.author
    if message.labels is not None:
        row["labels"] = [message.labels.kind, list(message.labels.uses), list(message.labels.provides)]
    if message.sources:
        row["sources"] = list(message.sources)
    if message.opaque is not None:
        row["opaque"] = message.opaque
    return row


def fingerprint(message: Message) -> str:
    """Twelve hexadecimal digits of what a model is sent of a message: equal for equal text, whatever its id."""
    calls = [call_to(call) for call in message.calls]
    said = compact([message.role, message.content, calls, message.answers, message.opaque])
    return hashlib.sha256(said.encode("utf-8", "surrogatepass")).hexdigest()[:12]


def message_from(row: Mapping[str, Any]) -> Message:
    labels = row.get("labels")
    return Message(
        row["id"],
        row["role"],
        row["content"],
        tuple(Call(*call) for call in row.get("calls", ())),
        row.get("answers"),
        row.get("author"),
        Labels(labels[0], tuple(labels[1]), tuple(labels[2])) if labels else None,
        tuple(row.get("sources", ())),
        row.get("opaque"),
    )


def reply_to(reply: Reply) -> dict[str, Any]:
    usage = reply.usage
    row: dict[str, Any] = {"message": message_to(reply.message), "finish": clean(reply.finish)}
    if usage != Usage():
        row["usage"] = [usage.input, usage.cache_read, usage.cache_write, usage.output]
    if reply.edits:
        row["edits"] = [dict(edit) for edit in reply.edits]
    if reply.attempts != 1:
        row["attempts"] = reply.attempts
    if reply.cached:
        row["cached"] = True
    return row


def reply_from(row: Mapping[str, Any]) -> Reply:
    usage = Usage(*row["usage"]) if "usage" in row else Usage()
    edits = tuple(row.get("edits", ()))
    return Reply(
        message_from(row["message"]), usage, row["finish"], edits, row.get("attempts", 1), row.get("cached", False)
    )


def call_to(call: Call) -> list[Any]:
    row = [call.id, call.name, dict(call.arguments)]
    return row if call.broken is None else [*row, call.broken]


def event_to(event: Event) -> list[Any]:
    return [clean(event.kind), clean_value(dict(event.detail))]


def event_from(row: list[Any]) -> Event:
    return Event(row[0], row[1])
