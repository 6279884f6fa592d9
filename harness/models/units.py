"""A text cut into units that can stand alone: its lines, long ones into sentences. Joined again word for word."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

_SENTENCE = re.compile(r"(?<=[.!?。！？])\s+")
_WORD = re.compile(r"\w+(?:[./:@#+-]+\w+)*")
_FRAME = re.compile(r"\s*</?[a-z][a-z _-]*>\s*")
PASSES = 3  # how often what is left of the room is filled
WHOLE = 80  # characters: a line up to this length is never cut into sentences


@dataclass(frozen=True, slots=True)
class Unit:
    """line: the line that it stands in. words: what it says, lower case, joined names as one word."""

    line: int
    text: str
    words: tuple[str, ...]


def units(text: str) -> list[Unit]:
    """The units in order. Blank lines, and lines that are nothing but a tag (`<former summary>`), are frames: none."""
    found: list[Unit] = []
    for number, line in enumerate(text.splitlines()):
        if not line.strip() or _FRAME.fullmatch(line):
            continue
        parts = [line.rstrip()] if len(line) <= WHOLE else _SENTENCE.split(line.strip())
        found += [Unit(number, part, words(part)) for part in parts if part]
    return found


def words(text: str) -> tuple[str, ...]:
    return tuple(word.lower() for word in _WORD.findall(text))


def joined(chosen: Iterable[Unit]) -> str:
    """The units in their order, those of one line on one line."""
    text, last = "", -1
    for unit in chosen:
        text += unit.text if not text else (" " if unit.line == last else "\n") + unit.text
        last = unit.line
    return text


def fitted(
    best: Sequence[int], found: Sequence[Unit], costs: Sequence[int], room: int, count: Callable[[str], int]
) -> str:
    """The units `best` (places, the best first) as far as they fit into `room` tokens, in their own order.

    costs: tokens of each unit. A unit that does not fit is left out, and later ones may still fit. The whole is counted
    as it is joined, which is a little more or less than the sum: the room is never passed, and hardly wasted.
    """
    chosen: list[int] = []
    text, left = "", room
    for _ in range(PASSES):
        taken = set(chosen)
        more = _filling([place for place in best if place not in taken], costs, left)
        longer = joined(found[place] for place in sorted(chosen + more))
        while more and count(longer) > room:
            more.pop()
            longer = joined(found[place] for place in sorted(chosen + more))
        if not more:
            break
        chosen, text = chosen + more, longer
        left = room - count(text)
    return text


def _filling(best: Sequence[int], costs: Sequence[int], left: int) -> list[int]:
    chosen = []
    for place in best:
        if costs[place] <= left:
            chosen.append(place)
            left -= costs[place]
    return chosen
