"""The ledger: a row for each event of a strategy, and what its turn did to the view and to the prefix behind it.

What belongs to a turn as a whole stands in one of its rows, the first that covers something, else the first; so sums
over rows are sums over turns. Columns and units: docs/measures.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from harness.ranges import Packed, unpack
from harness.record import Ask, Record, TurnRow
from harness.walk import Walk

Row = dict[str, Any]
TOTALS = ("changes", "prefix_lost", "rewritten")


@dataclass(slots=True)
class _Last:
    """The last request of a history: tokens of its messages, messages told by then, the row of its newest change."""

    tokens: int
    length: int
    change: Row | None = None


@dataclass(frozen=True, slots=True)
class _Own:
    """What the strategy's own model took since the last row: tokens, seconds of its calls, seconds that the agent
    waited; seconds are None without a simulated clock."""

    asked: int = 0
    seconds: float | None = 0.0
    stall: float | None = 0.0

    def plus(self, turn: TurnRow, asks: Sequence[Ask]) -> _Own:
        took = [self.seconds, *(ask.seconds for ask in asks)]
        waited = [self.stall, None if turn.time is None else turn.time[0]]
        return _Own(self.asked + turn.asked, _sum(took), _sum(waited))


@dataclass(slots=True)
class Ledger:
    """`take` every turn in order, then read `rows`."""

    record: Record
    rows: list[Row] = field(default_factory=list)
    _last: dict[int, _Last] = field(default_factory=dict)  # by history
    _versions: int = 0
    _own: _Own = _Own()
    _asks: dict[int, list[Ask]] = field(default_factory=dict)  # by turn

    def __post_init__(self) -> None:
        for ask in self.record.asks:
            self._asks.setdefault(ask.turn, []).append(ask)

    def take(self, turn: TurnRow, walk: Walk) -> None:
        """walk: standing at this turn."""
        sizes = self.record.segments[turn.segment].tokens
        last = self._last.get(turn.segment)
        rows = [self._event(turn, kind, trigger, sources, sizes) for kind, trigger, sources in turn.noted]
        self.rows += rows
        change = last.change if last is not None else None
        changes = [row for row in rows if row["messages"]]
        self._own = self._own.plus(turn, self._asks.get(turn.n, ()))
        if rows:
            (changes or rows)[0].update(asdict(self._own))
            self._own = _Own()
        if last is not None:
            if changes:
                self._versions += 1
                change = changes[0]
                change |= {"version": self._versions, "rewritten": 0}
                change |= self._size(turn, walk, last, sizes)
            if change is not None:
                change["rewritten"] += self._rewritten(turn, walk, last, sizes)
        self._last[turn.segment] = _Last(turn.tokens, turn.length, change)

    def totals(self) -> Row:
        """Of the episode: turns whose events changed the view, and sums."""
        known = [row for row in self.rows if row["version"] is not None]
        return {"changes": len(known), **{name: sum(row[name] for row in known) for name in TOTALS[1:]}}

    def _event(self, turn: TurnRow, kind: str, trigger: str, sources: Packed, sizes: Sequence[int]) -> Row:
        covered = unpack(sources)
        tokens = [sizes[int(i[1:])] for i in covered if i[1:].isdecimal() and int(i[1:]) < len(sizes)]
        row: Row = {"instance": self.record.instance, "turn": turn.n, "step": turn.step, "event": kind}
        row |= {"trigger": trigger, "messages": len(covered), "tokens": sum(tokens)}
        names = ("version", "before", "after", "dropped", "asked", "seconds", "stall", "prefix_lost", "rewritten")
        return row | dict.fromkeys(names)

    def _size(self, turn: TurnRow, walk: Walk, last: _Last, sizes: Sequence[int]) -> Row:
        return {
            "before": last.tokens + sum(sizes[last.length : turn.length]),
            "after": turn.tokens,
            "dropped": len(walk.change.removed),
            "prefix_lost": last.tokens - walk.kept,
        }

    def _rewritten(self, turn: TurnRow, walk: Walk, last: _Last, sizes: Sequence[int]) -> int:
        """Tokens behind the prefix of the last request that were not told since: text that is sent anew."""
        fresh = sum(sizes[place] for place in walk.change.added if place >= last.length)
        return turn.tokens - walk.kept - fresh


def _sum(numbers: Sequence[float | None]) -> float | None:
    known = [number for number in numbers if number is not None]
    return sum(known) if len(known) == len(numbers) else None
