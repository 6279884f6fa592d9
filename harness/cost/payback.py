"""What each change of the view cost and saved, against going on without it.

The counterfactual of a change: the agent goes on with the view as it stood before, and all that it was really told and
said is appended, until the strategy's next change or the episode's end. It may exceed the budget; it is a price, not a
plan. It says something only where the same history follows whatever the view holds, so elsewhere it is missing.

Columns of the ledger, US dollars, fitted and ideal: `own_money`, `own_money_ideal`: the strategy's own calls since the
row before; `net_money`, `net_money_ideal`: what the change saved until the next one, less the strategy's own calls
since the last; `pays_after`, `pays_after_ideal`: agent calls until it had paid for itself, missing where it did not.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from harness.cost.bill import dollars
from harness.cost.cache import blocks, hit
from harness.cost.prefix import Piece
from harness.cost.prices import Prices

Row = dict[str, Any]
Pair = tuple[float, float]  # dollars: fitted, ideal
OWN = ("own_money", "own_money_ideal")
NET, PAYS = ("net_money", "net_money_ideal"), ("pays_after", "pays_after_ideal")
PAID = ("paid_back", "paid_back_ideal")


@dataclass(frozen=True, slots=True)
class Call:
    """A call of the agent. counts: requests that began with each piece before. fresh: pieces told since the last call
    of its history. own: dollars of the strategy's calls before it. acted: whether it took a step."""

    turn: int
    segment: int
    pieces: Sequence[Piece]
    counts: Sequence[int]
    fresh: Sequence[Piece]
    output: int
    paid: Pair
    own: Pair
    acted: bool


@dataclass(slots=True)
class _Open:
    """A change under way: the request that there would have been, and the balance so far."""

    row: Row
    pieces: list[Piece]
    counts: list[int]
    own: Pair
    saved: list[float] = field(default_factory=lambda: [0.0, 0.0])
    calls: int = 0


def add(calls: Sequence[Call], rows: Sequence[Row], prices: Prices, same: bool) -> Row:
    """Fill OWN, NET and PAYS into the ledger's rows; returns of the episode's changes, over those that are known, the
    means of NET and PAID, None where none is.

    same: whether the history would have been the same without a change.
    """
    for row in rows:
        row |= dict.fromkeys((*OWN, *NET, *PAYS))
    _own(calls, rows)
    changes = {row["turn"]: row for row in rows if row["version"] is not None}
    if same:
        _fill(calls, changes, prices)
    known = [row for row in changes.values() if row[NET[0]] is not None]
    net = {name: sum(row[name] for row in known) / len(known) if known else None for name in NET}
    paid = {name: sum(row[after] is not None for row in known) for name, after in zip(PAID, PAYS, strict=True)}
    return net | {name: count / len(known) if known else None for name, count in paid.items()}


def _own(calls: Sequence[Call], rows: Sequence[Row]) -> None:
    """Into the row of a turn that says what was asked."""
    asking = {row["turn"]: row for row in rows if row["asked"] is not None}
    spent = [0.0, 0.0]
    for call in calls:
        spent = [spent[0] + call.own[0], spent[1] + call.own[1]]
        if call.turn in asking:
            asking[call.turn] |= dict(zip(OWN, spent, strict=True))
            spent = [0.0, 0.0]


def _fill(calls: Sequence[Call], changes: Mapping[int, Row], prices: Prices) -> None:
    last: dict[int, Call] = {}
    under_way: dict[int, _Open] = {}
    own = [0.0, 0.0]  # of the strategy's calls since the last change
    for call in calls:
        own = [own[0] + call.own[0], own[1] + call.own[1]]
        before = last.get(call.segment)
        if before is not None and call.turn in changes:
            row = changes[call.turn]
            counts = [count + 1 for count in before.counts]
            under_way[call.segment] = _Open(row, list(before.pieces), counts, (own[0], own[1]))
            own = [0.0, 0.0]
        current = under_way.get(call.segment)
        if current is not None:
            if call.acted:
                _go_on(current, call, prices)
            else:  # the strategy's tools were used: without the change they would not have been
                current.row |= dict.fromkeys((*NET, *PAYS))
                del under_way[call.segment]
        last[call.segment] = call


def _go_on(current: _Open, call: Call, prices: Prices) -> None:
    known = sum(tokens for _, tokens in current.pieces)
    current.pieces += call.fresh
    current.counts += [0] * len(call.fresh)
    total = sum(tokens for _, tokens in current.pieces)
    served = blocks(prices.cache, current.pieces, current.counts)
    read = sum(tokens * hit(prices.cache, count) for count, tokens in served.items())
    current.counts = [count + 1 for count in current.counts]
    current.calls += 1
    for place, cached in enumerate((read, known)):
        current.saved[place] += dollars(prices, total, cached, call.output) - call.paid[place]
        net = current.saved[place] - current.own[place]
        current.row[NET[place]] = net
        if net >= 0 and current.row[PAYS[place]] is None:
            current.row[PAYS[place]] = current.calls
