"""The money of a recorded episode, always as a pair: with the fitted cache, and with ideal prefix matching.

Columns, in US dollars: `money` (cache as fitted), `money_ideal` (every token of the longest prefix ever sent before is
read from the cache; a lower bound), `money_reported` (from the provider's own counts; missing where a call has none).
`cached_expected`: tokens of the agent's own input that the fitted cache serves. What changes of the view cost and saved
goes into the ledger (payback.py).
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from harness.cost import payback
from harness.cost.bill import dollars, reported
from harness.cost.cache import Cached, Endpoint
from harness.cost.payback import OWN, Call
from harness.cost.prices import Prices, Tariff
from harness.cost.sent import Sent, sent
from harness.measures import Measured
from harness.record import Record

Row = dict[str, Any]
COLUMNS = ("money", "money_ideal", "money_reported", "cached_expected")


@dataclass(frozen=True, slots=True)
class Money:
    """Dollars and tokens of some calls; reported is None where a provider's count is missing."""

    fitted: float = 0.0
    ideal: float = 0.0
    reported: float | None = 0.0
    cached: float = 0.0

    def __add__(self, other: Money) -> Money:
        known = self.reported is not None and other.reported is not None
        both = (self.reported or 0.0) + (other.reported or 0.0) if known else None
        return Money(self.fitted + other.fitted, self.ideal + other.ideal, both, self.cached + other.cached)

    def row(self) -> Row:
        return dict(zip(COLUMNS, (self.fitted, self.ideal, self.reported, self.cached), strict=True))


@dataclass(frozen=True, slots=True)
class Priced:
    """A request, its money, and how many requests before began with each of its pieces."""

    sent: Sent
    money: Money
    counts: Sequence[int]


def priced(requests: Iterable[Sent], tariff: Tariff) -> Iterator[Priced]:
    """In their order. A model with a list of its own has an endpoint of its own too. Raises ValueError for a tariff
    without prices."""
    prices = _agents(tariff)
    agent = Endpoint(prices.cache), prices
    compactor = agent if tariff.compactor is None else (Endpoint(tariff.compactor.cache), tariff.compactor)
    better = compactor if tariff.better is None else (Endpoint(tariff.better.cache), tariff.better)
    for request in requests:
        endpoint, own = (better if request.better else compactor) if request.asked else agent
        cached = endpoint.send(request.pieces, request.at)
        yield Priced(request, _money(request, cached, own), cached.counts)


def by_turn(requests: Iterable[Sent], tariff: Tariff) -> dict[int, Money]:
    """Money of each turn, the compactor's calls before it included."""
    return _by_turn(priced(requests, tariff))


def add(record: Record, tariff: Tariff, measured: Measured, same: bool) -> None:
    """Put money into the rows of one episode: COLUMNS into those of the turns (the compactor's calls before a turn
    included), the checkpoints and the outcome, and what payback.py says into the ledger's. same: see there."""
    every = list(priced(sent(record), tariff))
    found, own = _by_turn(every), _by_turn(one for one in every if one.sent.asked)
    numbers, sums = [], [Money()]
    for turn in record.turns:
        numbers.append(turn.n)
        sums.append(sums[-1] + found[turn.n])
    for row in measured.turns:
        row |= found[row["turn"]].row()
    for row in measured.checkpoints:
        row |= sums[bisect_right(numbers, row["turn"]) if row["reached"] else len(numbers)].row()
    acted = {turn.n: turn.acted > 0 for turn in record.turns}
    calls = [_call(one, own.get(one.sent.turn, Money()), acted[one.sent.turn]) for one in every if not one.sent.asked]
    spent = sum(own.values(), Money())
    measured.outcome |= sum(found.values(), Money()).row() | dict(zip(OWN, (spent.fitted, spent.ideal), strict=True))
    measured.outcome |= payback.add(calls, measured.ledger, _agents(tariff), same)


def _by_turn(every: Iterable[Priced]) -> dict[int, Money]:
    found: dict[int, Money] = {}
    for one in every:
        found[one.sent.turn] = found.get(one.sent.turn, Money()) + one.money
    return found


def _call(one: Priced, own: Money, acted: bool) -> Call:
    paid = one.money.fitted, one.money.ideal
    request = one.sent
    return Call(
        request.turn, request.segment, request.pieces, one.counts, request.fresh, request.output, paid,
        (own.fitted, own.ideal), acted,
    )  # fmt: skip


def _agents(tariff: Tariff) -> Prices:
    if tariff.agent is None:
        raise ValueError("prices: there is no price list; set prices=NAME of conf/prices")
    return tariff.agent


def _money(request: Sent, cached: Cached, prices: Prices) -> Money:
    tokens = request.input
    return Money(
        dollars(prices, tokens, cached.expected, request.output),
        dollars(prices, tokens, cached.ideal, request.output),
        _reported(request, prices),
        0.0 if request.asked else cached.expected,
    )


def _reported(request: Sent, prices: Prices) -> float | None:
    usage = request.usage
    if usage.input is None or usage.cache_read is None or usage.output is None:
        return None
    if usage.cache_write is None and prices.cache_write is not None:
        return None
    return reported(prices, usage.input, usage.cache_read, usage.cache_write or 0, usage.output)
