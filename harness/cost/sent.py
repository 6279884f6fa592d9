"""The requests of a recorded episode, the agent's and the compactor's, in the order in which they were sent."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from harness.codec import fingerprint
from harness.contract import Usage
from harness.cost.prefix import Piece
from harness.history import index_of
from harness.ranges import unpack
from harness.record import Ask, Record


@dataclass(frozen=True, slots=True)
class Sent:
    """One request. turn: the agent's call that it is, or comes before. at: simulated seconds since the episode began,
    None without a clock. usage: as the provider reported it. Of the agent's: history, fresh (what was told and said in
    it since its last request, shown or not). better: of the compactor's, whether it went to the better one."""

    turn: int
    asked: bool
    pieces: tuple[Piece, ...]
    output: int
    at: float | None
    usage: Usage
    segment: int = 0
    fresh: tuple[Piece, ...] = ()
    better: bool = False

    @property
    def input(self) -> int:
        return sum(tokens for _, tokens in self.pieces)


def sent(record: Record) -> Iterator[Sent]:
    """Raises ValueError for a record without the compactor's requests (of an earlier version)."""
    keys: list[list[str]] = [[] for _ in record.segments]
    made: list[dict[str, Piece]] = [{} for _ in record.segments]
    asks: dict[int, list[Ask]] = {}
    for ask in record.asks:
        asks.setdefault(ask.turn, []).append(ask)
    at, last, timed = 0.0, 0, any(turn.time is not None for turn in record.turns)
    for turn in record.turns:
        clock = at if timed else None
        for ask in asks.get(turn.n, ()):
            yield _asked(record, ask, clock)
        last = turn.n
        segment, own = record.segments[turn.segment], keys[turn.segment]
        known = len(own)
        own += (fingerprint(message) for message in segment.messages[known : turn.length])
        fresh = tuple(zip(own[known:], segment.tokens[known : turn.length], strict=True))
        for message, tokens in zip(turn.made, turn.made_tokens, strict=True):
            made[turn.segment][message.id] = fingerprint(message), tokens
        pieces = [(f"tools of {segment.agent}", turn.overhead)]
        for name in unpack(turn.view):
            place = index_of(name)
            pieces.append(made[turn.segment][name] if place is None else (own[place], segment.tokens[place]))
        if turn.time is not None:
            clock = at + turn.time[0]
            at += sum(turn.time) + turn.seconds
        yield Sent(turn.n, False, tuple(pieces), turn.output, clock, turn.usage, turn.segment, fresh)
    for ask in asks.get(last + 1, ()):  # the episode ended before the agent's next call
        yield _asked(record, ask, at if timed else None)


def _asked(record: Record, ask: Ask, at: float | None) -> Sent:
    if ask.pieces is None or ask.output is None:
        raise ValueError(f"{record.instance}: the record does not hold what the compactor was sent: run the cell again")
    return Sent(ask.turn, True, ask.pieces, ask.output, at, ask.usage, better=ask.better)
