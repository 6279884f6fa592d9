"""Values of episodes become one number an arm: over all planned instances, repeats averaged within their instance first."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields

import pandas as pd

from harness import rates, stats
from harness.report.frames import KEYS
from harness.report.values import EPISODE
from harness.stats import Estimate

BOUNDED = ("success", "unbroken")  # measures whose missing instances are also read as 0 and as 1


@dataclass(frozen=True, slots=True)
class Point:
    """A line of summary.parquet. checkpoint None = over the whole episode. raw: the values, where they are too few to average."""

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
        for key, group in table.groupby([*KEYS, "checkpoint", "measure"], dropna=False, sort=False):
            own = list(key) if isinstance(key, tuple) else [key]
            checkpoint, measure = int(own[-2]), str(own[-1])
            values = per_instance(group, planned.get((str(own[0]), checkpoint), ()))
            if (str(own[0]), measure) in measured:
                labels = _labels(dict(zip(KEYS, own, strict=False)))
                found += _of(labels, checkpoint or None, measure, list(values.values()))
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


def point(labels: Mapping[str, object], checkpoint: int | None, measure: str, found: Estimate) -> Point:
    numbers = (found.mean, found.low, found.high, found.scored, found.planned, found.missing, found.method, found.raw)
    return Point(*_key(labels), checkpoint, measure, *numbers)


def frame(found: Iterable[Point]) -> pd.DataFrame:
    """The tidy table, without the raw values."""
    names = [field.name for field in fields(Point) if field.name != "raw"]
    table = pd.DataFrame([[getattr(p, name) for name in names] for p in found], columns=names)
    return table.astype({"budget": "Int64", "checkpoint": "Int64", "value": float, "low": float, "high": float})


def _of(labels: Mapping[str, object], checkpoint: int | None, measure: str, values: Sequence[float]) -> list[Point]:
    found = estimate(measure, values)
    rows = [point(labels, checkpoint, measure, found)]
    if measure in BOUNDED and found.missing:
        low, high = rates.with_missing(values) or (None, None)
        for name, value in ((f"{measure}, missing as 0", low), (f"{measure}, missing as 1", high)):
            how = "mean over all planned instances"
            rows.append(Point(*_key(labels), checkpoint, name, value, n=found.planned, planned=found.planned, method=how))
    return rows


def _planned(rows: pd.DataFrame) -> dict[tuple[str, int], list[str]]:
    """Instances of a family at each checkpoint."""
    pairs = rows[["family", "checkpoint", "instance"]].drop_duplicates().sort_values("instance")
    found: dict[tuple[str, int], list[str]] = {}
    for family, checkpoint, instance in pairs.itertuples(index=False):
        found.setdefault((str(family), int(checkpoint)), []).append(str(instance))
    return found


def _labels(own: dict[str, object]) -> dict[str, object]:
    budget = own["budget"]
    return own | {"budget": None if pd.isna(budget) else int(budget)}  # type: ignore[call-overload]


def _key(labels: Mapping[str, object]) -> tuple[str, str, str, str, str, int | None]:
    budget = labels["budget"]
    text = [str(labels[name]) for name in KEYS if name != "budget"]
    return (*text, budget if isinstance(budget, int) else None)  # type: ignore[return-value]
