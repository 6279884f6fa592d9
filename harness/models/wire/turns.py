"""What all formats share: users joined, arguments as text, arguments read back."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from harness.contract import Call, Message

JOINT = "\n\n"  # between user messages that stand side by side: nothing is lost, and roles alternate


def joined(view: Iterable[Message]) -> Iterator[tuple[Message, ...]]:
    """The messages in order, user messages that stand side by side together."""
    users: list[Message] = []
    for message in view:
        if message.role == "user":
            users.append(message)
            continue
        if users:
            yield tuple(users)
            users = []
        yield (message,)
    if users:
        yield tuple(users)


def text_of(users: Iterable[Message]) -> str:
    return JOINT.join(message.content for message in users)


def arguments_to(call: Call) -> str:
    """As JSON text. What was no JSON is not sent back as if it were: the error that answers it shows it."""
    return json.dumps(dict(call.arguments), ensure_ascii=False)


def call_from(name: str, written: Any) -> Call:
    """A call as a model wrote it; arguments may be text or a value already read."""
    value = written
    if isinstance(written, str):
        try:
            value = json.loads(written or "{}")
        except ValueError:
            return Call("", name, {}, written)
    if not isinstance(value, Mapping):
        return Call("", name, {}, written if isinstance(written, str) else json.dumps(written))
    return Call("", name, dict(value))
