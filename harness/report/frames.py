"""Reads the cells of a sweep: their tables, with the labels of each cell in front of every row.

Only the cells of plan.json count; folders of earlier sweeps of the same name are named and left out. All labels are
text and stay text: an arm may be called "none".
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from harness import suite
from harness.report.labels import Label, labels
from harness.tables import TABLES

KEYS = ["family", "arm", "strategy", "reader", "model", "budget"]


class ReportError(Exception):
    """Nothing can be reported; the message says what is missing and what to run."""


@dataclass(frozen=True, slots=True)
class CellResult:
    """A planned cell. metrics None = it has no tables: it failed, or has not run."""

    folder: Path
    strategy: str
    budget: int | None
    label: Label
    metrics: Mapping[str, Any] | None

    def keys(self) -> dict[str, Any]:
        label = self.label
        return {
            "family": label.family,
            "arm": label.arm,
            "strategy": self.strategy,
            "reader": label.reader or "-",
            "model": label.model,
            "budget": self.budget,
        }


@dataclass(frozen=True, slots=True)
class Results:
    """tables: by name, the rows of all cells, KEYS and `draw` first. left_out: folders that the plan does not name."""

    folder: Path
    cells: tuple[CellResult, ...]
    tables: Mapping[str, pd.DataFrame]
    left_out: tuple[str, ...]
    notes: tuple[str, ...]

    def conditions(self) -> dict[str, str]:
        """The condition (such as a horizon) under which each family was played."""
        return {cell.label.family: cell.label.condition for cell in self.cells}


def load(folder: Path) -> Results:
    """Raises ReportError where there is no plan or no cell has tables, MixedSuites for cells of several versions."""
    path = folder / "plan.json"
    if not path.is_file():
        raise ReportError(f"{path} is missing: give the folder of a sweep, results/NAME")
    planned = json.loads(path.read_text())["cells"]
    version = suite.check_one(folder / row["folder"] for row in planned)
    configs = [_json(folder / row["folder"] / "run.json").get("config") for row in planned]
    named = labels([(row["names"], config) for row, config in zip(planned, configs, strict=True)])
    cells = [
        CellResult(
            folder / row["folder"],
            str(row["names"]["strategy"]),
            row["budget"],
            label,
            _metrics(folder / row["folder"]),
        )
        for row, label in zip(planned, named, strict=True)
    ]
    if not any(cell.metrics for cell in cells):
        raise ReportError(
            f"none of the {len(cells)} cells of {path} has results: run the sweep, or read the error.txt of a cell"
        )
    cells = [_with_budget(cell) for cell in cells]
    tables = {name: _table(cells, name) for name in TABLES}
    names = {row["folder"] for row in planned}
    others = sorted(p.parent.name for p in folder.glob("*/run.json") if p.parent.name not in names)
    return Results(folder, tuple(cells), tables, tuple(others), (*_suite(version), *_notes(cells)))


def _suite(version: str | None) -> list[str]:
    return [] if version is None else [f"suite {version}"]


def groups(table: pd.DataFrame, by: Sequence[str]) -> Iterator[tuple[dict[str, Any], pd.DataFrame]]:
    """Rows grouped by columns, in order of first appearance, with the columns' values; an unknown budget is None."""
    for key, part in table.groupby(list(by), sort=False, dropna=False):
        labels: dict[str, Any] = dict(zip(by, key if isinstance(key, tuple) else (key,), strict=True))
        if "budget" in labels:
            labels["budget"] = None if pd.isna(labels["budget"]) else int(labels["budget"])
        yield labels, part


def _table(cells: Sequence[CellResult], name: str) -> pd.DataFrame:
    parts = []
    for cell in cells:
        path = cell.folder / f"{name}.parquet"
        if cell.metrics is None or not path.is_file():
            continue
        rows = pd.read_parquet(path)
        if rows.empty:
            continue
        rows = rows.drop(columns=[key for key in KEYS if key in rows.columns])
        if cell.label.world:
            rows["instance"] = cell.label.world + ":" + rows["instance"]
        front = pd.DataFrame([{**cell.keys(), "draw": cell.label.draw}] * len(rows), index=rows.index)
        parts.append(pd.concat([front, rows], axis=1))
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=[*KEYS, "draw", "instance"])


def _with_budget(cell: CellResult) -> CellResult:
    """A budget that is left to the window is known from the outcomes."""
    if cell.budget is not None or cell.metrics is None:
        return cell
    known = pd.read_parquet(cell.folder / "outcomes.parquet").get("budget")
    budget = int(known.max()) if known is not None and known.notna().any() else None
    return CellResult(cell.folder, cell.strategy, budget, cell.label, cell.metrics)


def _metrics(folder: Path) -> Mapping[str, Any] | None:
    return _json(folder / "metrics.json") or None


def _notes(cells: Sequence[CellResult]) -> list[str]:
    notes = [
        f"{cell.folder.name} has no results: all its instances count as missing"
        for cell in cells
        if cell.metrics is None
    ]
    if len({cell.metrics.get("measures") for cell in cells if cell.metrics}) > 1:
        notes.append("the cells were measured by different versions of the code: run the sweep again, records are kept")
    lists = {cell.metrics.get("prices") for cell in cells if cell.metrics}
    if len(lists) > 1:
        notes.append("the cells are priced by different lists: python -m harness.cost FOLDER --prices NAME")
    elif priced := next(iter(lists), None):
        notes.append(f"prices: {priced}")
    return notes


def _json(path: Path) -> dict[str, Any]:
    return dict(json.loads(path.read_text())) if path.is_file() else {}
