"""Success rates: exact intervals, and what missing instances could change."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.stats import beta

from harness.stats import Estimate, Values, scored


@dataclass(frozen=True, slots=True)
class Rate:
    """A success rate read three ways. conditional: over the scored instances. strict: a missing one counts as failed.
    best: a missing one counts as met. Both intervals are exact binomial.
    """

    met: int
    conditional: Estimate
    strict: Estimate
    best: float | None


def rate(values: Values, level: float = 0.95) -> Rate:
    """Success rate of one 0 or 1 an instance, NaN = missing. Raises ValueError for another value: that is a mean."""
    kept = scored(values)
    if wrong := [value for value in kept.tolist() if value not in (0.0, 1.0)]:
        raise ValueError(f"value {wrong[0]} is neither 0 nor 1: use mean() for scores in between")
    met, planned = int(kept.sum()), len(values)
    return Rate(
        met,
        _exact(met, len(kept), planned, level, "exact binomial"),
        _exact(met, planned, planned, level, "exact binomial, missing counted as failed"),
        (met + planned - len(kept)) / planned if planned else None,
    )


def _exact(met: int, n: int, planned: int, level: float, method: str) -> Estimate:
    if n == 0:
        return Estimate(None, None, None, planned, 0, "no scored instance")
    low, high = clopper_pearson(met, n, level)
    return Estimate(met / n, low, high, planned, n, method)


def clopper_pearson(met: int, n: int, level: float = 0.95) -> tuple[float, float]:
    """Exact interval of a binomial rate (Clopper and Pearson, 1934). Raises ValueError unless 0 <= met <= n, n >= 1."""
    if not (0 <= met <= n and n > 0):
        raise ValueError(f"{met} successes of {n}: give 0 <= successes <= n with n at least 1")
    tail = (1 - level) / 2
    low = float(beta.ppf(tail, met, n - met + 1)) if met else 0.0
    high = float(beta.ppf(1 - tail, met + 1, n - met)) if met < n else 1.0
    return low, high


def with_missing(values: Values, lowest: float = 0.0, highest: float = 1.0) -> tuple[float, float] | None:
    """The mean over all planned instances if every missing one had scored `lowest`, and if `highest`.

    None where nothing was planned. With lowest = 0 the first is the strict mean.
    """
    if not len(values):
        return None
    array = np.asarray(values, dtype=float)
    gone = np.isnan(array)
    return float(np.where(gone, lowest, array).mean()), float(np.where(gone, highest, array).mean())
