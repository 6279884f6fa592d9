"""One number over several families of tasks, each with several instances."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from harness.stats import FEWEST, Estimate, Floats, Values, scored, studentised

Scope = Literal["families like these", "on these families"]


@dataclass(frozen=True, slots=True)
class Overall:
    """The mean of the family means, each family counting the same. scope: what the interval speaks of.

    left_out: families without a scored instance.
    """

    estimate: Estimate
    scope: Scope
    left_out: tuple[str, ...]


def overall(values: Mapping[str, Values], level: float = 0.95, seed: int = 0, draws: int = 4000) -> Overall:
    """Mean over families of one value (or paired difference) an instance, NaN = missing.

    From FEWEST families on, families are resampled, then instances within them; with fewer, instances within the
    families at hand, and the interval says nothing of others: scope "on these families", none if one has under FEWEST
    scored instances. Studentised bootstrap.
    """
    groups = {name: kept for name, group in values.items() if len(kept := scored(group))}
    planned, n = sum(map(len, values.values())), sum(map(len, groups.values()))
    left_out = tuple(name for name in values if name not in groups)
    scope: Scope = "families like these" if len(groups) >= FEWEST else "on these families"
    if not groups:
        return Overall(Estimate(None, None, None, planned, 0, "no scored instance"), scope, left_out)
    means = np.array([group.mean() for group in groups.values()])
    centre = float(means.mean())
    if scope == "on these families" and (least := min(map(len, groups.values()))) < FEWEST:
        why = f"no interval: a family has n = {least}, under {FEWEST}"
        return Overall(Estimate(centre, None, None, planned, n, why), scope, left_out)
    drawn = resample(list(groups.values()), seed, draws, families=scope == "families like these")
    if scope == "families like these":
        error = float(means.std(ddof=1)) / math.sqrt(len(means))
        errors = drawn.means.std(1, ddof=1) / math.sqrt(len(means))
    else:
        error = math.sqrt(sum(float(group.var(ddof=1)) / len(group) for group in groups.values())) / len(means)
        errors = np.sqrt(drawn.variances.sum(1)) / len(means)
    low, high = studentised(centre, error, drawn.means.mean(1), errors, level) if error > 0 else (None, None)
    how = "no interval: too little spread" if low is None else "studentised bootstrap, families then instances"
    if low is not None and scope == "on these families":
        how = "studentised bootstrap, instances within families"
    return Overall(Estimate(centre, low, high, planned, n, how), scope, left_out)


@dataclass(frozen=True, slots=True)
class Resamples:
    """Shape (draws, families). means[r, k]: mean of the k-th family in resample r; variances: of that mean (NaN where
    the family has one instance).
    """

    means: Floats
    variances: Floats


def resample(groups: Sequence[Floats], seed: int, draws: int, families: bool) -> Resamples:
    """`draws` resamples of as many families as there are groups: with `families` drawn anew, otherwise each group once;
    either way the instances within each are drawn with replacement. groups: scored values, none empty.
    """
    rng = np.random.default_rng(seed)
    own = np.broadcast_to(np.arange(len(groups)), (draws, len(groups)))
    chosen = rng.integers(0, len(groups), own.shape) if families else own
    means, variances = np.empty(own.shape), np.full(own.shape, math.nan)
    for index, group in enumerate(groups):
        where = chosen == index
        picks = group[rng.integers(0, len(group), (int(where.sum()), len(group)))]
        means[where] = picks.mean(1)
        if len(group) > 1:
            variances[where] = picks.var(1, ddof=1) / len(group)
    return Resamples(means, variances)
