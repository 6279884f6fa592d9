"""The tables of finished sweeps as tidy frames: `load("results/bench")`, or several folders at once.

Every row begins with the labels of its cell, all of them text: `sweep` (the folder's name), `family`, `arm`,
`strategy`, `reader`, `model`, and `draw` (the seed of the reader's luck); `budget` is a number of tokens. An arm called
"none" stays "none". The other columns, with their units, stand in docs/measures.md.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from harness import suite
from harness.report import frames
from harness.report.frames import KEYS, ReportError, Results


@dataclass(frozen=True, slots=True)
class Frames:
    """episodes: a row an episode, planned ones without a result too (`status` infrastructure). checkpoints: an instance
    at step k. steps: a turn. facts: a fact live at a checkpoint. needs: a fact that an action needs. ledger: an event
    of a strategy. probes: a question asked on a fork.
    """

    episodes: pd.DataFrame
    checkpoints: pd.DataFrame
    steps: pd.DataFrame
    facts: pd.DataFrame
    needs: pd.DataFrame
    ledger: pd.DataFrame
    probes: pd.DataFrame


def load(folders: str | Path | Sequence[str | Path]) -> Frames:
    """Raises ReportError where a sweep has no plan, no results, or not the rows that its plan promises; MixedSuites
    for sweeps of several versions of the suite.
    """
    paths = [Path(folders)] if isinstance(folders, (str, Path)) else [Path(folder) for folder in folders]
    loaded = [frames.load(path) for path in paths]
    suite.check_one(cell.folder for results in loaded for cell in results.cells)
    for results in loaded:
        check(results)
    names = ("outcomes", "checkpoints", "steps", "facts", "needs", "ledger", "probes")
    return Frames(*(_together(loaded, name) for name in names))


def check(results: Results) -> None:
    """Every measured cell has a row for each planned instance, once, in `outcomes` and at each checkpoint, and
    in `steps` as many rows as turns were counted. Raises ReportError with the first that has not."""
    for cell in results.cells:
        if cell.metrics is None:
            continue
        _check_checkpoints(cell.folder, cell.metrics)
        _check_steps(cell.folder)
        instances = pd.read_parquet(cell.folder / "outcomes.parquet", columns=["instance"])["instance"]
        planned = cell.metrics.get("planned", len(instances))
        if len(instances) != planned or instances.duplicated().any():
            raise _lacking(cell.folder, "outcomes", len(instances), f"{planned} planned instances")


def _check_checkpoints(folder: Path, metrics: Mapping[str, Any]) -> None:
    planned, at = metrics.get("planned"), metrics.get("checkpoints")
    rows = pd.read_parquet(folder / "checkpoints.parquet")
    if planned is None or not at:
        return
    if len(rows) != planned * len(at) or rows.duplicated(["instance", "checkpoint"]).any():
        raise _lacking(folder, "checkpoints", len(rows), f"{planned} planned instances at {len(at)} checkpoints")


def _check_steps(folder: Path) -> None:
    outcomes = pd.read_parquet(folder / "outcomes.parquet")
    if "turns" not in outcomes or "suite" not in outcomes:  # a cell without a played episode
        return
    turns, rows = int(pd.to_numeric(outcomes["turns"]).sum()), len(pd.read_parquet(folder / "steps.parquet"))
    if turns != rows:
        raise _lacking(folder, "steps", rows, f"{turns} turns")


def _lacking(folder: Path, table: str, rows: int, planned: str) -> ReportError:
    remedy = "delete metrics.json there and run the sweep again; the records are kept"
    return ReportError(f"{folder / table}.parquet has {rows} rows for {planned}: {remedy}")


def _together(loaded: Sequence[Results], name: str) -> pd.DataFrame:
    parts = [results.tables[name].assign(sweep=results.folder.name) for results in loaded]
    table = pd.concat(parts, ignore_index=True)
    front = ["sweep", *KEYS, "draw"]
    return table[[*front, *(column for column in table.columns if column not in front)]]
