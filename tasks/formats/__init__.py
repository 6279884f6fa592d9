"""Formats of recorded runs, one a file: `recognises(data)` and `read(data, name) -> Run`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from tasks.formats import chat, mini, sweagent
from tasks.formats.run import Played, Run

__all__ = ["FORMATS", "Format", "Played", "Run", "read"]


class Format(Protocol):
    """What a module of this package offers."""

    def recognises(self, data: Any) -> bool: ...
    def read(self, data: Any, name: str) -> Run: ...


# The most particular first: a mini-swe-agent file is a list of chat messages too.
FORMATS: Mapping[str, Format] = {"mini-swe-agent": mini, "swe-agent": sweagent, "chat": chat}


def read(data: Any, name: str, format: str = "auto") -> Run:
    """One run. Raises ValueError, with the first keys of the data, where no format recognises it."""
    if format != "auto" and format not in FORMATS:
        raise ValueError(f"task.format={format} is unknown; known: auto, huggingface, {', '.join(FORMATS)}")
    tried = FORMATS if format == "auto" else {format: FORMATS[format]}
    for known in tried.values():
        if known.recognises(data):
            return known.read(data, name)
    raise ValueError(
        f"recorded run {name} is not in {' or '.join(tried)} format: it is {_seen(data)}; see docs/recorded-runs.md"
    )


def _seen(data: Any) -> str:
    if isinstance(data, Mapping):
        return f"an object with the keys {list(data)[:8]}"
    if isinstance(data, list):
        return f"a list of {len(data)}, the first {_seen(data[0])}" if data else "an empty list"
    return f"a {type(data).__name__}"
