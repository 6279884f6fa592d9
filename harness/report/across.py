"""Over the families: each arm's mean, and its difference to one reference arm on the common instances.

The primary endpoint is success at the last checkpoint, at one budget, under one reader; its tests go through Holm's
correction together. Everything else that is printed is exploratory.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import stdev
from typing import Any

import pandas as pd

from harness import pairs
from harness.families import overall
from harness.report.estimates import Point, per_instance, point
from harness.report.frames import groups
from harness.report.values import EPISODE
from harness.stats import Estimate

ALL = "all families"
MEASURES = ("success", "retention", "hit_ratio")
PREFERRED = "window"  # the reference where the sweep has it: the plainest way to stay under a budget
GROUP = ["reader", "model", "budget"]


@dataclass(frozen=True, slots=True)
class Against:
    """arm minus reference: success at the last checkpoint, the mean of the families' mean differences.

    p: sign flips over the instances of all families, each family counting the same; holm: adjusted within the primary
    tests, None for exploratory ones. detectable: the true difference that would be found with 80 % power.
    """

    arm: str
    reader: str
    budget: int | None
    estimate: Estimate
    p: float | None
    test: str
    detectable: float | None
    primary: bool = False
    holm: float | None = None


def together(rows: pd.DataFrame, conditions: Mapping[str, str]) -> dict[str, list[str]]:
    """Name -> families in which success is known, those of one condition (such as a horizon) together.

    conditions: of each family; one without an entry has none.
    """
    found: dict[str, list[str]] = {}
    for family in known(rows):
        found.setdefault(f"{ALL} {conditions.get(family, '')}".strip(), []).append(family)
    return found


def is_pooled(family: str) -> bool:
    """Whether a line is named by `together`, and stands for several families."""
    return family.startswith(ALL)


def points(rows: pd.DataFrame, conditions: Mapping[str, str]) -> list[Point]:
    """Lines named ALL and the condition."""
    pooled = together(rows, conditions).items()
    return [line for name, families in pooled for line in _pooled(rows, name, families)]


def _pooled(rows: pd.DataFrame, name: str, families: Sequence[str]) -> list[Point]:
    found: list[Point] = []
    part = rows[rows["family"].isin(families) & rows["measure"].isin(MEASURES) & (rows["checkpoint"] != EPISODE)]
    for labels, group in groups(part, ["arm", "strategy", *GROUP, "checkpoint", "measure"]):
        values = {str(f): list(per_instance(own, ()).values()) for f, own in group.groupby("family", sort=False)}
        if len(values) < len(families):
            continue  # a mean over other families than the others' would not compare
        mean = overall(values).estimate
        found.append(point({**labels, "family": name}, labels["checkpoint"], labels["measure"], mean))
    return found


def known(rows: pd.DataFrame) -> list[str]:
    """Families in which success is known."""
    scored = rows[(rows["measure"] == "success") & rows["value"].notna()]
    return [str(family) for family in scored["family"].unique()]


def reference(arms: Sequence[str], wanted: str | None = None) -> str | None:
    if wanted is not None and wanted not in arms:
        raise ValueError(f"no arm {wanted!r} in this sweep: {', '.join(arms)}")
    return wanted or (PREFERRED if PREFERRED in arms else next(iter(arms), None))


def against(
    rows: pd.DataFrame,
    families: Sequence[str],
    chosen: str | None,
    apart: frozenset[str],
    primary: Mapping[str, Any],
) -> list[Against]:
    """chosen: the reference. apart: arms that are no contenders. primary: reader, model and budget of the endpoint."""
    success = rows[rows["family"].isin(families) & (rows["measure"] == "success")]
    if success.empty or chosen is None:
        return []
    success = success[success["checkpoint"] == success["checkpoint"].max()]
    found = []
    for own, group in groups(success, GROUP):
        arms = {str(arm): _by_family(part) for arm, part in group.groupby("arm", sort=False)}
        others = [arm for arm in arms if chosen in arms and arm not in {chosen, *apart}]
        tests = [_test(arm, own, arms[arm], arms[chosen]) for arm in others]
        if own == dict(primary):
            adjusted = pairs.holm([test.p for test in tests])
            tests = [replace(test, primary=True, holm=p) for test, p in zip(tests, adjusted, strict=True)]
        found += tests
    return found


def _by_family(part: pd.DataFrame) -> dict[str, dict[str, float]]:
    return {str(family): per_instance(own, ()) for family, own in part.groupby("family", sort=False)}


def _test(
    arm: str, own: Mapping[str, Any], a: Mapping[str, Mapping[str, float]], b: Mapping[str, Mapping[str, float]]
) -> Against:
    gaps = {
        family: [a.get(family, {}).get(name, math.nan) - value for name, value in values.items()]
        for family, values in b.items()
    }
    mean = overall(gaps)
    common = {family: [gap for gap in own_gaps if not math.isnan(gap)] for family, own_gaps in gaps.items()}
    longest = max(map(len, common.values()), default=0)
    # Weights that make the mean over all instances the mean of the family means.
    flat = [gap * longest / len(own_gaps) for own_gaps in common.values() for gap in own_gaps]
    p, test = pairs.sign_flip(flat)
    found = pairs.detectable(stdev(flat), len(flat)) if len(flat) > 1 else None
    who = own["model"] if own["reader"] == "-" else own["reader"]
    return Against(arm, who, own["budget"], mean.estimate, p, test, found)
