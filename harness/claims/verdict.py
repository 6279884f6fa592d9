"""From figures to an answer.

Reproduced: the interval of the paired difference lies on the claimed side, beyond the margin (within: both bounds lie
inside it, which is equivalence). Not reproduced: it lies on the other side, or short of the margin, or it holds zero
although the claimed effect would have been found and lies outside. All else is too weak to tell: not testable here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from harness.claims.evidence import Evidence
from harness.claims.figures import Figures, figures
from harness.claims.matching import sides
from harness.claims.metrics import difference
from harness.claims.pairing import NotTestable
from harness.claims.register import Claim

Answer = Literal["reproduced", "not reproduced", "not testable here"]


@dataclass(frozen=True, slots=True)
class Verdict:
    """why: the reason; empty where nothing is to add. figures: None where nothing could be compared."""

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
        return "reproduced", f"smaller than the worthwhile effect of {written(effect)}" if high < effect else ""
    if high < 0:
        return "not reproduced", "opposite: the interval lies on the other side"
    if low > 0 and high <= claim.margin:
        return "not reproduced", f"smaller than the claimed margin of {written(claim.margin)}"
    if low > 0:
        return "not testable here", f"underpowered: on the claimed side, but not surely past {written(claim.margin)}"
    # Without spread there is only the exact bound.
    could = high if found.detectable is None else found.detectable
    if could > effect:
        why = f"underpowered: would find {written(could)}, the claimed effect is {written(effect)}"
        return "not testable here", why
    if high >= effect:
        why = f"underpowered: the interval holds both zero and the claimed effect of {written(effect)}"
        return "not testable here", why
    return "not reproduced", f"no difference found (detectable: {written(could)}, claimed effect: {written(effect)})"
