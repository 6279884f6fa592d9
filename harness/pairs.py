"""Two arms on the same instances: the difference, its interval, a sign-flip test, and what the design could detect."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.stats import t

from harness.stats import Estimate, Method, Values, mean, scored

EXACT = 16  # up to so many pairs all 2**n flips are counted


@dataclass(frozen=True, slots=True)
class Difference:
    """a - b on the common set. estimate: over the planned pairs; a pair with one side missing is missing.

    p: two-sided, None where no p-value can be given; test: how it was found, or why not. detectable: see `detectable`.
    """

    estimate: Estimate
    missing_a: int
    missing_b: int
    p: float | None
    test: str
    detectable: float | None


def paired(
    a: Values, b: Values, level: float = 0.95, method: Method = "t", seed: int = 0, power: float = 0.8
) -> Difference:
    """Compare a[i] with b[i], the values of two arms on instance i, NaN = missing.

    Raises ValueError when the lengths differ: align both on the planned instances first.
    """
    if len(a) != len(b):
        raise ValueError(f"{len(a)} values against {len(b)}: align both arms on the planned instances, NaN = missing")
    missing_a, missing_b = len(a) - len(scored(a)), len(b) - len(scored(b))
    gaps = np.asarray(a, dtype=float) - np.asarray(b, dtype=float)
    common = scored(gaps)
    p, test = sign_flip(common, 1 - level, seed)
    enough = len(common) > 1
    return Difference(
        mean(gaps, level, method, seed),
        missing_a,
        missing_b,
        p,
        test,
        detectable(float(common.std(ddof=1)), len(common), 1 - level, power) if enough else None,
    )


def sign_flip(gaps: Values, alpha: float = 0.05, seed: int = 0, draws: int = 9999) -> tuple[float | None, str]:
    """Two-sided p-value of "the gaps are symmetric about 0", statistic |mean|, and how it was found.

    All 2**n sign patterns up to n = EXACT, else `draws` random ones with the observed one added, so that p is never 0
    (Phipson and Smyth, 2010). None where even the smallest p, 2/2**n, exceeds alpha. Raises ValueError for NaN.
    """
    values = np.asarray(gaps, dtype=float)
    if np.isnan(values).any():
        raise ValueError("a gap is missing (NaN): test the pairs of the common set")
    n = len(values)
    if 2.0 * 0.5**n > alpha:
        return None, f"no p-value: 2/2^{n} exceeds {alpha:.3g}"
    observed = abs(float(values.sum())) - 1e-9 * float(np.abs(values).sum())  # sums that differ by rounding are equal
    if n <= EXACT:
        sums = np.zeros(1)
        for value in values:
            sums = np.concatenate([sums + value, sums - value])
        return float(np.mean(np.abs(sums) >= observed)), "sign flips, all"
    signs = np.random.default_rng(seed).integers(0, 2, (draws, n), dtype=np.int8) * 2.0 - 1.0
    beyond = int(np.count_nonzero(np.abs(signs @ values) >= observed))
    return (beyond + 1) / (draws + 1), f"sign flips, {draws} random"


def detectable(sd: float, n: int, alpha: float = 0.05, power: float = 0.8) -> float | None:
    """The smallest true difference that a two-sided paired test at `alpha` finds with `power`, for `n` pairs whose
    differences have standard deviation `sd`. Approximation: (t[1-alpha/2] + t[power]) · sd/√n with n-1 degrees of
    freedom. None under 2 pairs and without spread.
    """
    if n < 2 or sd == 0:
        return None
    return float(t.ppf(1 - alpha / 2, n - 1) + t.ppf(power, n - 1)) * sd / math.sqrt(n)


def holm(p_values: Sequence[float | None]) -> tuple[float | None, ...]:
    """Adjusted p-values of a family of tests (Holm, Scandinavian Journal of Statistics 1979): reject those <= alpha.

    A test without a p-value stays None and still counts in the family's size.
    """
    order = sorted((p, index) for index, p in enumerate(p_values) if p is not None)
    adjusted: list[float | None] = [None] * len(p_values)
    largest = 0.0
    for rank, (p, index) in enumerate(order):
        largest = max(largest, min(1.0, p * (len(p_values) - rank)))
        adjusted[index] = largest
    return tuple(adjusted)
