"""Text is cleaned once, at the door: what a model or an environment says is kept, what no record could hold is not."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from harness.contract import Brief, Call, Message

# Lone surrogates cannot be encoded; other control characters break terminals and some servers refuse them.
_UNSAFE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")


def clean(text: str) -> str:
    """The text with each unsafe character replaced by U+FFFD."""
    return _UNSAFE.sub("\ufffd", text) if _UNSAFE.search(text) else text


BLANK = "(empty)"  # servers refuse blank text, and what stands in its place must be counted like any other


def admitted(message: Message) -> Message:
    """A message as it enters a history: clean, and with visible text where it has neither text nor calls."""
    message = clean_message(message)
    if message.content.strip() or message.calls or message.opaque is not None:
        return message
    return replace(message, content=BLANK)


def clean_message(message: Message) -> Message:
    calls = tuple(_clean_call(call) for call in message.calls)
    content = clean(message.content)
    if content is message.content and calls == message.calls:
        return message
    return replace(message, content=content, calls=calls)


def _clean_call(call: Call) -> Call:
    broken = None if call.broken is None else clean(call.broken)
    return Call(call.id, clean(call.name), clean_value(call.arguments), broken)


def clean_brief(brief: Brief) -> Brief:
    return replace(brief, system=clean(brief.system), task=clean(brief.task))


def clean_value(value: Any) -> Any:
    """A JSON value with all of its texts cleaned."""
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, dict):
        return {clean(str(key)): clean_value(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [clean_value(item) for item in value]
    return value
