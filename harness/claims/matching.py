"""Finds in the evidence the two sides of a claim, family by family; or says all that lacks."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from harness.claims.evidence import Evidence, Sample
from harness.claims.pairing import NotTestable, gap, matches, pairs
from harness.claims.register import Arm, Claim

SIMULATED = ("scripted", "recorded")  # what conf/model calls the sources that ask no model


@dataclass(frozen=True, slots=True)
class Sides:
    """By family, the values of both arms on the same instances, NaN = missing. budgets: in tokens, those compared.

    For a claim about two ranges of budgets: the difference of the arms in the first range, and in the second.
    """

    a: Mapping[str, Sequence[float]]
    b: Mapping[str, Sequence[float]]
    budgets: tuple[int, ...]


def sides(claim: Claim, evidence: Evidence) -> Sides:
    """Raises NotTestable."""
    samples = _readable(claim, evidence)
    a: dict[str, list[float]] = {}
    b: dict[str, list[float]] = {}
    used: set[int] = set()
    for task in _families(claim, samples):
        own = [s for s in samples if s.task == task]
        here = pairs(claim, own, claim.budget)
        values, budgets = here.values, here.budgets
        if claim.beside is not None:
            there = pairs(claim, own, claim.beside)
            values, budgets = _gains(claim, here.values, there.values), budgets | there.budgets
        if any(not math.isnan(x) for pair in values.values() for x in pair):
            a[task], b[task] = ([values[name][side] for name in sorted(values)] for side in (0, 1))
            used |= budgets
        elif claim.families:
            raise NotTestable(f"{claim.measured} was not measured in {task}")
    if not a:
        raise NotTestable(f"{claim.measured} was not measured in these results")
    return Sides(a, b, tuple(sorted(used)))


def _gains(
    claim: Claim, here: Mapping[str, tuple[float, float]], there: Mapping[str, tuple[float, float]]
) -> dict[str, tuple[float, float]]:
    none = (math.nan, math.nan)
    return {name: (gap(claim, *here.get(name, none)), gap(claim, *there.get(name, none))) for name in {**here, **there}}


def _readable(claim: Claim, evidence: Evidence) -> list[Sample]:
    """Samples of the claim's reader. Raises NotTestable with all that lacks."""
    problems = []
    if evidence.version is not None and evidence.version != claim.suite:
        problems.append(f"registered for suite {claim.suite}, these results are of {evidence.version}")
    if claim.reader == "real":
        samples = [s for s in evidence.samples if s.model not in SIMULATED]
        problems += [] if samples else ["needs a real model"]
    else:
        samples = [s for s in evidence.samples if s.reader == claim.reader]
        problems += [] if samples else [f"no results of the reader {claim.reader!r}"]
    there = samples or evidence.samples
    problems += [_lack(arm, there) for arm in claim.arms if not any(matches(arm, s) for s in there)]
    tasks = {s.task for s in there}
    if missing := [name for name in claim.families if name not in tasks]:
        problems.append(f"family missing: {', '.join(missing)}")
    if problems:
        raise NotTestable("; ".join(problems))
    return samples


def _lack(arm: Arm, samples: Sequence[Sample]) -> str:
    near = [s for s in samples if s.strategy == arm.strategy]
    if not near:
        return f"arm missing: {arm}"
    off = [key for key, value in arm.params.items() if all(s.settings.get(key) != value for s in near)]
    had = {", ".join(f"{key}={s.settings.get(key, '(absent)')}" for key in off or arm.params) for s in near}
    return f"arm missing: {arm}, there is {arm.strategy} with {' | '.join(sorted(had))}"


def _families(claim: Claim, samples: Sequence[Sample]) -> list[str]:
    """The claimed families, or all in which both arms ran."""
    if claim.families:
        return list(claim.families)
    tasks = dict.fromkeys(s.task for s in samples)
    both = [t for t in tasks if all(any(s.task == t and matches(arm, s) for s in samples) for arm in claim.arms)]
    if not both:
        raise NotTestable("no family in which both arms ran")
    return both
