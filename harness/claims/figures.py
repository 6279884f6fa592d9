"""The figures of a claim: means, paired difference, interval, test, and what could have been found."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from harness import pairs
from harness.claims.matching import Sides
from harness.claims.metrics import METRICS
from harness.claims.pairing import NotTestable, gap
from harness.claims.register import Claim
from harness.families import overall
from harness.stats import Estimate, Floats, mean, scored

LEVEL, POWER = 0.95, 0.8


@dataclass(frozen=True, slots=True)
class Figures:
    """a, b: means over the common instances, families counting the same. estimate: of the paired differences.

    fewest: pairs in the smallest family. p: sign flips, None where none can be given. detectable: the true difference
    that is found with 80 % power.
    """

    a: float
    b: float
    estimate: Estimate
    fewest: int
    p: float | None
    detectable: float | None
    families: tuple[str, ...]
    budgets: tuple[int, ...]


def figures(claim: Claim, found: Sides) -> Figures:
    """Raises NotTestable without a common instance."""
    gaps, means = dict[str, list[float]](), list[tuple[float, float]]()
    for family, own in found.a.items():
        both = list(zip(own, found.b[family], strict=True))
        # For two ranges of budgets both sides are differences already.
        made = [a - b if claim.beside is not None else gap(claim, a, b) for a, b in both]
        common = [pair for pair, value in zip(both, made, strict=True) if not math.isnan(value)]
        if not common:
            raise NotTestable(f"no instance of {family} has {claim.measured} in both arms")
        gaps[family] = made
        means.append((sum(a for a, _ in common) / len(common), sum(b for _, b in common) / len(common)))
    kept = {family: scored(own) for family, own in gaps.items()}
    fewest, longest = min(map(len, kept.values())), max(map(len, kept.values()))
    # Weights that make the mean over all instances the mean of the family means.
    flat = [float(value) * longest / len(own) for own in kept.values() for value in own]
    estimate = mean(next(iter(gaps.values())), LEVEL) if len(gaps) == 1 else overall(gaps, LEVEL).estimate
    if estimate.low is None and METRICS[claim.metric] == "share" and not claim.relative:
        estimate = _bounded(estimate, [v for own in kept.values() for v in own.tolist()], fewest * len(kept), claim)
    a, b = (sum(side) / len(means) for side in zip(*means, strict=True))
    p, _ = pairs.sign_flip(flat, 1 - LEVEL)
    return Figures(a, b, estimate, fewest, p, _detectable(estimate, kept), tuple(gaps), found.budgets)


def _bounded(estimate: Estimate, values: Sequence[float], n: int, claim: Claim) -> Estimate:
    """Where all n differences are equal: how many others can there be? At most 1 - 0.05^(1/n) of all instances (the
    exact binomial bound for none seen), and a difference of shares is at most 1 (of such differences, 2).
    """
    if n < claim.fewest or np.ptp(values) > 1e-12:
        return estimate
    most, rare = (2.0 if claim.beside is not None else 1.0), 1 - (1 - LEVEL) ** (1 / n)
    value = values[0]
    low, high = value - rare * (value + most), value + rare * (most - value)
    how = "exact bound: all differences are equal"
    return Estimate(value, low, high, estimate.planned, estimate.scored, how)


def _detectable(estimate: Estimate, kept: Mapping[str, Floats]) -> float | None:
    if len(kept) == 1:
        own = next(iter(kept.values()))
        return pairs.detectable(float(own.std(ddof=1)), len(own), 1 - LEVEL, POWER) if len(own) > 1 else None
    if estimate.low is None or estimate.high is None:
        return None
    limit = NormalDist().inv_cdf(1 - (1 - LEVEL) / 2)
    return (estimate.high - estimate.low) / 2 * (1 + NormalDist().inv_cdf(POWER) / limit)
