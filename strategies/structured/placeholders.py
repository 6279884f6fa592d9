"""The lines that stand for what was evicted.

A line says what was there, how large it is, and the handle that brings it back; old ones merge into ranges. None is
longer than what it replaces.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Literal

from harness.contract import Message
from strategies.made import user_message
from strategies.structured.entries import Entry

Style = Literal["id", "readable"]
Size = Callable[[Message], int]

# No handle stands in these words: a reader would take it for one that is offered.
EXPLAINED = (
    "To save room, older messages are evicted; in their place stands a line [evicted <id>: …] that says what they "
    "were. The line of several has a range of ids."
)
FETCHING = (
    " Nothing is lost: call retrieve with the id, or write [RETRIEVE: <id>], to read it again; a range is listed first."
)
SEARCHING = " search_evicted finds evicted text by words."


def explained(fetch: bool, search: bool) -> str:
    """What the model is told about it."""
    return EXPLAINED + (FETCHING if fetch else "") + (SEARCHING if search else "")


def line(entry: Entry, style: Style, most: int) -> str:
    """One entry in one line. most: owners that it may list."""
    if style == "id":
        return f"[evicted {entry.handle}]"
    what = f" of {entry.tool}({entry.arguments})" if entry.tool else ""
    return (
        f"[evicted {entry.handle}: step {entry.step}, {entry.kind.lower()}{what}, {entry.lines} lines,"
        f" {entry.tokens} tokens{_about(entry.owners or entry.names, most)}]"
    )


def range_line(entries: Sequence[Entry], style: Style, most: int) -> str:
    """Several entries, in their order, in one line."""
    refs = [entry.ref for entry in entries]
    handle = f"ref{min(refs)}-{max(refs)}"
    if style == "id":
        return f"[evicted {handle}]"
    first, last = entries[0].step, entries[-1].step
    steps = f"steps {first}-{last}" if first < last else f"step {first}"
    tools = ", ".join(dict.fromkeys(entry.tool for entry in entries if entry.tool))
    often = Counter(owner for entry in reversed(entries) for owner in entry.owners or entry.names)
    return (
        f"[evicted {handle}: {steps}, {len(entries)} messages{f' ({tools})' if tools else ''},"
        f" {sum(entry.tokens for entry in entries)} tokens{_about([owner for owner, _ in often.most_common()], most)}]"
    )


def made(entries: Sequence[Entry], style: Style, most: int, size: Size) -> Message | None:
    """The message for a run of evicted entries: the longest that has at most half of their tokens, else the shortest,
    if it has fewer than they; else none."""
    was = sum(entry.tokens for entry in entries)
    sources = tuple(name for entry in entries for name in entry.ids)
    forms = [user_message("evicted", text, sources) for text in _forms(entries, style, most)]
    chosen = next((message for message in forms if size(message) <= was // 2), forms[-1])
    return chosen if size(chosen) < was else None


def _forms(entries: Sequence[Entry], style: Style, most: int) -> list[str]:
    """From the most to the least telling."""
    each = [most >> halved for halved in range(most.bit_length())]
    if len(entries) > 1:
        return list(dict.fromkeys([*(range_line(entries, style, n) for n in (*each, 0)), range_line(entries, "id", 0)]))
    return list(dict.fromkeys([*(line(entries[0], style, n) for n in (*each, 0)), line(entries[0], "id", 0)]))


def _about(owners: Sequence[str], most: int) -> str:
    return f"; on {', '.join(owners[:most])}" if owners[:most] else ""
