"""Writes sweeps for the claims: settings of every cell, and one value a measure for each instance."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd

CHECKPOINTS = (20, 80)


@dataclass(frozen=True)
class Cell:
    """measures: by name, a value an instance, the same at all checkpoints and over the whole episode.

    None = the episode ended by a fault of the infrastructure.
    """

    strategy: str
    measures: Mapping[str, Sequence[float | None]]
    settings: Mapping[str, Any] = field(default_factory=dict)
    task: str = "graph"
    task_settings: Mapping[str, Any] = field(default_factory=dict)
    model: str = "scripted"
    reader: str | None = "ideal"
    budget: int = 6000
    suite: str | None = "v1 abc"
    target: str | None = None


def sweep(root: Path, *cells: Cell) -> Path:
    rows = []
    for number, cell in enumerate(cells):
        folder = root / f"cell-{number}"
        names = {"task": cell.task, "strategy": cell.strategy, "model": cell.model}
        names |= {"reader": cell.reader} if cell.reader else {}
        rows.append({"folder": folder.name, "names": names, "budget": cell.budget})
        config = {
            "name": root.name,
            "task": {"_target_": f"tasks.{cell.task}", "seed": 0, **cell.task_settings},
            "strategy": {"_target_": cell.target or f"strategies.{cell.strategy}", **cell.settings},
            "seed": 0,
            "budget": cell.budget,
        }
        folder.mkdir(parents=True)
        described = {"names": names, "config": config} | ({"suite": cell.suite} if cell.suite else {})
        (folder / "run.json").write_text(json.dumps(described))
        _tables(folder, cell.measures)
        (folder / "metrics.json").write_text(json.dumps({"missing": [], "measures": "one"}))
    (root / "plan.json").write_text(json.dumps({"cells": rows}))
    return root


def _tables(folder: Path, measures: Mapping[str, Sequence[float | None]]) -> None:
    outcomes: list[dict[str, Any]] = []
    checkpoints: list[dict[str, Any]] = []
    for i in range(max(map(len, measures.values()))):
        own = {name: values[i] for name, values in measures.items()}
        lost = any(value is None for value in own.values())
        row = {"instance": f"i{i}", "ending": "infrastructure" if lost else "completed", "steps": 80, **own}
        outcomes.append(row)
        checkpoints += [{**row, "checkpoint": k, "reached": not lost, "goals_due": k} for k in CHECKPOINTS]
    for name, table in (("outcomes", outcomes), ("checkpoints", checkpoints)):
        pd.DataFrame(table).to_parquet(folder / f"{name}.parquet", index=False)
    for name in ("steps", "facts", "needs", "ledger"):
        pd.DataFrame([]).to_parquet(folder / f"{name}.parquet", index=False)


def register(root: Path, **claims: Mapping[str, Any]) -> Path:
    """A folder of claims; what a claim does not say is that `one` has more success than `two` at step 80."""
    root.mkdir(parents=True)
    for name, given in claims.items():
        claim = {
            "statement": "One solves more than two.",
            "source": "nobody",
            "published": "nothing",
            "registered": "2026-11-30",
            "suite": "v1",
            "metric": "success",
            "checkpoint": 80,
            "a": {"strategy": "one"},
            "b": {"strategy": "two"},
            "reader": "ideal",
            "direction": "greater",
            "effect": 0.1,
            **given,
        }
        (root / f"{name}.yaml").write_text(json.dumps(claim))
    return root
