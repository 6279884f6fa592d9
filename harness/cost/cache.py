"""How many input tokens a provider's cache is expected to serve, call by call.

The model: a request reaches the usual server with probability 1 - stray, and each of the other `servers` with stray /
servers; every server keeps the prefixes that it was sent itself. A block that c earlier requests began with is then on
the server that is reached with probability

    h(c) = (1 - miss) · Σ over servers s of p_s · (1 - (1 - p_s)^c)

and the expected cached tokens of a request are block · Σ h(c_b) over its whole blocks b. Nothing is drawn: the
expectation is exact, also where requests return to an older prefix.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from harness.cost.prefix import Piece, Prefixes
from harness.cost.prices import Cache


@dataclass(frozen=True, slots=True)
class Cached:
    """Tokens of one request: read from the cache as the model expects, and at best (longest prefix ever sent). counts:
    for each piece, how many remembered requests began like this one up to there."""

    expected: float
    ideal: int
    counts: Sequence[int]


def hit(cache: Cache, times: int) -> float:
    """Probability that a block is served which `times` remembered requests began with."""
    if times == 0:
        return 0.0
    home, other = 1 - cache.stray, cache.stray / cache.servers
    found = home * (1 - (1 - home) ** times) + cache.stray * (1 - (1 - other) ** times)
    return (1 - cache.miss) * found


def blocks(cache: Cache, pieces: Sequence[Piece], counts: Sequence[int]) -> dict[int, int]:
    """Tokens in whole blocks by the number of requests that began with them. A block counts where all of it was sent
    before; those under the minimum are served only together with the one that reaches it."""
    first = -(-cache.minimum // cache.block)  # blocks that a prefix must have
    found: dict[int, int] = {}
    end = 0
    for (_, tokens), count in zip(pieces, counts, strict=True):
        if count == 0:
            break
        before, end = end // cache.block, end + tokens
        ends = end // cache.block
        fresh = ends - before if before >= first else ends if ends >= first else 0
        if fresh:
            found[count] = found.get(count, 0) + fresh * cache.block
    return found


class Endpoint:
    """One provider's endpoint: hand it every request in order, the compactor's too where it is asked there."""

    def __init__(self, cache: Cache) -> None:
        self._cache = cache
        self._prefixes = Prefixes(cache.lifetime, cache.calls)
        self._hits: dict[int, float] = {}

    def send(self, pieces: Sequence[Piece], at: float | None = None) -> Cached:
        counts, ideal = self._prefixes.send(pieces, at)
        total = 0.0
        for count, tokens in blocks(self._cache, pieces, counts).items():
            if count not in self._hits:
                self._hits[count] = hit(self._cache, count)
            total += tokens * self._hits[count]
        return Cached(total, ideal, counts)


def cached(cache: Cache, requests: Iterable[tuple[Sequence[Piece], float | None]]) -> list[Cached]:
    """The same for a whole sequence of (pieces, seconds)."""
    endpoint = Endpoint(cache)
    return [endpoint.send(pieces, at) for pieces, at in requests]
