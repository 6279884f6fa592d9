"""Messages that a strategy makes for its views. An id names one message for good: its text and its sources."""

from __future__ import annotations

import hashlib

from harness.contract import Message


def digest(text: str, sources: tuple[str, ...]) -> str:
    """Sixteen hexadecimal digits: the same text from other messages is another one."""
    return hashlib.sha256("\n".join((text, *sources)).encode("utf-8", "surrogatepass")).hexdigest()[:16]


def user_message(kind: str, text: str, sources: tuple[str, ...]) -> Message:
    """A user message of the strategy's own. kind: what its id begins with."""
    return Message(f"{kind}:{digest(text, sources)}", "user", text, sources=sources)
