"""The cache that explains a provider's reported cached tokens best, by least squares of the share of each call.

A call's expectation is a weighted sum of h(c) over the tokens that c earlier requests began with, so a run enters only
through its tokens by count, and all routes of a shape are tried in one matrix product. The miss rate has a closed form:
it scales every expectation alike.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from harness.cost.cache import blocks, hit
from harness.cost.prefix import Prefixes
from harness.cost.prices import Cache
from harness.cost.usage_log import Run

Array = NDArray[np.float64]
Shape = tuple[int, int]  # block, minimum: tokens
COARSE = (1, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096)  # tokens; around the best of them the grid is finer
FINER = 3  # coarse blocks around which the grid is finer
FINE = [0.96 + 0.005 * step for step in range(17)]  # of a coarse block
MINIMUM = (0, 1024, 2048, 4096)  # tokens; a prefix has at least the next whole block
STRAY = [0.025 * step for step in range(21)]
SERVERS = (1, 2, 3, 4, 8)
ROUTES = [Cache(), *(Cache(stray=stray, servers=servers) for stray in STRAY[1:] for servers in SERVERS)]


@dataclass(frozen=True, slots=True)
class Sums:
    """[run, route]: Σ p² and Σ p·y over a run's calls; p: expected share without misses, y: reported share."""

    pp: Array
    py: Array


class Grid:
    """Sums by shape, each computed once."""

    def __init__(self, runs: Sequence[Run]) -> None:
        self.runs = runs
        self._counts = [_counts(run, Cache()) for run in runs]
        self._known: dict[Shape, Sums] = {}
        width = max(len(run.calls) for run in runs) + 1
        self._hits = np.array([[hit(route, count) for route in ROUTES] for count in range(width)])
        self._yy = np.array([float(y @ y) for y in map(shares, runs)])

    def best(self, without: int | None = None) -> Cache:
        """The least squared error over all runs, or over all but one, which then has no say in it."""
        kept = np.array([number != without for number in range(len(self.runs))])
        rough = [self._least([(block, m) for m in MINIMUM if not 0 < m <= block], kept) for block in COARSE]
        rough.sort(key=lambda one: one[0])
        fine = {(max(1, round(fit.block * share)), fit.minimum) for _, fit in rough[:FINER] for share in FINE}
        return self._least(sorted(fine), kept)[1]

    def _least(self, shapes: Sequence[Shape], kept: NDArray[np.bool_]) -> tuple[float, Cache]:
        found: tuple[float, Cache] | None = None
        for block, minimum in shapes:
            sums = self._sums((block, minimum))
            pp, py = sums.pp[kept].sum(axis=0), sums.py[kept].sum(axis=0)
            served = np.clip(np.divide(py, pp, out=np.ones_like(pp), where=pp > 0), 0, 1)
            errors = self._yy[kept].sum() - 2 * served * py + served**2 * pp
            route = int(errors.argmin())
            if found is None or errors[route] < found[0]:
                cache = replace(ROUTES[route], block=block, minimum=minimum, miss=round(1 - float(served[route]), 4))
                found = float(errors[route]), cache
        assert found is not None
        return found

    def _sums(self, shape: Shape) -> Sums:
        if shape not in self._known:
            rows = []
            for run, counts in zip(self.runs, self._counts, strict=True):
                tokens = by_count(Cache(*shape), run, counts)
                met = np.flatnonzero(tokens.any(axis=0))
                p = tokens[:, met] @ self._hits[met] / inputs(run)[:, None]
                rows.append(((p * p).sum(axis=0), p.T @ shares(run)))
            self._known[shape] = Sums(np.array([pp for pp, _ in rows]), np.array([py for _, py in rows]))
        return self._known[shape]


def expected(cache: Cache, run: Run) -> Array:
    """Cached tokens of each call."""
    tokens = by_count(cache, run, _counts(run, cache))
    return np.asarray(tokens @ np.array([hit(cache, count) for count in range(tokens.shape[1])]))


def inputs(run: Run) -> Array:
    return np.array([call.input for call in run.calls], float)


def shares(run: Run) -> Array:
    return np.array([call.cached for call in run.calls]) / inputs(run)


def by_count(cache: Cache, run: Run, counts: Sequence[Sequence[int]]) -> Array:
    """[call, c]: tokens in whole blocks that c remembered requests began with."""
    rows = np.zeros((len(run.calls), len(run.calls) + 1))
    for number, (pieces, own) in enumerate(zip(run.pieces, counts, strict=True)):
        for count, tokens in blocks(cache, pieces, own).items():
            rows[number, count] = tokens
    return rows


def lifetime(cache: Cache, runs: Sequence[Run]) -> tuple[float | None, float]:
    """The lifetime in seconds that lowers the error of an otherwise fitted cache, None where none does; and the longest
    pause after which something was read: below it no lifetime can lie."""
    gaps = [
        (new.at - old.at, new.cached > 0)
        for run in runs
        for old, new in zip(run.calls, run.calls[1:], strict=False)
        if new.at is not None and old.at is not None
    ]
    survived = max((gap for gap, read in gaps if read), default=0.0)
    tried = sorted({gap for gap, _ in gaps if gap >= survived})
    errors = {one: _squares(replace(cache, lifetime=one), runs) for one in (None, *tried)}
    return min(errors, key=lambda one: errors[one]), survived


def _counts(run: Run, cache: Cache) -> list[list[int]]:
    prefixes = Prefixes(cache.lifetime, cache.calls)
    return [prefixes.send(pieces, call.at)[0] for call, pieces in zip(run.calls, run.pieces, strict=True)]


def _squares(cache: Cache, runs: Sequence[Run]) -> float:
    return sum(float(((expected(cache, run) / inputs(run) - shares(run)) ** 2).sum()) for run in runs)
