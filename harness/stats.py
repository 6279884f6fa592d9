"""Means over instances, with their intervals. Missing (NaN) is counted, never averaged over in silence.

The unit is the instance: average repeats with `per_instance` first. Under FEWEST scored instances there is no interval,
except the exact one of a rate (`harness.rates`); the raw values are handed on instead.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.stats import t

FEWEST = 8
Method = Literal["t", "bootstrap"]
Floats = NDArray[np.float64]
Values = Sequence[float] | Floats


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean over the scored ones of `planned` instances; low and high are None where no interval can be given.

    method: how the interval was found, or why there is none. raw: the scored values, listed when they are too few.
    """

    mean: float | None
    low: float | None
    high: float | None
    planned: int
    scored: int
    method: str
    raw: tuple[float, ...] = ()

    @property
    def missing(self) -> int:
        return self.planned - self.scored

    @property
    def coverage(self) -> float | None:
        """scored ÷ planned; None where nothing was planned."""
        return self.scored / self.planned if self.planned else None


@dataclass(frozen=True, slots=True)
class Repeats:
    """The repeats of one instance: their mean over the scored ones (NaN for none), and how many there were."""

    instance: Hashable
    mean: float
    planned: int
    scored: int


def per_instance(values: Values, instances: Sequence[Hashable]) -> tuple[Repeats, ...]:
    """Repeats averaged within their instance, in order of first appearance. values[i] belongs to instances[i]."""
    groups: dict[Hashable, list[float]] = {}
    for value, instance in zip(values, instances, strict=True):
        groups.setdefault(instance, []).append(value)
    return tuple(
        Repeats(instance, float(kept.mean()) if len(kept := scored(group)) else math.nan, len(group), len(kept))
        for instance, group in groups.items()
    )


def mean(values: Values, level: float = 0.95, method: Method = "t", seed: int = 0, draws: int = 4000) -> Estimate:
    """Mean of one value an instance. Interval by Student's t, or by a studentised bootstrap of `draws` resamples
    (Efron and Tibshirani, An Introduction to the Bootstrap, 1993, ch. 12). None also where all values are equal:
    without spread there is nothing to judge it by.
    """
    kept = scored(values)
    if len(kept) == 0:
        return Estimate(None, None, None, len(values), 0, "no scored instance")
    centre = float(kept.mean())
    if len(kept) < FEWEST:
        why = f"no interval under n = {FEWEST}"
        return Estimate(centre, None, None, len(values), len(kept), why, tuple(kept.tolist()))
    if np.ptp(kept) <= 1e-12 * float(np.abs(kept).max()):  # equal but for rounding
        return Estimate(centre, None, None, len(values), len(kept), "no interval: all values are equal")
    error = float(kept.std(ddof=1)) / math.sqrt(len(kept))
    tail = (1 - level) / 2
    if method == "t":
        reach = float(t.ppf(1 - tail, len(kept) - 1)) * error
        return Estimate(centre, centre - reach, centre + reach, len(values), len(kept), "t")
    if method != "bootstrap":
        raise ValueError(f"method={method!r}: choose 't' or 'bootstrap'")
    picks = kept[np.random.default_rng(seed).integers(0, len(kept), (draws, len(kept)))]
    low, high = studentised(centre, error, picks.mean(1), picks.std(1, ddof=1) / math.sqrt(len(kept)), level)
    how = "studentised bootstrap" if low is not None else "no interval: too many resamples have no spread"
    return Estimate(centre, low, high, len(values), len(kept), how)


def studentised(
    centre: float, error: float, centres: Floats, errors: Floats, level: float
) -> tuple[float | None, float | None]:
    """Interval from resampled centres and their standard errors, each of shape (draws,); (None, None) when so many
    resamples have no spread that a limit is infinite.
    """
    tail = (1 - level) / 2
    away = centres - centre
    ratio = np.divide(away, errors, out=np.where(away == 0, 0.0, np.copysign(np.inf, away)), where=errors > 0)
    low, high = np.quantile(ratio, tail, method="lower"), np.quantile(ratio, 1 - tail, method="higher")
    if not (np.isfinite(low) and np.isfinite(high)):
        return None, None
    return centre - float(high) * error, centre - float(low) * error


def scored(values: Values) -> Floats:
    """The values that are not missing. Raises ValueError for an infinite one."""
    array: Floats = np.asarray(values, dtype=np.float64)
    if np.isinf(array).any():
        raise ValueError("a value is infinite: mark what was not measured as NaN")
    kept: Floats = array[~np.isnan(array)]
    return kept
