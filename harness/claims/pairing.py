"""Within one family: the two arms of a claim at the wanted budgets, value against value on the same instances."""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from harness.claims.evidence import Sample
from harness.claims.register import Arm, Claim, Shares
from harness.identity import difference
from harness.report.values import EPISODE, REFERENCE
from harness.stats import scored

Values = Mapping[str, float]  # by instance, NaN = missing


class NotTestable(Exception):
    """The evidence cannot answer a claim; the message says why."""


@dataclass(frozen=True, slots=True)
class Pairs:
    """By instance, the values of both arms; budgets: in tokens, those that both arms have."""

    values: Mapping[str, tuple[float, float]]
    budgets: frozenset[int]


def pairs(claim: Claim, samples: Sequence[Sample], budget: int | Shares | None) -> Pairs:
    """samples: of one family and reader. Raises NotTestable where an arm is missing or several fit."""
    task = samples[0].task
    chosen = [s for s in samples if _fits(s, budget, samples)]
    if not chosen:
        there = ", ".join(f"{b:,}" for b in sorted({s.budget for s in samples if s.budget is not None}))
        raise NotTestable(f"{task}: no cells at a budget of {written(budget)} (there are: {there})")
    found = [[s for s in chosen if matches(arm, s)] for arm in claim.arms]
    for arm, own in zip(claim.arms, found, strict=True):
        if not own:
            raise NotTestable(f"{task}: arm missing at a budget of {written(budget)}: {arm}")
    found = _equal_apart(claim, found)
    conditions = [s.conditions for own in found for s in own]
    if lines := _differ(conditions):
        raise NotTestable(f"several conditions of {task}: {lines}")
    # Only budgets that both sides have: another mixture of budgets would be another comparison.
    common = set.intersection(*({s.budget for s in own} for own in found))
    if not common:
        raise NotTestable(f"{task}: the arms have no budget in common")
    a, *rest = [_mean(claim, [s for s in own if s.budget in common]) for own in found]
    fixed = claim.b if isinstance(claim.b, float) else math.nan
    b = rest[0] if rest else dict.fromkeys(a, fixed)
    values = {name: (a.get(name, math.nan), b.get(name, math.nan)) for name in {**a, **b}}
    return Pairs(values, frozenset(size for size in common if size is not None))


def matches(arm: Arm, sample: Sample) -> bool:
    own = sample.settings
    return sample.strategy == arm.strategy and all(k in own and own[k] == v for k, v in arm.params.items())


def gap(claim: Claim, a: float, b: float) -> float:
    """a - b, as a share of b where the claim is relative; missing where b is 0 then."""
    if not claim.relative:
        return a - b
    return a / b - 1 if b else math.nan


def written(budget: int | Shares | None) -> str:
    if isinstance(budget, tuple):
        low, high = budget
        start = f"{100 * low:.0f}"
        return f"{start}–{100 * high:.0f} % of the history" if high else f"{start} % of the history or more"
    return f"{budget:,} tokens" if budget else "any size"


def _equal_apart(claim: Claim, found: Sequence[Sequence[Sample]]) -> list[list[Sample]]:
    """The samples of the one pair of settings that fits. Settings of one class must be equal but for those named."""
    named = {key for arm in claim.arms for key in arm.params}
    by_settings = [_by_settings(own) for own in found]
    fitting = [keys for keys in product(*by_settings) if _alike([json.loads(key) for key in keys], named)]
    if not fitting:
        first = [own[0].settings for own in found]
        raise NotTestable(f"the arms differ in more than the claim says: {_differ(first, named)}")
    if len(fitting) > 1:
        several = next(i for i in range(len(found)) if len({keys[i] for keys in fitting}) > 1)
        arm, own = claim.arms[several], [json.loads(keys[several]) for keys in fitting]
        raise NotTestable(f"several arms match {arm}: {_differ(own)}")
    return [groups[key] for groups, key in zip(by_settings, fitting[0], strict=True)]


def _by_settings(samples: Sequence[Sample]) -> dict[str, list[Sample]]:
    groups: dict[str, list[Sample]] = {}
    for sample in samples:
        groups.setdefault(json.dumps(sample.settings, sort_keys=True), []).append(sample)
    return groups


def _alike(settings: Sequence[Mapping[str, Any]], named: set[str]) -> bool:
    one_class = len({own.get("_target_") for own in settings}) == 1
    return not one_class or not _differ(settings, named)


def _differ(settings: Sequence[Mapping[str, Any]], apart: Collection[str] = ()) -> str:
    """Lines "key: old -> new" for what differs from the first, empty where nothing does."""
    first, *others = [{key: value for key, value in own.items() if key not in apart} for own in settings]
    return "; ".join(dict.fromkeys(line for other in others for line in difference(first, other)))


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


def _fits(sample: Sample, budget: int | Shares | None, samples: Sequence[Sample]) -> bool:
    if budget is None or isinstance(budget, int):
        return budget is None or sample.budget == budget
    full = [v for s in samples if s.strategy == REFERENCE for v in s.values("history_tokens", EPISODE).values()]
    known = [value for value in full if not math.isnan(value)]
    if not known:
        raise NotTestable(f"arm missing: {REFERENCE}, which shows how long the history of {sample.task} is")
    share = (sample.budget or math.inf) / (sum(known) / len(known))
    return budget[0] <= share and (budget[1] is None or share < budget[1])
