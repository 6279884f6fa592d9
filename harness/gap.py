"""`python -m harness.gap results/PUBLIC results/PRIVATE`: what a secret salt changes, arm by arm.

Both sweeps have been reported (values.parquet). The instances differ, so the means are compared as those of two
independent samples, with Welch's interval (Biometrika 1947). An arm that does better in public than in private has
been fitted to the public instances or wordings; a model that does, may have read them. Private texts differ in length
by a few per cent: run both sweeps with `budget_share`, which gives each its share of its own history.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
from scipy.stats import kendalltau, ttest_ind

from harness import suite
from harness.report.frames import ReportError
from harness.report.grid import Column, grid
from harness.salt import salt_of
from harness.stats import FEWEST, per_instance

MEASURES = ("success", "retention")
CASE = ["family", "arm", "reader", "model", "budget"]


@dataclass(frozen=True, slots=True)
class Gap:
    """Public minus private mean of a measure at a checkpoint. low, high: 95 % limits, None under 8 instances a side."""

    case: tuple[str, ...]
    checkpoint: int
    measure: str
    public: float
    private: float
    n: tuple[int, int]
    low: float | None
    high: float | None

    @property
    def gap(self) -> float:
        return self.public - self.private


def gaps(public: Path, private: Path) -> list[Gap]:
    """One for each case, checkpoint and measure that both sweeps have. Raises ReportError where there is none."""
    folders = [*_cells(public), *_cells(private)]
    suite.check_one(folders)
    for folder, cells, wanted in ((public, _cells(public), False), (private, _cells(private), True)):
        if not any(_salted(cell) == wanted for cell in cells):
            kind = "private: run it with LONGHAUL_SALT set" if wanted else "public: run it without LONGHAUL_SALT"
            raise ReportError(f"{folder}: no cell of this sweep is {kind}")
    sides = [_means(folder) for folder in (public, private)]
    common = [key for key in sides[0] if key in sides[1]]
    if not common:
        raise ReportError(f"{public} and {private} have no family, arm, reader, model and budget in common")
    return [_gap(key, sides[0][key], sides[1][key]) for key in common]


Key = tuple[tuple[str, ...], int, str]


def _means(folder: Path) -> dict[Key, list[float]]:
    """By case, checkpoint and measure one value an instance."""
    path = folder / "values.parquet"
    if not path.is_file():
        raise ReportError(f"{path} is missing: python -m harness.summary {folder}")
    rows, shares = pd.read_parquet(path), _shares(folder)
    rows = rows[rows["measure"].isin(MEASURES) & (rows["checkpoint"] > 0)]
    found: dict[Key, list[float]] = {}
    for names, group in rows.groupby([*CASE, "checkpoint", "measure"], dropna=False, sort=False):
        *case, checkpoint, measure = map(str, names)
        repeats = per_instance(group["value"].to_numpy(float), group["instance"].tolist())
        values = [one.mean for one in repeats if not math.isnan(one.mean)]
        if values:
            budget = shares.get((case[0].split()[0], case[-1]), case[-1])
            found[(*case[:-1], budget), int(checkpoint), measure] = values
    return found


def _shares(folder: Path) -> dict[tuple[str, str], str]:
    """By task and budget the share of the full history that the budget was set as, where it was."""
    found = {}
    for cell in _cells(folder):
        row = _run(cell)
        if row and (share := row["config"].get("budget_share")) is not None:
            found[str(row["names"]["task"]), str(row["config"]["budget"])] = f"{share:.0%} of full"
    return found


def _gap(key: Key, public: list[float], private: list[float]) -> Gap:
    case, checkpoint, measure = key
    low = high = None
    if min(len(public), len(private)) >= FEWEST and len({*public, *private}) > 1:
        limits = ttest_ind(public, private, equal_var=False).confidence_interval(0.95)
        low, high = float(limits.low), float(limits.high)
    means = [sum(values) / len(values) for values in (public, private)]
    return Gap(case, checkpoint, measure, means[0], means[1], (len(public), len(private)), low, high)


def _cells(folder: Path) -> list[Path]:
    path = folder / "plan.json"
    if not path.is_file():
        raise ReportError(f"{path} is missing: give the folder of a sweep, results/NAME")
    return [folder / row["folder"] for row in json.loads(path.read_text())["cells"]]


def _run(cell: Path) -> Mapping[str, Any]:
    path = cell / "run.json"
    return json.loads(path.read_text()) if path.is_file() else {}


def _salted(cell: Path) -> bool:
    row = _run(cell)
    return bool(row) and salt_of(row["config"]) is not None


def lines(found: Sequence[Gap]) -> Iterator[str]:
    """A table a measure at the last checkpoint, with the agreement of the arms' ranks."""
    last = max(gap.checkpoint for gap in found)
    names = ["family", "arm", "reader", "model", "budget"]
    columns = [*(Column(name, left=True) for name in names), Column("n"), Column("public"), Column("private")]
    columns += [Column("gap"), Column("95 %")]
    for measure in MEASURES:
        rows = [gap for gap in found if gap.checkpoint == last and gap.measure == measure]
        table = [
            [
                *gap.case, "/".join(map(str, gap.n)),
                f"{gap.public:.3f}", f"{gap.private:.3f}", f"{gap.gap:+.3f}", _limits(gap),
            ]
            for gap in rows
        ]  # fmt: skip
        yield f"{measure}@{last}, public minus private"
        yield from grid(columns, table)
        if len({gap.case[1] for gap in rows}) > 2:
            tau = kendalltau([gap.public for gap in rows], [gap.private for gap in rows]).statistic
            yield f"Kendall's τ of the two columns: {tau:.2f}"
        yield ""


def _limits(gap: Gap) -> str:
    if gap.low is None or gap.high is None:
        return f"n < {FEWEST}" if min(gap.n) < FEWEST else "no spread"
    return f"{gap.low:+.3f} to {gap.high:+.3f}" + (" *" if gap.low > 0 or gap.high < 0 else "")


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m harness.gap", description="Public against private instances.")
    parser.add_argument("public", type=Path, help="the folder of a sweep without a salt")
    parser.add_argument("private", type=Path, help="the folder of the same sweep with LONGHAUL_SALT")
    chosen = parser.parse_args(arguments)
    try:
        print("\n".join(lines(gaps(chosen.public, chosen.private))))
        print("* the interval leaves out 0; one in twenty does by chance")
    except (ReportError, suite.MixedSuites) as problem:
        sys.exit(f"longhaul: {problem}")


if __name__ == "__main__":
    main()
