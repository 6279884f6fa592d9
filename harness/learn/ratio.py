"""A ratio of sums over instances, such as the share of a gap that was closed, with its interval."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from harness.stats import FEWEST, studentised


@dataclass(frozen=True, slots=True)
class Ratio:
    """low and high are None under FEWEST instances; value is None where the sum below is 0."""

    value: float | None
    low: float | None = None
    high: float | None = None


def ratio(above: Sequence[float], below: Sequence[float], seed: int = 0, draws: int = 4000) -> Ratio:
    """Σ above ÷ Σ below, one of each an instance, and its 95 % interval: a studentised bootstrap over instances with
    the linearised standard error of a ratio (Efron and Tibshirani, An Introduction to the Bootstrap, 1993, ch. 12;
    Cochran, Sampling Techniques, 1977, ch. 6)."""
    a, b = np.asarray(above, float), np.asarray(below, float)
    if not len(b) or not b.sum():
        return Ratio(None)
    value = float(a.sum() / b.sum())
    if len(b) < FEWEST:
        return Ratio(value)
    picks = np.random.default_rng(seed).integers(0, len(b), (draws, len(b)))
    picks = picks[b[picks].sum(axis=1) != 0]
    centres, errors = _each(a[picks], b[picks])
    _, (error,) = _each(a[None], b[None])
    return Ratio(value, *studentised(value, float(error), centres, errors, 0.95))


def _each(a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Ratio and standard error of each row."""
    n = a.shape[1]
    centres = a.sum(axis=1) / b.sum(axis=1)
    rest = a - centres[:, None] * b
    return centres, rest.std(axis=1, ddof=1) / np.abs(b.mean(axis=1)) / np.sqrt(n)
