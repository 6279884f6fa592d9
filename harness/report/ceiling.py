"""The computed bounds beside the arms: as lines of their own, and each arm as a share of the bound of its class."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

import pandas as pd

from harness import ceilings, stats
from harness.certify import Class, widest
from harness.journal import DamagedRecord
from harness.report.estimates import Point, per_instance, point
from harness.report.frames import KEYS, CellResult, Results, groups
from harness.report.values import REFERENCE
from harness.salt import SaltMissing

BOUNDS = {
    "keep": ("bound_keep", "upper bound, linear relaxation"),
    "any": ("bound_any", "optimum"),
    "farthest": ("farthest_next_use", "heuristic, no claim"),
}
BOUND_OF: Mapping[Class, str] = {"keep-only": "keep", "re-admitting": "any"}
GROUP = ["family", "reader", "model", "budget"]
OF_BOUND = "hit_ratio of bound"


def bounds(results: Results) -> tuple[pd.DataFrame, list[str]]:
    """Columns family, reader, model, budget, instance, checkpoint, bound, value; and what could not be computed."""
    found, notes = [], []
    wanted = {(c.label.family, c.label.reader, c.label.model, c.budget) for c in results.cells if c.budget is not None}
    cells: dict[tuple[str, str, str], list[CellResult]] = {}
    for cell in results.cells:
        if cell.strategy == REFERENCE and cell.metrics is not None:
            cells.setdefault((cell.label.family, cell.label.reader, cell.label.model), []).append(cell)
    for family, reader, model, budget in sorted(wanted, key=str):
        references = {c.label.draw: c for c in cells.get((family, reader, model), ())}
        if not references or budget is None:
            notes.append(
                f"{family}, {reader or model}: no bounds, for they are computed on the histories of `{REFERENCE}`"
            )
        for cell in references.values():
            try:
                rows = ceilings.rows(cell.folder, budget)
            except (DamagedRecord, SaltMissing) as lack:
                notes.append(f"{family}: no bounds: {lack}")
                continue
            front = {"family": family, "reader": cell.keys()["reader"], "model": model, "budget": budget}
            world = f"{cell.label.world}:" if cell.label.world else ""
            found += [
                {
                    **front,
                    "instance": world + row["instance"],
                    "checkpoint": row["checkpoint"],
                    "bound": bound,
                    "value": row[bound],
                }
                for row in rows
                for bound in BOUNDS
            ]
    columns = [*GROUP, "instance", "checkpoint", "bound", "value"]
    return pd.DataFrame(found, columns=columns).astype({"value": float}), list(dict.fromkeys(notes))


def classes(results: Results) -> dict[tuple[str, str], Class]:
    """(family, arm) -> the widest class among its episodes; an arm that is not held to the budget has none."""
    rows = results.tables["outcomes"]
    if "arm_class" not in rows:
        return {}
    free = unlimited(results)
    known = rows.dropna(subset=["arm_class"])
    known = known[~known["arm"].isin(free)]
    return {(own["family"], own["arm"]): widest(group["arm_class"]) for own, group in groups(known, ["family", "arm"])}


def unlimited(results: Results) -> frozenset[str]:
    """Arms that sent more than the budget in some turn."""
    steps = results.tables["steps"]
    if "input" not in steps:
        return frozenset()
    over = pd.to_numeric(steps["input"]) > pd.to_numeric(steps["budget"])
    return frozenset(steps.loc[over.fillna(False).astype(bool), "arm"].astype(str))


def points(rows: pd.DataFrame, bounded: pd.DataFrame, of: Mapping[tuple[str, str], Class]) -> list[Point]:
    """Lines "bound_keep", … of the measure hit_ratio, and the arms' hit ratios as shares of their bounds.

    rows: from `values`. Bounds are averaged over the instances that have a hit ratio at the checkpoint; a share is the
    mean hit ratio over the mean bound, on the instances that have both.
    """
    hits = rows[(rows["measure"] == "hit_ratio") & rows["value"].notna()]
    alive = hits[[*GROUP, "instance", "checkpoint"]].drop_duplicates()
    best: dict[tuple[object, ...], dict[str, float]] = {}
    found: list[Point] = []
    for own, part in groups(
        bounded.merge(alive, on=[*GROUP, "instance", "checkpoint"]), [*GROUP, "checkpoint", "bound"]
    ):
        name, claim = BOUNDS[own["bound"]]
        values = best[tuple(own.values())] = per_instance(part, ())
        known = stats.mean(list(values.values()))
        labels = {**own, "arm": name, "strategy": name}
        found.append(point(labels, own["checkpoint"], "hit_ratio", replace(known, method=f"{claim}; {known.method}")))
    for own, part in groups(hits, [*KEYS, "checkpoint"]):
        kind = of.get((own["family"], own["arm"]), "rewriting")
        bound = BOUND_OF.get(kind)
        if bound is None:
            continue
        pairs = _common(per_instance(part, ()), best.get((*(own[name] for name in (*GROUP, "checkpoint")), bound), {}))
        if (room := sum(b for _, b in pairs)) > 0:
            method = f"mean over the mean {BOUNDS[bound][0]}"
            ratio = stats.Estimate(sum(a for a, _ in pairs) / room, None, None, len(pairs), len(pairs), method)
            found.append(point(own, own["checkpoint"], OF_BOUND, ratio))
    return found


def _common(values: Mapping[str, float], best: Mapping[str, float]) -> Sequence[tuple[float, float]]:
    both = [(value, best.get(name, math.nan)) for name, value in values.items()]
    return [(a, b) for a, b in both if not (math.isnan(a) or math.isnan(b))]
