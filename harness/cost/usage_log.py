"""What a provider reported, call by call, read from files of any agent that keeps its responses.

A call is any JSON object with a `usage` that counts prompt tokens. Its order in the file is its order in the run.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.cost.prefix import Piece


@dataclass(frozen=True, slots=True)
class Call:
    """Tokens of one call as reported: input in all, what of it was read from the cache, output. at: seconds, any zero.
    billed: dollars, where the record says so."""

    input: int
    cached: int
    output: int
    at: float | None
    billed: float | None = None


@dataclass(frozen=True, slots=True)
class Run:
    """pieces: of each call, the same start for what it shares with the calls before it."""

    name: str
    calls: tuple[Call, ...]
    pieces: tuple[tuple[Piece, ...], ...]


def load(path: Path) -> list[Run]:
    """A run a JSON file (of a folder: of all that lie below it). Raises ValueError where no call has a cached count."""
    files = sorted(path.rglob("*.json")) if path.is_dir() else [path]
    runs = [run(file.name.split(".")[0], json.loads(file.read_text(encoding="utf-8"))) for file in files]
    runs = [one for one in runs if one.calls]
    if not runs:
        raise ValueError(f"{path}: no call in these files reports its cached tokens")
    return runs


def run(name: str, data: Any) -> Run:
    calls = tuple(_calls(data))
    return Run(name, calls, tuple(grown([call.input for call in calls])))


def grown(inputs: Sequence[int]) -> Iterator[tuple[Piece, ...]]:
    """The pieces of requests that only grow at their end; where one is shorter, its last pieces were replaced."""
    pieces: list[Piece] = []
    total = made = 0
    for tokens in inputs:
        while pieces and total > tokens:
            total -= pieces.pop()[1]
        if tokens > total:
            made += 1
            pieces.append((str(made), tokens - total))
            total = tokens
        yield tuple(pieces)


def _calls(data: Any) -> Iterator[Call]:
    if isinstance(data, Mapping):
        usage = data.get("usage")
        call = _call(usage, data.get("created")) if isinstance(usage, Mapping) else None
        if call is not None:
            yield call
            return
        for value in data.values():
            yield from _calls(value)
    elif isinstance(data, list):
        for value in data:
            yield from _calls(value)


def _call(usage: Mapping[str, Any], at: Any) -> Call | None:
    """Both styles: cached tokens inside the input (prompt_tokens), or beside it (cache_read_input_tokens)."""
    if "prompt_tokens" in usage:
        cached = (usage.get("prompt_tokens_details") or {}).get("cached_tokens")
        given, output = usage["prompt_tokens"], usage.get("completion_tokens", 0)
    elif "cache_read_input_tokens" in usage:
        cached = usage["cache_read_input_tokens"]
        given = usage["input_tokens"] + cached + (usage.get("cache_creation_input_tokens") or 0)
        output = usage.get("output_tokens", 0)
    else:
        cached = None
    if cached is None:
        return None
    return Call(given, cached, output, float(at) if at is not None else None, usage.get("cost"))
