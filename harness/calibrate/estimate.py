"""From readings to dials, each with an interval."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq

from harness.calibrate.probes import Reading
from harness.rates import clopper_pearson
from harness.stats import mean


@dataclass(frozen=True, slots=True)
class Fit:
    """One dial. value, low, high: None where there is none (no opportunity; no interval, see `method`).

    Opportunities are n readable ones + unreadable ones. shown: how often the habit was (`border`: all steps late).
    detail: what else to say about it.
    """

    dial: str
    value: float | None
    low: float | None
    high: float | None
    shown: float
    n: int
    unreadable: int
    method: str
    detail: str = ""


def fit(dial: str, readings: Sequence[Reading], level: float = 0.95) -> Fit:
    """Estimate a dial from its readings.

    Rates: share with the interval of Clopper and Pearson. `border`: delays of 0 to b steps, each as likely, have
    the mean b / 2, so it is twice the mean delay, with Student's t. `miss`: the peak of `peak`.
    """
    kept = [reading for reading in readings if reading.value is not None]
    values = [float(reading.value) for reading in kept if reading.value is not None]
    shown, n, unreadable = sum(values), len(values), len(readings) - len(values)
    if not n:
        return Fit(dial, None, None, None, 0, 0, unreadable, "no opportunity")
    if dial == "border":
        doubled = mean([2 * value for value in values], level)
        return Fit(dial, doubled.mean, doubled.low, doubled.high, shown, n, unreadable, doubled.method)
    if dial == "miss":
        value, low, high = peak(int(shown), [reading.depth for reading in kept], level)
        return Fit(dial, value, low, high, shown, n, unreadable, "exact Poisson binomial", _by_fifth(kept))
    low, high = clopper_pearson(int(shown), n, level)
    return Fit(dial, shown / n, low, high, shown, n, unreadable, "exact binomial")


def peak(missed: int, depths: Sequence[float], level: float = 0.95) -> tuple[float, float, float]:
    """The peak m of the curve m · 4d(1 - d), d = depth, given how many facts at these depths were missed; its interval.

    m = missed ÷ sum of 4d(1 - d), unbiased, at most 1. The number missed is Poisson binomial and grows with m, so its
    tails are inverted as Clopper and Pearson do for equal depths. Raises ValueError for depths with no room to miss.
    """
    weights = np.array([4 * depth * (1 - depth) for depth in depths])
    if not weights.sum() > 0:
        raise ValueError("all depths are 0 or 1, where nothing is missed: place facts inside the view")
    tail = (1 - level) / 2

    def at_least(m: float) -> float:
        return float(_counts(m * weights)[missed:].sum()) - tail

    def at_most(m: float) -> float:
        return float(_counts(m * weights)[: missed + 1].sum()) - tail

    return min(1.0, missed / float(weights.sum())), _root(at_least, 0.0), _root(at_most, 1.0)


def _root(function: Callable[[float], float], end: float) -> float:
    """Where the function crosses 0 within 0 to 1, else the end on its side."""
    if function(0.0) * function(1.0) >= 0:
        return end if function(end) >= 0 else 1.0 - end
    return float(brentq(function, 0.0, 1.0))


def _counts(chances: np.ndarray[tuple[int], np.dtype[np.float64]]) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """The distribution of how many of independent events happen, from 0 to all."""
    counts = np.zeros(len(chances) + 1)
    counts[0] = 1.0
    for chance in chances:
        counts[1:] = counts[1:] * (1 - chance) + counts[:-1] * chance
        counts[0] *= 1 - chance
    return counts


def _by_fifth(readings: Sequence[Reading]) -> str:
    """What shows whether the curve fits at all."""
    fifths: list[list[float]] = [[] for _ in range(5)]
    for reading in readings:
        fifths[min(4, math.floor(reading.depth * 5))].append(reading.value or 0.0)
    return "missed by fifth of the view " + ", ".join(f"{sum(fifth):.0f}/{len(fifth)}" for fifth in fifths)
