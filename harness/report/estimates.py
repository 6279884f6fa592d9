"""Values of episodes become one number an arm: over all planned instances, repeats averaged in their instance first."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

import pandas as pd

from harness import rates, stats
from harness.report.frames import KEYS, groups
from harness.stats import Estimate

BOUNDED = ("success", "unbroken")  # measures whose missing instances are also read as 0 and as 1


@dataclass(frozen=True, slots=True)
class Point:
    """A line of summary.parquet. checkpoint None = over the whole episode. raw: the values, where they are very few."""

    family: str
    arm: str
    strategy: str
    reader: str
    model: str
    budget: int | None
    checkpoint: int | None
    measure: str
    value: float | None
    low: float | None = None
    high: float | None = None
    n: int = 0
    planned: int = 0
    missing: int = 0
    method: str = ""
    raw: tuple[float, ...] = ()


def points(rows: pd.DataFrame, extra: pd.DataFrame) -> list[Point]:
    """rows: from `values`. extra: values of the whole episode that exist for some episodes only (`slices`).

    What is planned at a checkpoint is what any arm of the family has there; the arm that lacks it is missing it.
    """
    found: list[Point] = []
    planned = _planned(rows)
    for table in (rows, extra):
        measured = set(table.dropna(subset=["value"])[["family", "measure"]].itertuples(index=False, name=None))
        for own, group in groups(table, [*KEYS, "checkpoint", "measure"]):
            if (own["family"], own["measure"]) in measured:
                values = per_instance(group, planned.get((own["family"], own["checkpoint"]), ()))
                found += _of(own, own["checkpoint"] or None, own["measure"], list(values.values()))
    return found


def per_instance(group: pd.DataFrame, planned: Sequence[str]) -> dict[str, float]:
    """The value of each planned instance, NaN where there is none; repeats are averaged."""
    repeats = stats.per_instance(group["value"].tolist(), group["instance"].tolist())
    means = {str(repeat.instance): repeat.mean for repeat in repeats}
    return {name: means.get(name, math.nan) for name in (*planned, *(n for n in means if n not in planned))}


def estimate(measure: str, values: Sequence[float]) -> Estimate:
    """Exact binomial for yes or no a instance, else Student's t."""
    yes_no = measure == "unbroken" or measure.startswith("score_")
    if yes_no and all(math.isnan(value) or value in (0.0, 1.0) for value in values):
        return rates.rate(values).conditional
    return stats.mean(values)


def point(labels: Mapping[str, Any], checkpoint: int | None, measure: str, found: Estimate) -> Point:
    """labels: at least KEYS."""
    own = {name: labels[name] for name in KEYS}
    return Point(
        **own,
        checkpoint=checkpoint,
        measure=measure,
        value=found.mean,
        low=found.low,
        high=found.high,
        n=found.scored,
        planned=found.planned,
        missing=found.missing,
        method=found.method,
        raw=found.raw,
    )


def frame(found: Iterable[Point]) -> pd.DataFrame:
    """The tidy table, without the raw values."""
    names = [field.name for field in fields(Point) if field.name != "raw"]
    table = pd.DataFrame([[getattr(p, name) for name in names] for p in found], columns=names)
    return table.astype({"budget": "Int64", "checkpoint": "Int64", "value": float, "low": float, "high": float})


def _of(labels: Mapping[str, Any], checkpoint: int | None, measure: str, values: Sequence[float]) -> list[Point]:
    found = estimate(measure, values)
    rows = [point(labels, checkpoint, measure, found)]
    span = rates.with_missing(values) if measure in BOUNDED and found.missing else None
    for read_as, value in zip((0, 1), span or (), strict=False):
        known = Estimate(value, None, None, found.planned, found.planned, "mean over all planned instances")
        rows.append(point(labels, checkpoint, f"{measure}, missing as {read_as}", known))
    return rows


def _planned(rows: pd.DataFrame) -> dict[tuple[str, int], list[str]]:
    """Instances of a family at each checkpoint."""
    pairs = rows[["family", "checkpoint", "instance"]].drop_duplicates().sort_values("instance")
    found: dict[tuple[str, int], list[str]] = {}
    for family, checkpoint, instance in pairs.itertuples(index=False):
        found.setdefault((str(family), int(checkpoint)), []).append(str(instance))
    return found
