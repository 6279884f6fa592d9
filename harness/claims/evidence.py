"""What sweeps show, arm by arm, with the settings that an arm and its surroundings had."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from harness.identity import settings
from harness.report import frames, values
from harness.report.estimates import per_instance
from harness.report.frames import KEYS, groups
from harness.suite import check_one

UNVERSIONED = "without a version"
# What draws other instances or has a place of its own sets no conditions.
_APART = frozenset({"seed", "instances", "only", "checkpoints", "budget", "window", "margin"})


@dataclass(frozen=True, slots=True)
class Sample:
    """The episodes of one arm under one set of conditions. rows: instance, checkpoint, measure, value.

    settings: of the strategy. conditions: everything else that both arms of a pair must share, the budget apart.
    """

    task: str
    strategy: str
    model: str
    reader: str | None
    budget: int | None
    settings: Mapping[str, Any]
    conditions: Mapping[str, Any]
    rows: pd.DataFrame

    def values(self, measure: str, checkpoint: int) -> dict[str, float]:
        """By instance, repeats averaged, NaN = missing; empty where it was not measured."""
        rows = self.rows
        return per_instance(rows[(rows["measure"] == measure) & (rows["checkpoint"] == checkpoint)], ())


@dataclass(frozen=True, slots=True)
class Evidence:
    """suite: version and digest of the suite that the samples were run on, or UNVERSIONED."""

    samples: tuple[Sample, ...]
    suite: str
    notes: tuple[str, ...]

    @property
    def version(self) -> str | None:
        return None if self.suite == UNVERSIONED else self.suite.split(" ")[0]


def load(folders: Sequence[Path]) -> Evidence:
    """Raises ReportError where a folder is no sweep with results, MixedSuites where versions would be mixed."""
    samples: list[Sample] = []
    cells: list[Path] = []
    notes: list[str] = []
    for folder in folders:
        results = frames.load(folder)
        cells += [cell.folder for cell in results.cells]
        samples += _samples(results)
        notes += [f"{folder.name}: {note}" for note in results.notes]
    return Evidence(tuple(samples), check_one(cells) or UNVERSIONED, tuple(notes))


def _samples(results: frames.Results) -> Iterator[Sample]:
    first: dict[str, frames.CellResult] = {}
    for cell in results.cells:
        first.setdefault(json.dumps(cell.keys()), cell)
    for own, rows in groups(values.values(results), KEYS):
        cell = first[json.dumps(own)]
        described = _described(cell.folder)
        config = described.get("config")
        if not config:
            continue  # it failed before it wrote what it was
        names, seed = described["names"], str(config["task"].get("seed", ""))
        if seed and not cell.label.world:  # equal ids of differently seeded worlds are not the same instance
            rows = rows.assign(instance=seed + ":" + rows["instance"])
        yield Sample(
            names["task"],
            names["strategy"],
            names["model"],
            names.get("reader"),
            own["budget"],
            config["strategy"],
            _conditions(config) | {"suite": described.get("suite"), "prices": (cell.metrics or {}).get("prices")},
            rows[["instance", "checkpoint", "measure", "value"]],
        )


def _described(folder: Path) -> dict[str, Any]:
    path = folder / "run.json"
    return dict(json.loads(path.read_text())) if path.is_file() else {}


def _conditions(config: Mapping[str, Any]) -> dict[str, Any]:
    kept = {key: value for key, value in settings(config).items() if key not in _APART | {"strategy"}}
    return kept | {"task": {key: value for key, value in config["task"].items() if key not in ("seed", "instances")}}
