"""Finds in the evidence the two sides of a claim, on the same instances under the same conditions; or says what lacks."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from harness.claims.evidence import Evidence, Sample
from harness.claims.register import Arm, Claim, Shares
from harness.identity import difference
from harness.report.values import EPISODE, REFERENCE
from harness.stats import scored

SIMULATED = ("scripted", "recorded")  # models that are none


class NotTestable(Exception):
    """The evidence cannot answer a claim; the message says why."""


@dataclass(frozen=True, slots=True)
class Sides:
    """By family, the values of both arms on the same instances, NaN = missing. budgets: in tokens, those that were used.

    For a claim about two ranges of budgets: the difference of the arms in the first range, and in the second.
    """

    a: Mapping[str, Sequence[float]]
    b: Mapping[str, Sequence[float]]
    budgets: tuple[int, ...]


def sides(claim: Claim, evidence: Evidence) -> Sides:
    """Raises NotTestable."""
    samples = _readable(claim, evidence)
    found: dict[str, tuple[list[float], list[float]]] = {}
    used: set[int] = set()
    for task in _families(claim, samples):
        here = _pair(claim, [s for s in samples if s.task == task], claim.budget, used)
        if claim.beside is not None:
            there = _pair(claim, [s for s in samples if s.task == task], claim.beside, used)
            here = {name: (_gap(claim, here, name), _gap(claim, there, name)) for name in {**here, **there}}
        if any(not math.isnan(x) for pair in here.values() for x in pair):
            names = sorted(here)
            found[task] = ([here[name][0] for name in names], [here[name][1] for name in names])
        elif claim.families:
            raise NotTestable(f"{claim.measured} was not measured in {task}")
    if not found:
        raise NotTestable(f"{claim.measured} was not measured in these results")
    return Sides({t: a for t, (a, _) in found.items()}, {t: b for t, (_, b) in found.items()}, tuple(sorted(used)))


def arms(claim: Claim) -> list[Arm]:
    return [arm for arm in (claim.a, claim.b) if isinstance(arm, Arm)]


def _readable(claim: Claim, evidence: Evidence) -> list[Sample]:
    """Samples of the claim's reader and arms. All that lacks is named at once."""
    version = evidence.suite.split(" ")[0]
    problems = [f"registered for suite {claim.suite}, not {version}"] if _other(claim, evidence) else []
    if claim.reader == "real":
        samples = [s for s in evidence.samples if s.model not in SIMULATED]
        problems += [] if samples else ["needs a real model"]
    else:
        samples = [s for s in evidence.samples if s.reader == claim.reader]
        problems += [] if samples else [f"no results of the reader {claim.reader!r}"]
    for arm in arms(claim):
        if not any(_matches(arm, s) for s in samples or evidence.samples):
            problems.append(_lack(arm, samples or evidence.samples))
    tasks = {s.task for s in samples or evidence.samples}
    problems += [f"family missing: {name}" for name in claim.families if name not in tasks]
    if problems:
        raise NotTestable("; ".join(dict.fromkeys(problems)))
    return samples


def _other(claim: Claim, evidence: Evidence) -> bool:
    known = evidence.suite.split(" ")[0]
    return known.startswith("v") and known != claim.suite


def _matches(arm: Arm, sample: Sample) -> bool:
    return sample.strategy == arm.strategy and all(
        key in sample.settings and sample.settings[key] == value for key, value in arm.params.items()
    )


def _lack(arm: Arm, samples: Sequence[Sample]) -> str:
    near = [s for s in samples if s.strategy == arm.strategy]
    if not near:
        return f"arm missing: {arm}"
    had = {", ".join(f"{key}={s.settings.get(key, '(absent)')}" for key in arm.params) for s in near}
    return f"arm missing: {arm}; there is {arm.strategy} with {' | '.join(sorted(had))}"


def _families(claim: Claim, samples: Sequence[Sample]) -> list[str]:
    """The claimed families, or all in which both arms ran."""
    if claim.families:
        return list(claim.families)
    tasks = dict.fromkeys(s.task for s in samples)
    both = [t for t in tasks if all(any(s.task == t and _matches(arm, s) for s in samples) for arm in arms(claim))]
    if not both:
        raise NotTestable("no family in which both arms ran")
    return both


Pairs = dict[str, tuple[float, float]]


def _pair(claim: Claim, samples: Sequence[Sample], budget: int | Shares | None, used: set[int]) -> Pairs:
    """The values of both sides by instance, in one family at the wanted budgets, averaged over these."""
    chosen = [s for s in samples if _fits(s, budget, samples)]
    if not chosen:
        there = ", ".join(sorted({f"{s.budget:,}" for s in samples if s.budget is not None}))
        raise NotTestable(f"{samples[0].task}: no cells at a budget of {written(budget)} (there are: {there})")
    found = [[s for s in chosen if _matches(arm, s)] for arm in arms(claim)]
    for arm, own in zip(arms(claim), found, strict=True):
        if not own:
            raise NotTestable(f"{samples[0].task}: arm missing at a budget of {written(budget)}: {arm}")
        if len({json.dumps(s.settings, sort_keys=True) for s in own}) > 1:
            raise NotTestable(f"several arms match {arm}: {_differ(own[0].settings, own)}")
    shared = [s for own in found for s in own]
    if len({json.dumps(s.conditions, sort_keys=True) for s in shared}) > 1:
        raise NotTestable(f"several conditions of {samples[0].task}: {_differ(shared[0].conditions, shared)}")
    # Only budgets that both sides have: another mixture of budgets would be another comparison.
    common = set.intersection(*({s.budget for s in own} for own in found))
    used |= {b for b in common if b is not None}
    read = [_mean(claim, [s for s in own if s.budget in common]) for own in found]
    a, b = read[0], read[1] if len(read) > 1 else dict.fromkeys(read[0], _fixed(claim))
    return {name: (a.get(name, math.nan), b.get(name, math.nan)) for name in {**a, **b}}


def _mean(claim: Claim, samples: Sequence[Sample]) -> dict[str, float]:
    """By instance over budgets, missing where it is missing at one of them; equal cells of two sweeps count once."""
    by_budget: dict[int | None, dict[str, list[float]]] = {}
    for sample in samples:
        own = by_budget.setdefault(sample.budget, {})
        for name, value in sample.values(claim.metric, claim.checkpoint or EPISODE).items():
            own.setdefault(name, []).append(value)
    means = [{name: float(np.nanmean(v)) for name, v in own.items() if scored(v).size} for own in by_budget.values()]
    names = {name for own in by_budget.values() for name in own}
    return {name: sum(own.get(name, math.nan) for own in means) / len(means) for name in names}


def _gap(claim: Claim, pairs: Pairs, name: str) -> float:
    a, b = pairs.get(name, (math.nan, math.nan))
    return gap(claim, a, b)


def gap(claim: Claim, a: float, b: float) -> float:
    """a - b, as a share of b where the claim is relative; missing where b is 0 then."""
    if not claim.relative:
        return a - b
    return a / b - 1 if b else math.nan


def _fixed(claim: Claim) -> float:
    return claim.b if isinstance(claim.b, float) else math.nan


def _fits(sample: Sample, budget: int | Shares | None, samples: Sequence[Sample]) -> bool:
    if budget is None or isinstance(budget, int):
        return budget is None or sample.budget == budget
    full = [v for s in samples if s.strategy == REFERENCE for v in s.values("history_tokens", EPISODE).values()]
    known = [value for value in full if not math.isnan(value)]
    if not known:
        raise NotTestable(f"arm missing: {REFERENCE}, which shows how long the history of {sample.task} is")
    share = (sample.budget or math.inf) / (sum(known) / len(known))
    return budget[0] <= share and (budget[1] is None or share < budget[1])


def written(budget: int | Shares | None) -> str:
    if isinstance(budget, tuple):
        low, high = budget
        return f"{100 * low:.0f}–{100 * high:.0f} % of the history" if high else f"{100 * low:.0f} % of the history or more"
    return f"{budget:,} tokens" if budget else "any size"


def _differ(first: Mapping[str, object], samples: Sequence[Sample]) -> str:
    """The settings in which the samples differ from the first of them."""
    found = [
        line
        for sample in samples
        for other in (sample.settings, sample.conditions)
        if other.keys() == first.keys()
        for line in difference(dict(first), dict(other))
    ]
    return "; ".join(dict.fromkeys(found)) or "their settings have other names"
