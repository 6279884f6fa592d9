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
from harness.report.frames import KEYS, CellResult, Results
from harness.report.values import REFERENCE

BOUNDS = {
    "keep": ("bound_keep", "upper bound, linear relaxation"),
    "any": ("bound_any", "optimum"),
    "farthest": ("farthest_next_use", "heuristic, no claim"),
}
BOUND_OF: Mapping[Class, str] = {"keep-only": "keep", "re-admitting": "any"}
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
            notes.append(f"{family}, {reader or model}: no bounds, for they are computed on the histories of `{REFERENCE}`")
        for cell in references.values():
            try:
                rows = ceilings.rows(cell.folder, budget)
            except DamagedRecord as damage:
                notes.append(f"no bounds: {damage}")
                continue
            front = {"family": family, "reader": cell.keys()["reader"], "model": model, "budget": budget}
            world = f"{cell.label.world}:" if cell.label.world else ""
            found += [
                {**front, "instance": world + row["instance"], "checkpoint": row["checkpoint"], "bound": bound, "value": row[bound]}
                for row in rows
                for bound in BOUNDS
            ]
    columns = ["family", "reader", "model", "budget", "instance", "checkpoint", "bound", "value"]
    return pd.DataFrame(found, columns=columns).astype({"value": float}), list(dict.fromkeys(notes))


def classes(results: Results) -> dict[tuple[str, str], Class]:
    """(family, arm) -> the widest class among its episodes; an arm that is not held to the budget has none."""
    rows = results.tables["outcomes"]
    if "arm_class" not in rows:
        return {}
    free = unlimited(results)
    known = rows.dropna(subset=["arm_class"])
    known = known[[arm not in free for arm in known["arm"]]]
    return {
        (str(family), str(arm)): widest(group["arm_class"])
        for (family, arm), group in known.groupby(["family", "arm"], sort=False)  # type: ignore[misc]
    }


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
    group = ["family", "reader", "model", "budget"]
    alive = hits[[*group, "instance", "checkpoint"]].drop_duplicates()
    bounded = bounded.merge(alive, on=[*group, "instance", "checkpoint"])
    found: list[Point] = []
    means: dict[tuple[object, ...], dict[str, float]] = {}
    for key, part in bounded.groupby([*group, "checkpoint", "bound"], sort=False):
        *own, checkpoint, bound = key if isinstance(key, tuple) else (key,)
        means[(*own, checkpoint, bound)] = per_instance(part, ())
        name, claim = BOUNDS[str(bound)]
        labels = {**dict(zip(group, own, strict=True)), "arm": name, "strategy": name}
        known = stats.mean(list(means[(*own, checkpoint, bound)].values()))
        found.append(_claimed(point(labels, int(checkpoint), "hit_ratio", known), claim))
    for key, part in hits.groupby([*KEYS, "checkpoint"], sort=False, dropna=False):
        labels = dict(zip([*KEYS, "checkpoint"], key if isinstance(key, tuple) else (key,), strict=True))
        kind = of.get((str(labels["family"]), str(labels["arm"])))
        best = means.get((*(labels[name] for name in group), labels["checkpoint"], BOUND_OF.get(kind, "")), {}) if kind else {}
        pairs = _common(per_instance(part, ()), best)
        if pairs and sum(b for _, b in pairs) > 0:
            value = sum(a for a, _ in pairs) / sum(b for _, b in pairs)
            method = f"mean over the mean {BOUNDS[BOUND_OF[kind]][0]}" if kind else ""
            known = stats.Estimate(value, None, None, len(pairs), len(pairs), method)
            found.append(point(labels, int(labels["checkpoint"]), OF_BOUND, known))
    return found


def _common(values: Mapping[str, float], best: Mapping[str, float]) -> Sequence[tuple[float, float]]:
    both = [(value, best.get(name, math.nan)) for name, value in values.items()]
    return [(a, b) for a, b in both if not (math.isnan(a) or math.isnan(b))]


def _claimed(found: Point, claim: str) -> Point:
    from dataclasses import replace

    method = f"{claim}; {found.method}" if found.method else claim
    return replace(found, method=method)
