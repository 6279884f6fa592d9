"""The tables of finished sweeps as tidy frames: `load("results/bench")`, or several folders at once.

Every row begins with the labels of its cell, all of them text: `sweep` (the folder's name), `family`, `arm`,
`strategy`, `reader`, `model`, and `draw` (the seed of the reader's luck); `budget` is a number of tokens. An arm called
"none" stays "none". The other columns, with their units, stand in docs/measures.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

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
    """Every measured cell has a row for each planned instance, once. Raises ReportError with the first that has not."""
    for cell in results.cells:
        if cell.metrics is None:
            continue
        instances = pd.read_parquet(cell.folder / "outcomes.parquet", columns=["instance"])["instance"]
        planned = cell.metrics.get("planned", len(instances))
        if len(instances) != planned or instances.duplicated().any():
            raise ReportError(
                f"{cell.folder / 'outcomes.parquet'} has {len(instances)} rows for {planned} planned instances: "
                "delete metrics.json there and run the sweep again; the records are kept"
            )


def _together(loaded: Sequence[Results], name: str) -> pd.DataFrame:
    parts = [results.tables[name].assign(sweep=results.folder.name) for results in loaded]
    table = pd.concat(parts, ignore_index=True)
    front = ["sweep", *KEYS, "draw"]
    return table[[*front, *(column for column in table.columns if column not in front)]]
