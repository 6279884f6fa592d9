"""How success hangs together with what the view held, and whether two readers rank the arms alike."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations

import pandas as pd

from harness.ranks import Agreement, agreement
from harness.report.estimates import Point, per_instance

MEMORY = ("retention", "hit_ratio")
SAME = 0.95  # above it success says nothing that the memory measure does not


@dataclass(frozen=True, slots=True)
class Relation:
    """Pearson's r of success and a memory measure over (arm, instance) at the last checkpoint; None without spread."""

    family: str
    reader: str
    budget: int | None
    measure: str
    r: float | None
    pairs: int


@dataclass(frozen=True, slots=True)
class Readers:
    """Do two readers rank the arms of a family alike, by success at the last checkpoint?"""

    family: str
    budget: int | None
    first: str
    second: str
    found: Agreement


def relations(rows: pd.DataFrame) -> list[Relation]:
    last = rows[rows["checkpoint"] == rows["checkpoint"].max()]
    found = []
    for key, group in last.groupby(["family", "reader", "budget"], sort=False, dropna=False):
        family, reader, budget = key if isinstance(key, tuple) else (key,)
        table = {name: _pairs(group[group["measure"] == name]) for name in ("success", *MEMORY)}
        for measure in MEMORY:
            both = [k for k, v in table["success"].items() if not (math.isnan(v) or math.isnan(table[measure].get(k, math.nan)))]
            if both:
                r = _pearson([table["success"][k] for k in both], [table[measure][k] for k in both])
                size = None if pd.isna(budget) else int(budget)
                found.append(Relation(str(family), str(reader), size, measure, r, len(both)))
    return found


def readers(points: list[Point]) -> list[Readers]:
    """From the lines of success at the last checkpoint; every pair of readers of one model."""
    success = [p for p in points if p.measure == "success" and p.checkpoint is not None]
    last = max((p.checkpoint or 0 for p in success), default=0)
    groups: dict[tuple[str, int | None, str], dict[str, dict[str, float]]] = {}
    for p in success:
        if p.checkpoint == last and p.value is not None and p.reader != "-":
            groups.setdefault((p.family, p.budget, p.model), {}).setdefault(p.reader, {})[p.arm] = p.value
    return [
        Readers(family, budget, first, second, agreement(own[first], own[second]))
        for (family, budget, _), own in groups.items()
        for first, second in combinations(own, 2)
    ]


def _pairs(part: pd.DataFrame) -> dict[tuple[str, str], float]:
    return {
        (str(arm), name): value
        for arm, own in part.groupby("arm", sort=False)
        for name, value in per_instance(own, ()).items()
    }


def _pearson(a: list[float], b: list[float]) -> float | None:
    found = pd.Series(a).corr(pd.Series(b)) if len(a) > 1 else math.nan
    return None if math.isnan(found) else float(found)
