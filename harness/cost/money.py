"""The money of a recorded episode, always as a pair: with the fitted cache, and with ideal prefix matching.

Columns, in US dollars: `money` (cache as fitted), `money_ideal` (every token of the longest prefix ever sent before is
read from the cache; a lower bound), `money_reported` (from the provider's own counts; missing where a call has none).
`cached_expected`: tokens of the agent's own input that the fitted cache serves.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from harness.cost.bill import dollars, reported
from harness.cost.cache import Endpoint
from harness.cost.prices import Prices, Tariff
from harness.cost.sent import Sent, sent
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


def by_turn(requests: Iterable[Sent], tariff: Tariff) -> dict[int, Money]:
    """Money of each turn, the compactor's calls before it included. A compactor with a list of its own has an endpoint
    of its own too. Raises ValueError for a tariff without prices."""
    prices, compactor = tariff.agent, tariff.compactor
    if prices is None:
        raise ValueError("prices: there is no price list; set prices=NAME of conf/prices")
    agent = Endpoint(prices.cache)
    other = agent if compactor is None else Endpoint(compactor.cache)
    found: dict[int, Money] = {}
    for request in requests:
        endpoint, own = (other, compactor or prices) if request.asked else (agent, prices)
        found[request.turn] = found.get(request.turn, Money()) + _money(request, endpoint, own)
    return found


def add(record: Record, tariff: Tariff, outcome: Row, checkpoints: Iterable[Row], turns: Iterable[Row]) -> None:
    """Put COLUMNS into the rows of one episode: of the turn, by the checkpoint, of the whole episode."""
    found = by_turn(sent(record), tariff)
    numbers, sums = [], [Money()]
    for turn in record.turns:
        numbers.append(turn.n)
        sums.append(sums[-1] + found[turn.n])
    for row in turns:
        row |= found[row["turn"]].row()
    for row in checkpoints:
        row |= sums[bisect_right(numbers, row["turn"]) if row["reached"] else len(numbers)].row()
    outcome |= sum(found.values(), Money()).row()


def _money(request: Sent, endpoint: Endpoint, prices: Prices) -> Money:
    tokens = request.input
    cached = endpoint.send(request.pieces, request.at)
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
