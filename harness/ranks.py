"""Do two readers rank the arms alike?"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations

from scipy.stats import kendalltau


@dataclass(frozen=True, slots=True)
class Agreement:
    """tau: Kendall's tau-b over the arms that both score; None under two arms or where one side ties them all.

    swapped: pairs of arms (better under the first, better under the second) whose order turns round: reader-dependent.
    """

    tau: float | None
    arms: int
    missing: int
    swapped: tuple[tuple[str, str], ...]


def agreement(first: Mapping[str, float], second: Mapping[str, float]) -> Agreement:
    """Compare two scores of the same arms, higher is better; an arm absent or NaN on one side is missing."""
    arms = sorted(first.keys() | second.keys())
    both = [arm for arm in arms if not (math.isnan(first.get(arm, math.nan)) or math.isnan(second.get(arm, math.nan)))]
    tau = math.nan
    if len(both) > 1:
        tau = float(kendalltau([first[arm] for arm in both], [second[arm] for arm in both]).statistic)
    turned = [(a, b) for a, b in combinations(both, 2) if (first[a] - first[b]) * (second[a] - second[b]) < 0]
    swapped = tuple((a, b) if first[a] > first[b] else (b, a) for a, b in turned)
    return Agreement(None if math.isnan(tau) else tau, len(both), len(arms) - len(both), swapped)
