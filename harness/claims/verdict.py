"""From paired values to an answer.

Reproduced: the interval of the paired difference lies on the claimed side, beyond the margin (within: both bounds inside
it, which is equivalence). Not reproduced: it lies on the other side, or short of the margin, or it holds zero although
the claimed effect would have been found and lies outside. All else is too weak to tell: not testable here.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Literal

import numpy as np

from harness import pairs
from harness.claims.evidence import Evidence
from harness.claims.matching import NotTestable, Sides, gap, sides
from harness.claims.metrics import METRICS, difference
from harness.claims.register import Claim
from harness.families import overall
from harness.stats import Estimate, mean, scored

Answer = Literal["reproduced", "not reproduced", "not testable here"]
LEVEL, POWER = 0.95, 0.8


@dataclass(frozen=True, slots=True)
class Figures:
    """a, b: means over the common instances, families counting the same. estimate: of the paired differences.

    fewest: pairs in the smallest family. p: sign flips, None where none can be given. detectable: see `pairs.detectable`.
    """

    a: float
    b: float
    estimate: Estimate
    fewest: int
    p: float | None
    detectable: float | None
    families: tuple[str, ...]
    budgets: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Verdict:
    """why: the reason, empty where the claim is reproduced. figures: None where nothing could be compared."""

    claim: Claim
    answer: Answer
    why: str
    figures: Figures | None


def answer(claim: Claim, evidence: Evidence) -> Verdict:
    try:
        found = figures(claim, sides(claim, evidence))
    except NotTestable as problem:
        return Verdict(claim, "not testable here", str(problem), None)
    said, why = judge(claim, found)
    return Verdict(claim, said, why, found)


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


def _detectable(estimate: Estimate, kept: Mapping[str, np.ndarray]) -> float | None:
    if len(kept) == 1:
        own = next(iter(kept.values()))
        return pairs.detectable(float(own.std(ddof=1)), len(own), 1 - LEVEL, POWER) if len(own) > 1 else None
    if estimate.low is None or estimate.high is None:
        return None
    limit = NormalDist().inv_cdf(1 - (1 - LEVEL) / 2)
    return (estimate.high - estimate.low) / 2 * (1 + NormalDist().inv_cdf(POWER) / limit)


def judge(claim: Claim, found: Figures) -> tuple[Answer, str]:
    low, high = found.estimate.low, found.estimate.high
    if found.fewest < claim.fewest:
        return "not testable here", f"n too small: {found.fewest} pairs in a family, {claim.fewest} are asked for"
    if low is None or high is None:
        return "not testable here", found.estimate.method
    if claim.direction == "within":
        return _equivalence(claim, low, high)
    if claim.direction == "less":
        low, high = -high, -low
    return _one_sided(claim, found, low, high)


def _equivalence(claim: Claim, low: float, high: float) -> tuple[Answer, str]:
    written = difference(claim.metric, claim.margin, claim.relative).removeprefix("+")
    if -claim.margin < low and high < claim.margin:
        return "reproduced", ""
    if low >= claim.margin or high <= -claim.margin:
        return "not reproduced", f"opposite: the arms differ by more than {written}"
    return "not testable here", f"underpowered: the interval reaches past the margin of {written}"


def _one_sided(claim: Claim, found: Figures, low: float, high: float) -> tuple[Answer, str]:
    """low, high: turned so that the claim says: above margin."""
    effect = claim.effect or 0.0

    def written(value: float) -> str:
        return difference(claim.metric, value, claim.relative).removeprefix("+")

    if low > claim.margin:
        return "reproduced", ""
    if high < 0:
        return "not reproduced", "opposite: the interval lies on the other side"
    if low > 0 and high <= claim.margin:
        return "not reproduced", f"smaller than the claimed margin of {written(claim.margin)}"
    if low > 0:
        return "not testable here", f"underpowered: on the claimed side, but not surely past {written(claim.margin)}"
    # Without spread there is only the exact bound.
    could = high if found.detectable is None else found.detectable
    if could > effect:
        return "not testable here", f"underpowered: would find {written(could)}, the claimed effect is {written(effect)}"
    if high >= effect:
        return "not testable here", f"underpowered: the interval holds both zero and the claimed effect of {written(effect)}"
    return "not reproduced", f"no difference found (detectable: {written(could)}, claimed effect: {written(effect)})"
