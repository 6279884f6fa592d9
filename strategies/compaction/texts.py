"""Messages as text, cut at the borders of subtasks; identifiers; what fits."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from harness.contract import Message
from strategies.blocks import Block
from strategies.regex import ID_LIKE

Size = Callable[[str], int]
_IDENTIFIER = re.compile(ID_LIKE)


@dataclass(frozen=True, slots=True)
class Piece:
    """The text of messages that are summarised together. `subtask`: the number of the subtask that they belong to."""

    text: str
    sources: tuple[str, ...]
    subtask: int


@dataclass(frozen=True, slots=True)
class Place:
    """Where in the work a history is. turns: of the present subtask so far. announced: what was announced last."""

    subtask: int = 0
    turns: int = 0
    announced: str | None = None


START = Place()


def told(messages: Iterable[Message]) -> str:
    """What was said and done; lines of the messages stay as they are. A tag before each says whose it is."""
    lines: list[str] = []
    for message in messages:
        lines.append(f"<{message.role}>")
        if message.content.strip():
            lines.append(message.content)
        lines += [f"-> {call.name} {json.dumps(dict(call.arguments), ensure_ascii=False)}" for call in message.calls]
    return "\n".join(lines)


def pieces(
    blocks: Sequence[Block], at: Place, border: re.Pattern[str] | None, longest: int, batch: int | None
) -> tuple[list[Piece], Place]:
    """The blocks as pieces of at most `batch` turns (None = any number), none across the border of a subtask.

    at: where the first block goes on; the place after the last one is returned. border: what announces a subtask in a
    text; where it says something else than before, another one begins. Where nothing is announced, one begins with a
    user message, and at the latest after `longest` turns.
    """
    found: list[Piece] = []
    found_in, end = numbered(blocks, at, border, longest)
    for subtask, run in groupby(found_in, key=lambda own: own[0]):
        turns = [[block for _, block in turn] for _, turn in groupby(run, key=lambda own: own[1].turn)]
        for start in range(0, len(turns), batch or len(turns)):
            own = [block for turn in turns[start : start + (batch or len(turns))] for block in turn]
            ids = tuple(name for block in own for name in block.ids)
            found.append(Piece(told(message for block in own for message in block.messages), ids, subtask))
    return found, end


def numbered(
    blocks: Sequence[Block], at: Place, border: re.Pattern[str] | None, longest: int
) -> tuple[list[tuple[int, Block]], Place]:
    """Each block with the number of its subtask, and the place after the last one; all as in `pieces`."""
    found: list[tuple[int, Block]] = []
    subtask, turns, announced = at.subtask, at.turns, at.announced
    last = None
    for block in blocks:
        turns += block.turn != last
        last = block.turn
        named = [match[0] for m in block.messages for match in border.finditer(m.content)] if border else []
        begins = not named and announced is None and (turns > longest or (block.user and bool(found or at.turns)))
        if begins:
            subtask, turns = subtask + 1, 1
        found.append((subtask, block))
        if named:  # what it announces begins after it: the instruction stands at the end of an answer
            if announced is not None and named[-1] != announced:
                subtask, turns = subtask + 1, 0
            announced = named[-1]
    return found, Place(subtask, turns, announced)


def identifiers(text: str) -> list[str]:
    """Ids, paths, numbers and codes of a text, each once, those last found last."""
    found = dict.fromkeys(reversed(_IDENTIFIER.findall(text)))
    return list(reversed(found))


def newest_within(strings: Sequence[str], room: int, size: Size) -> tuple[str, ...]:
    """The last strings that fit into so many tokens when listed with a comma between them."""
    start = len(strings)
    for start in range(len(strings), -1, -1):
        if start == 0 or (room := room - size(strings[start - 1] + ", ")) < 0:
            break
    return tuple(strings[start:])


def telling_lines(text: str, room: int, size: Size) -> str:
    """Lines word for word, the newest that hold an identifier not held by a newer one, then others, as they fit.

    What stands in for a summary that a model did not give: nothing is asked, and the same text gives the same lines.
    Where no line fits, it is the end of the text.
    """
    lines = [line for line in text.splitlines() if line.strip()]
    seen: set[str] = set()
    telling: list[int] = []
    for place in range(len(lines) - 1, -1, -1):
        if fresh := set(identifiers(lines[place])) - seen:
            seen |= fresh
            telling.append(place)
    known = set(telling)
    rest = [place for place in range(len(lines) - 1, -1, -1) if place not in known]
    chosen: list[int] = []
    for place in (*telling, *rest):
        if (cost := size(lines[place] + "\n")) <= room:
            chosen.append(place)
            room -= cost
    if not chosen and room > 1 and lines:
        return parts(text, room, size)[-1]
    return "\n".join(lines[place] for place in sorted(chosen))


def parts(text: str, room: int, size: Size) -> list[str]:
    """The text in parts of at most `room` tokens, cut between lines where lines fit, else within one."""
    found: list[str] = []
    lines: list[str] = []
    left = room
    for line in _short_lines(text.splitlines(), room - 1, size):
        cost = size(line + "\n")
        if cost > left and lines:
            found.append("\n".join(lines))
            lines, left = [], room
        lines.append(line)
        left -= cost
    return [*found, "\n".join(lines)] if lines else found


def _short_lines(lines: Iterable[str], room: int, size: Size) -> Iterator[str]:
    for line in lines:
        if len(line) > 1 and size(line + "\n") > room:
            middle = len(line) // 2
            yield from _short_lines((line[:middle], line[middle:]), room, size)
        else:
            yield line
