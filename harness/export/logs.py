"""A measured cell as one log of Inspect: a sample an episode."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pandas as pd
from inspect_ai.log import (
    EvalConfig,
    EvalDataset,
    EvalError,
    EvalLog,
    EvalMetric,
    EvalResults,
    EvalSample,
    EvalSampleLimit,
    EvalScore,
    EvalSpec,
    EvalStats,
    write_eval_log,
)
from inspect_ai.model import ModelUsage
from inspect_ai.scorer import Score

from harness import journal
from harness.export import events as turned
from harness.export.messages import Chat
from harness.record import Record, parse
from harness.report.frames import CellResult

Row = Mapping[str, Any]
LIMITS = {"limit_turns": "turn", "limit_tokens": "token", "context_overflow": "context"}
AT = ("success", "retention")  # of the checkpoints


def write(cell: CellResult, folder: Path) -> Path:
    """Write the log of a measured cell below `folder` and return its path. Raises journal.DamagedRecord."""
    path = folder / f"{cell.folder.name}.eval"
    path.parent.mkdir(parents=True, exist_ok=True)
    write_eval_log(log(cell), str(path))
    return path


def log(cell: CellResult) -> EvalLog:
    described = json.loads((cell.folder / "run.json").read_text())
    config, names = described["config"], described["names"]
    model = f"longhaul/{names['model']}"
    outcomes = _rows(cell.folder / "outcomes.parquet")
    samples = [one for row in outcomes if (one := _sample(cell.folder, row, described, model)) is not None]
    missing = [row["instance"] for row in outcomes if not _record(cell.folder, row["instance"]).is_file()]
    created = min((sample.started_at or "" for sample in samples), default=_when(cell.folder / "run.json").isoformat())
    error = None
    if missing:
        text = f"{len(missing)} of {len(outcomes)} episodes have no record: {', '.join(missing)}"
        error = EvalError(message=text, traceback=text, traceback_ansi=text)
    ids = [str(sample.id) for sample in samples]
    spec = EvalSpec(
        eval_id=described["identity"][:22], run_id=described["identity"][:22], task_id=described["identity"][:22],
        created=created, task=f"{names['task']} {cell.label.arm}", task_args={"task": config["task"]}, model=model,
        solver=names["strategy"], solver_args=dict(config["strategy"]), config=EvalConfig(epochs=1),
        dataset=EvalDataset(name=names["task"], samples=len(outcomes), sample_ids=list(ids)),
        metadata={**cell.keys(), "suite": described.get("suite"), "limits": config.get("limits")},
    )  # fmt: skip
    return EvalLog(
        status="error" if missing else "success", eval=spec, samples=samples, error=error,
        results=_results(samples, len(outcomes)),
        stats=EvalStats(started_at=created, completed_at=_end(samples, created), model_usage=_sum(samples)),
    )  # fmt: skip


def _sample(folder: Path, outcome: Row, described: Row, model: str) -> EvalSample | None:
    path = _record(folder, outcome["instance"])
    if not path.is_file():
        return None
    rows = journal.read(path)
    record, start = parse(rows), _when(path)
    episode = f"{described['identity'][:12]}.{record.instance}"
    chat = Chat(record, model, episode)
    ledger: dict[int, list[Row]] = {}
    for row in _of(folder / "ledger.parquet", record.instance):
        ledger.setdefault(row["turn"], []).append(row)
    made = list(turned.events(record, rows, ledger, chat, model, start))
    seconds = sum(sum(turn.time or ()) + turn.seconds for turn in record.turns)
    about = {key: value for key, value in outcome.items() if value is not None and key != "instance"}
    end = (start + timedelta(seconds=seconds)).isoformat()
    return EvalSample(
        id=record.instance, epoch=1, input=chat.task(), target="", messages=chat.whole, events=made,
        scores=_scores(outcome, _of(folder / "checkpoints.parquet", record.instance)), metadata=about,
        model_usage=_used(record, model),
        started_at=start.isoformat(), completed_at=end, total_time=seconds, working_time=seconds,
        limit=_limit(record, described["config"].get("limits") or {}), uuid=episode,
    )  # fmt: skip


def _scores(outcome: Row, checkpoints: Sequence[Row]) -> dict[str, Score]:
    """The task's own scores, and success and retention at each checkpoint. Missing is no score, never 0."""
    found = {key.removeprefix("score_"): value for key, value in outcome.items() if key.startswith("score_")}
    for row in checkpoints:
        found |= {f"{name}@{row['checkpoint']}": row.get(name) for name in AT}
    return {name: Score(value=float(value)) for name, value in found.items() if value is not None}


def _results(samples: Sequence[EvalSample], planned: int) -> EvalResults:
    # in their order: the viewer takes the first for the headline
    names = list(dict.fromkeys(name for sample in samples for name in sample.scores or {}))
    scores = []
    for name in names:
        values = [sample.scores[name].as_float() for sample in samples if sample.scores and name in sample.scores]
        mean = EvalMetric(name="mean", value=sum(values) / len(values))
        score = EvalScore(name=name, scorer="longhaul", metrics={"mean": mean})
        score.scored_samples, score.unscored_samples = len(values), planned - len(values)
        scores.append(score)
    return EvalResults(total_samples=planned, completed_samples=len(samples), scores=scores)


def _used(record: Record, model: str) -> dict[str, ModelUsage]:
    used = {model: sum((turned.usage(turn) for turn in record.turns), ModelUsage())}
    if record.asks:
        used[turned.ROLE] = sum((turned.asked(ask) for ask in record.asks), ModelUsage())
    return used


def _sum(samples: Sequence[EvalSample]) -> dict[str, ModelUsage]:
    total: dict[str, ModelUsage] = {}
    for sample in samples:
        for name, used in sample.model_usage.items():
            total[name] = total.get(name, ModelUsage()) + used
    return total


def _end(samples: Sequence[EvalSample], created: str) -> str:
    return max((sample.completed_at or "" for sample in samples), default=created)


def _limit(record: Record, limits: Mapping[str, Any]) -> EvalSampleLimit | None:
    """The limit that ended an episode; where none was set as a number, how far it came.

    A strategy's error is a result, so it is no error of the sample: its reason stands in the metadata.
    """
    kind = LIMITS.get(record.ending)
    if kind is None:
        return None
    given = {"turn": limits.get("turns"), "token": limits.get("tokens"), "context": record.budget}[kind]
    reached = {"turn": len(record.turns), "token": record.tokens, "context": record.budget}[kind]
    return EvalSampleLimit.model_validate({"type": kind, "limit": float(given or reached), "reason": record.reason})


def _record(folder: Path, instance: str) -> Path:
    return folder / "episodes" / f"{instance}.jsonl"


def _when(path: Path) -> datetime:
    return datetime.fromtimestamp(int(path.stat().st_mtime), UTC)


def _of(path: Path, instance: str) -> list[dict[str, Any]]:
    return [row for row in _rows(path) if row.pop("instance") == instance]


def _rows(path: Path) -> list[dict[str, Any]]:
    """A table as it was written: missing is None, numbers are Python's own."""
    table = pd.read_parquet(path)
    if table.empty:
        return []
    return [dict(row) for row in json.loads(table.to_json(orient="records", double_precision=15))]

