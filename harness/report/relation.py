"""How success hangs together with what the view held, and whether two readers rank the arms alike."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations

import pandas as pd

from harness.ranks import Agreement, agreement
from harness.report.estimates import Point, per_instance
from harness.report.frames import groups

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
    last = rows[rows["checkpoint"] == rows.groupby("family")["checkpoint"].transform("max")]
    found = []
    for own, group in groups(last, ["family", "reader", "model", "budget"]):
        table = {name: _pairs(group[group["measure"] == name]) for name in ("success", *MEMORY)}
        who = own["model"] if own["reader"] == "-" else own["reader"]
        for measure in MEMORY:
            memory = table[measure]
            both = [(v, memory[k]) for k, v in table["success"].items() if k in memory]
            both = [(a, b) for a, b in both if not (math.isnan(a) or math.isnan(b))]
            if both:
                r = _pearson([a for a, _ in both], [b for _, b in both])
                found.append(Relation(own["family"], who, own["budget"], measure, r, len(both)))
    return found


def readers(points: list[Point]) -> list[Readers]:
    """From the lines of success at the last checkpoint; every pair of readers of one model."""
    success = [p for p in points if p.measure == "success" and p.checkpoint is not None]
    last: dict[str, int] = {}
    for p in success:
        last[p.family] = max(last.get(p.family, 0), p.checkpoint or 0)
    scores: dict[tuple[str, int | None, str], dict[str, dict[str, float]]] = {}
    for p in success:
        if p.checkpoint == last[p.family] and p.value is not None and p.reader != "-":
            scores.setdefault((p.family, p.budget, p.model), {}).setdefault(p.reader, {})[p.arm] = p.value
    return [
        Readers(family, budget, first, second, agreement(own[first], own[second]))
        for (family, budget, _), own in scores.items()
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
