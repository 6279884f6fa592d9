"""Edits of a text, as pure functions: literal, in one place, and nothing but that place changes.

Texts are decoded with `surrogateescape`, so that bytes that are no UTF-8 stay what they are.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

_END = re.compile("\r?\n")


class Refused(Exception):
    """An edit that cannot be made; the message is for the model. Nothing was changed."""


def lines_of(text: str) -> list[str]:
    """With their ends. Only a newline ends a line: form feeds and the like stand in source files too."""
    return [line for line in re.split("(?<=\n)", text) if line]


def numbered(text: str, span: Sequence[int] | None = None) -> str:
    """Lines with their numbers; span: first and last of them, -1 = the end. Raises Refused."""
    lines = lines_of(text)
    first, last = _span(span, len(lines))
    shown = (line.rstrip("\r\n") for line in lines[first - 1 : last])
    return "\n".join(f"{number:6d}\t{line}" for number, line in enumerate(shown, first))


def replaced(text: str, old: str, new: str) -> tuple[str, int]:
    """The text with its only place that reads `old` now reading `new`, and the first line of that place.

    A newline of `old` also matches the file's \\r\\n, and `new` gets the line ends of the place. Raises Refused.
    """
    if not old:
        raise Refused("old_str is empty: give the text that is to be replaced; to add lines use insert.")
    if _plain(old) == _plain(new):
        raise Refused("old_str and new_str are the same: nothing would change.")
    pattern = re.escape(_plain(old)).replace("\\\n", "\r?\n")
    # Looking ahead finds places that overlap, too.
    places = [match.span(1) for match in re.finditer(f"(?=({pattern}))", text)]
    if not places:
        raise Refused("old_str was not found, so nothing was changed. It must match the file letter by letter.")
    if len(places) > 1:
        lines = ", ".join(str(text.count("\n", 0, start) + 1) for start, _ in places[:10])
        more = ", …" if len(places) > 10 else ""
        raise Refused(
            f"old_str was found {len(places)} times, in lines {lines}{more}, so nothing was changed. "
            "Add lines around it until there is one place."
        )
    start, stop = places[0]
    ends = _END.findall(text[start:stop]) or [_near(text, stop)]
    return text[:start] + _with_ends(new, ends) + text[stop:], text.count("\n", 0, start) + 1


def inserted(text: str, after: int, new: str) -> str:
    """The text with `new` as lines of its own after line `after`, 0 = at the start. Raises Refused."""
    lines = lines_of(text)
    if not 0 <= after <= len(lines):
        raise Refused(f"insert_line is {after}: the file has {len(lines)} lines, so choose 0 to {len(lines)}.")
    if not new:
        raise Refused("new_str is empty: nothing would change.")
    before, rest = "".join(lines[:after]), "".join(lines[after:])
    ends = [_near(text, len(before))]
    new = _with_ends(new, ends)
    if before and not before.endswith("\n"):
        # The file's last line had no end, and its new last line gets none either.
        return before + ends[0] + (new[: -len(ends[0])] if new.endswith(ends[0]) else new)
    if not new.endswith("\n"):
        new += ends[0]
    return before + new + rest


def _plain(text: str) -> str:
    return text.replace("\r\n", "\n")


def _near(text: str, place: int) -> str:
    """The line end at the place, else the one before it, else a newline."""
    after = _END.search(text, place)
    before = text.rfind("\n", 0, place)
    if before >= 0 and (after is None or place == len(text)):
        return "\r\n" if text[:before].endswith("\r") else "\n"
    return after.group() if after else "\n"


def _with_ends(new: str, ends: Sequence[str]) -> str:
    """`new` with the given line ends one by one, the last of them for all that are left."""
    parts = _plain(new).split("\n")
    joined = parts[0]
    for number, part in enumerate(parts[1:]):
        joined += ends[min(number, len(ends) - 1)] + part
    return joined


def _span(span: Sequence[int] | None, count: int) -> tuple[int, int]:
    if span is None:
        return 1, count
    if len(span) != 2 or not all(isinstance(end, int) and not isinstance(end, bool) for end in span):
        raise Refused(f"view_range is {list(span)}: give the first and the last line.")
    first, last = span[0], count if span[1] == -1 else span[1]
    if not 1 <= first <= max(count, 1):
        raise Refused(f"view_range begins at {first}: the file has {count} lines.")
    if last < first:
        raise Refused(f"view_range ends at {span[1]}, before it begins.")
    return first, min(last, count)
