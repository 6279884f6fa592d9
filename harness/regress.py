"""`python -m harness.regress strategy=NAME [strategy.PARAMETER=…] [--save]`: has a changed strategy moved its curve?

The fixed long case (conf/experiment/regress.yaml: families pipeline and graph, 80 steps, 10 instances each) is run and
compared, instance by instance, with the curve saved in results/reference/regress: success and retention at every
checkpoint, what moved, and by how much. --save makes the new curve the saved one.
"""

from __future__ import annotations

import argparse
import json
import math
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
from hydra import initialize_config_dir

from harness import job, plan, suite
from harness.__main__ import CONF
from harness.files import write_json
from harness.pairs import Difference, paired
from harness.parts import SettingsError
from harness.plan import Cell
from harness.report.grid import Column, grid

FAMILIES = ("pipeline", "graph")
MEASURES = ("success", "retention")
FOLDER = Path("results") / "reference" / "regress"

Curve = dict[str, dict[str, float | None]]  # "pipeline success@20" -> instance -> value


@dataclass(frozen=True, slots=True)
class Moved:
    """A point of the curve: means before and after over the instances that have both, and the paired difference."""

    point: str
    before: float
    after: float
    difference: Difference


def cells(overrides: Sequence[str]) -> list[Cell]:
    with initialize_config_dir(CONF, version_base="1.3"):
        return plan.cells([[f"task={family}", "experiment=regress", *overrides] for family in FAMILIES])


def run(planned: Sequence[Cell]) -> Curve:
    """Run what is missing, and read the values. Raises SettingsError for a cell that failed."""
    curve: Curve = {}
    for cell in planned:
        if not job.run(cell):
            error = cell.folder / job.ERROR
            raise SettingsError(f"{error}: {error.read_text().strip().splitlines()[-1]}")
        rows = pd.read_parquet(cell.folder / "checkpoints.parquet")
        for row in rows.to_dict("records"):
            for measure in MEASURES:
                value = row.get(measure)
                point = curve.setdefault(f"{cell.names['task']} {measure}@{row['checkpoint']}", {})
                point[str(row["instance"])] = None if value is None or pd.isna(value) else float(value)
    return curve


def compare(before: Curve, after: Curve) -> list[Moved]:
    """Every point that both curves have, over the union of their instances."""
    found = []
    for point in after:
        if point not in before:
            continue
        names = sorted({*before[point], *after[point]})
        old, new = ([_number(curve[point].get(name)) for name in names] for curve in (before, after))
        both = [(a, b) for a, b in zip(old, new, strict=True) if not math.isnan(a + b)]
        if both:
            means = [sum(side) / len(both) for side in zip(*both, strict=True)]
            found.append(Moved(point, means[0], means[1], paired(new, old)))
    return found


def _number(value: float | None) -> float:
    return math.nan if value is None else value


def lines(moved: Sequence[Moved]) -> Iterator[str]:
    columns = [Column("", left=True), *map(Column, ("n", "saved", "now", "moved", "95 %", "p"))]
    rows = []
    for one in moved:
        estimate, p = one.difference.estimate, one.difference.p
        limits = "–" if estimate.low is None else f"{estimate.low:+.3f} to {estimate.high:+.3f}"
        moves = "=" if one.before == one.after else f"{one.after - one.before:+.3f}"
        row = [one.point, str(estimate.scored), f"{one.before:.3f}", f"{one.after:.3f}", moves, limits]
        rows.append([*row, "–" if p is None or moves == "=" else f"{p:.3f}"])
    yield from grid(columns, rows)
    far = [one for one in moved if one.before != one.after]
    if not far:
        yield "nothing moved: every point is what was saved"
        return
    most = max(far, key=lambda one: abs(one.after - one.before))
    yield f"{len(far)} of {len(moved)} points moved, most of all {most.point}: {most.before:.3f} -> {most.after:.3f}"
    yield (
        "the same instances before and after: intervals and p (sign flips) tell a shift from the scatter over instances"
    )


def path(overrides: Sequence[str]) -> Path:
    """Where the curve of these settings is saved."""
    name = "-".join(override.removeprefix("strategy=").removeprefix("strategy.") for override in overrides)
    return FOLDER / f"{re.sub(r'[^A-Za-z0-9_.=-]+', '_', name)}.json"


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        prog="python -m harness.regress", description="Compare a strategy with its saved curve."
    )
    parser.add_argument("settings", nargs="+", metavar="SETTING", help="strategy=NAME, and any parameter of it")
    parser.add_argument("--save", action="store_true", help="save the new curve")
    chosen = parser.parse_args(arguments)
    if not any(setting.startswith("strategy=") for setting in chosen.settings):
        parser.error("strategy=NAME is missing")
    try:
        planned, file = cells(chosen.settings), path(chosen.settings)
        curve = run(planned)
        version = suite.check_one(cell.folder for cell in planned)
        told = compared(file, curve, version)
    except (SettingsError, suite.MixedSuites) as problem:
        sys.exit(f"longhaul: {problem}")
    print("\n".join(told))
    if chosen.save:
        write_json(file, {"settings": chosen.settings, "suite": version, "curve": curve})
        print(f"saved as {file}")


def compared(file: Path, curve: Curve, version: str | None) -> list[str]:
    """What to say of a new curve beside the saved one; without one, the new one alone."""
    saved: Mapping[str, Any] = json.loads(file.read_text()) if file.is_file() else {}
    if saved and saved["suite"] == version:
        return list(lines(compare(saved["curve"], curve)))
    why = f"{file} was saved under suite {saved['suite']}, now it is {version}" if saved else f"there is no {file} yet"
    means = {point: [v for v in values.values() if v is not None] for point, values in curve.items()}
    rows = [[point, str(len(v)), f"{sum(v) / len(v):.3f}" if v else "–"] for point, v in means.items()]
    table = grid([Column("", left=True), Column("n"), Column("now")], rows)
    return [*table, f"{why}: nothing to compare with, --save makes this the saved curve"]


if __name__ == "__main__":
    main()
