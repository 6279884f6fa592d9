"""The tables of a cell, computed from its records alone; columns and units stand in docs/measures.md."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from harness import grades, record, sources, suite
from harness.contract import Graded
from harness.cost import money
from harness.cost.prices import UNPRICED, Tariff
from harness.files import write_bytes, write_json
from harness.measures import Measured, Row, measure
from harness.parts import Parts

TABLES = ("outcomes", "checkpoints", "steps", "facts", "needs", "ledger", "probes")


def write(folder: Path, built: Parts, names: Mapping[str, str], tariff: Tariff = UNPRICED) -> bool:
    """Measure every finished record and write the tables, metrics.json last. Returns whether no instance is missing."""
    everything: dict[str, list[Row]] = {name: [] for name in TABLES}
    missing: list[str] = []
    ungraded: list[str] = []
    for instance in built.instances:
        path = folder / "episodes" / f"{instance.id}.jsonl"
        if not path.is_file():
            missing.append(instance.id)
            row: Row = {"instance": instance.id, "ending": "infrastructure", "status": "infrastructure"}
            own = grades.unplayed(folder, instance.id) if isinstance(built.task, Graded) else {}
            everything["outcomes"].append(row | own)
            everything["checkpoints"] += [{**row, "checkpoint": k, "reached": False} for k in built.checkpoints]
            continue
        recovered = _recovered(folder, instance.id)
        repositories = getattr(built.task, "repositories", ())
        played = record.load(path)
        measured = measure(played, built.task.grammar, built.checkpoints, recovered, repositories)
        if isinstance(built.task, Graded):
            judged = grades.load(folder, instance.id)
            ungraded += [instance.id] if judged is None else []
            grades.add(played, judged, measured)
        if tariff.agent is not None:
            money.add(played, tariff, measured, _same(built))
        _collect(everything, measured)
        everything["probes"] += _probes(folder, instance.id)
    version = suite.of_cell(folder)
    for outcome in everything["outcomes"]:
        outcome["suite"] = version
    for name, rows in everything.items():
        write_bytes(folder / f"{name}.parquet", _parquet(rows))
    metrics = _metrics(everything, built, missing) | ({"ungraded": ungraded} if ungraded else {})
    made = {"names": dict(names), "suite": version, "measures": measures_digest()}
    write_json(folder / "metrics.json", {**metrics, **made, "prices": tariff.label, "same_history": _same(built)})
    return not missing


def whole(folder: Path, tariff: Tariff = UNPRICED, graded: bool = False) -> bool:
    """Whether the cell is complete, measured by the code at hand and priced by these lists; graded: and judged."""
    path = folder / "metrics.json"
    if not path.is_file():
        return False
    metrics = json.loads(path.read_text())
    known = metrics["measures"] == measures_digest() and metrics.get("prices") == tariff.label
    return known and not metrics["missing"] and not (graded and metrics.get("ungraded"))


def measures_digest() -> str:
    return sources.digest({"harness.tables"})


def _collect(everything: dict[str, list[Row]], measured: Measured) -> None:
    everything["outcomes"].append(measured.outcome)
    everything["checkpoints"] += measured.checkpoints
    everything["steps"] += measured.turns
    everything["facts"] += measured.facts
    everything["needs"] += measured.needs
    everything["ledger"] += measured.ledger


def _recovered(folder: Path, instance: str) -> dict[int, dict[str, str]]:
    path = folder / "forks" / f"{instance}.json"
    return {int(k): v for k, v in json.loads(path.read_text()).items()} if path.is_file() else {}


def _probes(folder: Path, instance: str) -> list[Row]:
    path = folder / "forks" / f"{instance}.probes.json"
    return list(json.loads(path.read_text())) if path.is_file() else []


def reprice(folder: Path, tariff: Tariff) -> None:
    """Put the money of these lists into the tables of a measured cell, from its records."""
    path = folder / "metrics.json"
    metrics = json.loads(path.read_text())
    rows = {name: _rows(folder / f"{name}.parquet") for name in ("outcomes", "checkpoints", "steps", "ledger")}
    turns, checkpoints, ledger = (_by_instance(rows[name]) for name in ("steps", "checkpoints", "ledger"))
    for outcome in rows["outcomes"]:
        name = outcome["instance"]
        played = folder / "episodes" / f"{name}.jsonl"
        if played.is_file():
            own = (turns.get(name, []), checkpoints.get(name, []))
            measured = Measured(outcome, *own, ledger=ledger.get(name, []))
            money.add(record.load(played), tariff, measured, metrics["same_history"])
    for name, found in rows.items():
        write_bytes(folder / f"{name}.parquet", _parquet(found))
    write_json(path, {**metrics, "prices": tariff.label})


def _rows(path: Path) -> list[Row]:
    """A table as it was written: missing is None again."""
    table = pd.read_parquet(path)
    rows = table.astype(object).where(table.notna(), None).to_dict("records")
    return [{str(key): value for key, value in row.items()} for row in rows]


def _same(built: Parts) -> bool:
    """Whether the same history follows whatever the agent answers: only then a change of the view can be undone on
    paper."""
    return getattr(built.task, "coupling", None) == 0 and not getattr(built.model, "speaks", True)


def _by_instance(rows: Sequence[Row]) -> dict[str, list[Row]]:
    found: dict[str, list[Row]] = {}
    for row in rows:
        found.setdefault(row["instance"], []).append(row)
    return found


def _parquet(rows: Sequence[Row]) -> bytes:
    # Nullable types: a missing count stays missing instead of becoming a float or a zero.
    frame = pd.DataFrame(list(rows)).convert_dtypes()
    return frame.to_parquet(None, index=False)


def _metrics(everything: Mapping[str, Sequence[Row]], built: Parts, missing: Sequence[str]) -> dict[str, Any]:
    """A few numbers to read at a glance; the report is made from the tables."""
    checkpoints: dict[str, dict[str, Any]] = {}
    for k in built.checkpoints:
        rows = [row for row in everything["checkpoints"] if row["checkpoint"] == k]
        checkpoints[str(k)] = {name: _mean(rows, name) for name in ("success", "retention", "hit_ratio", "view_tokens")}
    endings: dict[str, int] = {}
    for row in everything["outcomes"]:
        endings[row["ending"]] = endings.get(row["ending"], 0) + 1
    return {
        "planned": len(built.instances),
        "missing": list(missing),
        "endings": endings,
        "checkpoints": checkpoints,
    }


def _mean(rows: Sequence[Row], name: str) -> dict[str, Any]:
    values = [row[name] for row in rows if row.get(name) is not None]
    return {"mean": sum(values) / len(values) if values else None, "n": len(values)}
