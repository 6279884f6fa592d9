"""Writes small sweeps with the documented tables, without running anything."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pandas as pd

CHECKPOINTS = (20, 40)


@dataclass(frozen=True)
class Episode:
    """success, retention: at the checkpoints; no success = a recorded run. needs: (step, met). steps: its length."""

    success: tuple[float, ...] | None = (1.0, 1.0)
    retention: tuple[float, ...] = (1.0, 1.0)
    needs: tuple[tuple[int, bool], ...] = ((10, True), (30, True))
    steps: int = 40
    ending: str = "completed"
    turns: int = 40
    overflow_turns: int = 0
    fired_turns: int = 2
    kind: str = "keep-only"


@dataclass(frozen=True)
class Cell:
    """A cell of a sweep. episodes None = it failed before it had tables."""

    strategy: str
    episodes: Mapping[str, Episode] | None
    task: str = "graph"
    reader: str | None = "ideal"
    budget: int = 1000
    seed: int = 0
    settings: Mapping[str, Any] = field(default_factory=dict)
    horizon: str | None = None
    conditions: Mapping[str, Any] = field(default_factory=dict)
    times: int = 1  # all checkpoints, so many times as late


def sweep(root: Path, cells: Sequence[Cell]) -> Path:
    rows = []
    for number, cell in enumerate(cells):
        names = {"task": cell.task, "strategy": cell.strategy, "model": "scripted" if cell.reader else "recorded"}
        names |= {"reader": cell.reader} if cell.reader else {}
        names |= {"horizon": cell.horizon} if cell.horizon else {}
        folder = root / f"{cell.strategy}-{number}"
        rows.append({"folder": folder.name, "names": names, "budget": cell.budget})
        config = {
            "task": {"_target_": "types.SimpleNamespace", "grammar": None},
            "strategy": {"_target_": f"strategies.{cell.strategy}", **cell.settings},
            "seed": cell.seed,
            "budget": cell.budget,
            **cell.conditions,
        }
        folder.mkdir(parents=True)
        (folder / "run.json").write_text(json.dumps({"config": config, "names": names}))
        if cell.episodes is not None:
            _tables(folder, cell.episodes, cell.times)
            (folder / "metrics.json").write_text(json.dumps({"missing": [], "measures": "one"}))
    (root / "plan.json").write_text(json.dumps({"cells": rows}))
    return root


def many(n: int, episode: Episode = Episode(), **changed: Sequence[Any]) -> dict[str, Episode]:
    """n instances i0, i1, …; changed: a value of a field for each."""
    return {f"i{i}": replace(episode, **{key: values[i] for key, values in changed.items()}) for i in range(n)}


def _tables(folder: Path, episodes: Mapping[str, Episode], times: int) -> None:
    tables: dict[str, list[dict[str, Any]]] = {"outcomes": [], "checkpoints": [], "steps": [], "facts": [], "needs": []}
    for name, episode in episodes.items():
        if episode.ending == "infrastructure":
            lost = {"instance": name, "ending": episode.ending, "status": episode.ending}
            tables["outcomes"].append(lost)
            tables["checkpoints"] += [{**lost, "checkpoint": k, "reached": False} for k in CHECKPOINTS]
            continue
        _episode(tables, name, episode)
    for row in (row for table in tables.values() for row in table if "checkpoint" in row):
        row["checkpoint"] *= times
    for table, rows in tables.items():
        pd.DataFrame(rows).convert_dtypes().to_parquet(folder / f"{table}.parquet", index=False)
    for table in ("ledger", "probes"):
        pd.DataFrame([]).to_parquet(folder / f"{table}.parquet", index=False)


def _episode(tables: dict[str, list[dict[str, Any]]], name: str, episode: Episode) -> None:
    spent = {"turns": episode.turns, "input": 100 * episode.turns, "output": episode.turns, "asked": 0}
    spent |= {"overflow_turns": episode.overflow_turns, "fired_turns": episode.fired_turns}
    spent |= {"managed_turns": 3, "cached_ideal": 50}
    spent |= {"rereads": 1, "repeated_reads": 1, "repeated_actions": 0}
    front = {"instance": name, "ending": episode.ending}
    tables["outcomes"].append({**front, "steps": episode.steps, "arm_class": episode.kind, **spent})
    tables["steps"].append({"instance": name, "turn": 1, "step": 1, "input": 100})
    for i, k in enumerate(CHECKPOINTS):
        row = {
            **front,
            **spent,
            "checkpoint": k,
            "reached": k <= episode.steps,
            "goals_due": k if episode.success else 0,
        }
        row["success"] = episode.success[i] if episode.success else None
        if row["reached"]:
            row |= {"retention": episode.retention[i], "retention_bare": episode.retention[i], "view_tokens": 100}
            fact = {"instance": name, "checkpoint": k, "fact": "f", "kind": "code", "age": k - 5}
            tables["facts"].append({**fact, "present": episode.retention[i] == 1.0})
        tables["checkpoints"].append(row)
    for step, met in episode.needs:
        if step <= episode.steps:
            reading = {"met": met, "met_bare": met, "met_any": True, "met_observation": met, "met_first": met}
            tables["needs"].append(
                {"instance": name, "step": step, "lost_by": None if met else "evict:budget", **reading}
            )
