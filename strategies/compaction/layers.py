"""Summaries of different grain: new messages enter the finest level, and what it cannot hold moves on to the next.

fragment (a sentence a turn) -> session (a paragraph a subtask) -> global (the state of the work against its goal). So
the recent past is told finely, the distant past coarsely, and each message is covered by one entry of one level.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from harness.contract import Message, Reply, Request
from strategies.compaction.asking import LEAST, Ask, Compactor
from strategies.compaction.prompts import Level
from strategies.compaction.texts import START, Piece, Place, Size, identifiers, newest_within
from strategies.made import user_message

T = TypeVar("T")
Stage = Generator[Sequence[Request], Sequence[Reply], T]
SHARES: Mapping[Level, int] = {"fragment": 2, "session": 2, "global": 1}  # of the room for all levels (ours)
HEADS: Mapping[Level, str] = {"fragment": "lately:", "session": "before:", "global": "state of the work:"}


@dataclass(frozen=True, slots=True)
class Entry:
    """kept: lines that stand word for word below the text."""

    text: str
    sources: tuple[str, ...]
    subtask: int
    kept: tuple[str, ...] = ()

    @property
    def told(self) -> str:
        return "\n".join(filter(None, (self.text, *self.kept)))


@dataclass(frozen=True, slots=True)
class Layers:
    """A summary. entries: for each level, the finest first, oldest entry first. names: identifiers, newest last.

    place: where its newest message is.
    """

    levels: tuple[Level, ...]
    entries: tuple[tuple[Entry, ...], ...]
    names: tuple[str, ...] = ()
    place: Place = START

    @property
    def sources(self) -> tuple[str, ...]:
        return tuple(name for level in reversed(self.entries) for entry in level for name in entry.sources)

    def text(self) -> str:
        """The coarsest level first, so that it reads in the order of time; below, identifiers that it does not name."""
        told = [
            "\n".join([HEADS[level], *(entry.told for entry in entries if entry.told)])
            for level, entries in reversed([*zip(self.levels, self.entries, strict=True)])
            if any(entry.told for entry in entries)
        ]
        body = "\n".join(told)
        beside = ", ".join(name for name in self.names if name not in body)
        return "\n".join(filter(None, (body, f"identifiers: {beside}" if beside else "")))

    def message(self) -> Message:
        """As the user message that stands in a view."""
        return user_message("summary", self.text(), self.sources)

    def plain(self) -> dict[str, Any]:
        """As JSON holds it; `restored` reads it."""
        rows = [[[e.text, list(e.sources), e.subtask, list(e.kept)] for e in level] for level in self.entries]
        place = [self.place.subtask, self.place.turns, self.place.announced]
        return {"levels": list(self.levels), "entries": rows, "names": list(self.names), "place": place}


def blank(levels: Sequence[Level]) -> Layers:
    return Layers(tuple(levels), ((),) * len(levels))


def restored(plain: Mapping[str, Any]) -> Layers:
    rows = ((Entry(t, tuple(ids), n, tuple(kept)) for t, ids, n, kept in level) for level in plain["entries"])
    return Layers(tuple(plain["levels"]), tuple(map(tuple, rows)), tuple(plain["names"]), Place(*plain["place"]))


def frame(levels: Sequence[Level], size: Size) -> int:
    """Tokens of the headings."""
    return sum(size(HEADS[level] + "\n") for level in levels) + size("\nidentifiers: ")


def least(levels: Sequence[Level], size: Size) -> int:
    """Tokens without which a summary of these levels says nothing."""
    return frame(levels, size) + LEAST * sum(SHARES[level] for level in levels)


def fold(former: Layers, pieces: Sequence[Piece], room: int, names: int, compactor: Compactor) -> Stage[Layers]:
    """The former summary with the pieces in it, of at most `room` tokens, `names` of them for identifiers."""
    size = compactor.size
    room -= names + frame(former.levels, size)
    shares = [SHARES[level] for level in former.levels]
    rooms = [room * share // sum(shares) for share in shares]
    entries = [list(level) for level in former.entries]
    raw = [Entry(piece.text, piece.sources, piece.subtask) for piece in pieces]
    last = len(rooms) - 1
    if last == 0:
        entries[0] = yield from whole(former.levels[0], [*entries[0], *raw], rooms[0], compactor)
    else:
        total = sum(size(entry.text) for entry in raw)
        free = max(rooms[0], room - _tokens(entries, size)) - len(raw)  # what coarser levels leave, but for line ends
        fair = [max(LEAST, free * size(entry.text) // max(total, 1)) for entry in raw]
        asks = [ask_of(former.levels[0], [e], own, former.text()) for e, own in zip(raw, fair, strict=True)]
        texts = yield from compactor.shorten(asks)
        entries[0] += [replace(entry, text=text) for entry, text in zip(raw, texts, strict=True)]
    for n in range(last):
        while _tokens(entries[n : n + 1], size) > rooms[n] and _tokens(entries, size) > room:
            group = _oldest(entries[n], _tokens(entries[n : n + 1], size) - rooms[n], size)
            del entries[n][: len(group)]
            if n + 1 == last:
                entries[last] = yield from whole(former.levels[last], [*entries[last], *group], rooms[last], compactor)
                continue
            if entries[n + 1] and entries[n + 1][-1].subtask == group[0].subtask:
                group.insert(0, entries[n + 1].pop())
            held, excess = _tokens([group], size), _tokens(entries, size) + _tokens([group], size) - room
            most = max(held // 2, min(3 * held // 4, held - excess))  # no shorter than need be
            entries[n + 1] += yield from whole(former.levels[n + 1], group, min(most, rooms[n + 1]), compactor)
    listed = named(former.names, [piece.text for piece in pieces], names, size)
    return replace(former, entries=tuple(map(tuple, entries)), names=listed)


def named(former: Sequence[str], texts: Sequence[str], room: int, size: Size) -> tuple[str, ...]:
    """The identifiers of the former list and of the texts that were named last, as many as the room holds."""
    if room <= 0:
        return ()
    known = dict.fromkeys(former)
    for string in (string for text in texts for string in identifiers(text)):
        known.pop(string, None)
        known[string] = None
    return newest_within(list(known), room, size)


def _tokens(levels: Sequence[Sequence[Entry]], size: Size) -> int:
    return sum(size(entry.text + "\n") for level in levels for entry in level)


def _oldest(entries: Sequence[Entry], tokens: int, size: Size) -> list[Entry]:
    """The first entries of one subtask, as far as they are needed to hold so many tokens."""
    group = [entries[0]]
    for entry in entries[1:]:
        if entry.subtask != entries[0].subtask or _tokens([group], size) >= tokens:
            break
        group.append(entry)
    return group


def whole(level: Level, group: Sequence[Entry], room: int, compactor: Compactor) -> Stage[list[Entry]]:
    """One entry in place of several."""
    ask = ask_of(level, group, room)
    text = (yield from compactor.shorten([ask]))[0]
    return [Entry(text, ask.sources, group[-1].subtask)]


def ask_of(level: Level, group: Sequence[Entry], room: int, known: str = "") -> Ask:
    """To tell several entries as one. known: what the summary says already."""
    texts = "\n".join(entry.text for entry in group if entry.text)
    return Ask(level, texts, room, tuple(name for entry in group for name in entry.sources), known)


def blocking(stage: Stage[T], ask_all: Callable[[Sequence[Request]], Sequence[Reply]]) -> T:
    """Run a stage while the agent waits."""
    try:
        requests = next(stage)
        while True:
            requests = stage.send(ask_all(requests))
    except StopIteration as end:
        result: T = end.value
        return result
