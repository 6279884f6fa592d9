"""A sweep written as Inspect logs and read back by the real package: nothing is lost, nothing is counted twice."""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
import sys
import time
from pathlib import Path

import pandas as pd
import pytest

pytest.importorskip("inspect_ai", reason="needs the extra `inspect`")

from inspect_ai.analysis import events_df, messages_df, samples_df
from inspect_ai.event import CompactionEvent, InfoEvent, ModelEvent, ToolEvent
from inspect_ai.log import EvalLog, EvalSample, read_eval_log

from harness import record
from harness.export.__main__ import main
from tests import browser
from tests.machine.cli import ROOT

SETTINGS = (
    "task=pipeline", "task.horizon=24", "task.subtasks=3", "task.reach=20", "checkpoints=[12,24]", "instances=2",
    "quiet=true", "hydra.launcher._target_=hydra._internal.core_plugins.basic_launcher.BasicLauncher",
)  # fmt: skip


@pytest.fixture(scope="module")
def sweep(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("export")
    arms = ("strategy=window,mask,summary,none", "isolate=false", "budget=4500", "limits.turns=30")
    command = [sys.executable, "-m", "harness", "-m", *SETTINGS, *arms, "name=small", f"results={root}"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    main(["inspect", str(root / "small")])
    return root / "small"


@pytest.fixture(scope="module")
def logs(sweep: Path) -> dict[Path, EvalLog]:
    """By the folder of the cell."""
    found = sorted((sweep / "inspect").glob("*.eval"))
    return {sweep / path.stem: read_eval_log(str(path), resolve_attachments=True) for path in found}


def episodes(logs: dict[Path, EvalLog]) -> list[tuple[record.Record, EvalSample]]:
    return [
        (record.load(folder / "episodes" / f"{sample.id}.jsonl"), sample)
        for folder, log in logs.items()
        for sample in log.samples or []
    ]


def test_a_log_a_cell_and_a_sample_an_episode(logs: dict[Path, EvalLog]) -> None:
    assert {log.eval.solver for log in logs.values()} == {"window", "mask", "summary", "none"}
    for folder, log in logs.items():
        config = json.loads((folder / "run.json").read_text())["config"]
        assert log.status == "success" and len(log.samples or []) == 2
        assert log.eval.solver_args == config["strategy"] and log.eval.task_args == {"task": config["task"]}


def test_the_transcript_is_the_history(logs: dict[Path, EvalLog]) -> None:
    for played, sample in episodes(logs):
        messages = [message for segment in played.segments for message in segment.messages]
        assert [(m.role, m.text) for m in sample.messages] == [(m.role, m.content) for m in messages]
        called = [[(c.id, c.function) for c in getattr(m, "tool_calls", None) or []] for m in sample.messages]
        assert called == [[(c.id, c.name) for c in m.calls] for m in messages]
        assert isinstance(sample.input, str) and sample.input == played.segments[0].messages[1].content


def test_each_request_shows_what_the_model_saw(logs: dict[Path, EvalLog]) -> None:
    for played, sample in episodes(logs):
        requests = [event for event in sample.events if isinstance(event, ModelEvent) and event.role is None]
        views = record.views(played)
        assert len(requests) == len(views) > 0
        for request, view, turn in zip(requests, views, played.turns, strict=True):
            assert [(m.role, m.text) for m in request.input] == [(m.role, m.content) for m in view]
            reply = played.segments[turn.segment].messages[turn.length]
            assert request.output.message.text == reply.content


def test_tool_calls_have_their_answers(logs: dict[Path, EvalLog]) -> None:
    for played, sample in episodes(logs):
        answers = [(m.answers, m.content) for s in played.segments for m in s.messages if m.answers is not None]
        tools = [event for event in sample.events if isinstance(event, ToolEvent)]
        assert [(event.id, event.result) for event in tools] == answers
        assert all(event.function for event in tools)


def test_tokens_add_up_to_those_of_the_tables(logs: dict[Path, EvalLog]) -> None:
    for folder, log in logs.items():
        outcomes = pd.read_parquet(folder / "outcomes.parquet").set_index("instance")
        for sample in log.samples or []:
            row = outcomes.loc[str(sample.id)]
            assert sum(used.total_tokens for used in sample.model_usage.values()) == row["tokens"]
            own = sample.model_usage.get("compactor")
            assert (own.total_tokens if own else 0) == row["asked"]
            events = [event for event in sample.events if isinstance(event, ModelEvent)]
            assert sum(event.output.usage.total_tokens for event in events if event.output.usage) == row["tokens"]
    summary = next(log for log in logs.values() if log.eval.solver == "summary")
    assert "compactor" in summary.stats.model_usage


def test_each_change_of_the_view_is_one_compaction_of_its_kind(logs: dict[Path, EvalLog]) -> None:
    kinds: dict[str, set[str]] = {}
    for folder, log in logs.items():
        ledger = pd.read_parquet(folder / "ledger.parquet")
        events = [event for sample in log.samples or [] for event in sample.events]
        found = [event for event in events if isinstance(event, CompactionEvent)]
        kinds[str(log.eval.solver)] = {event.type for event in found}
        changed = ledger[ledger["version"].notna()] if len(ledger) else ledger
        assert [(e.tokens_before, e.tokens_after) for e in found] == [
            (row["before"], row["after"]) for _, row in changed.iterrows()
        ]
        assert len([event for event in events if isinstance(event, InfoEvent)]) == len(ledger) - len(changed)
    assert kinds["window"] == {"trim"} and kinds["none"] == set()
    assert "edit" in kinds["mask"] and "summary" in kinds["summary"]


def test_scores_are_those_of_the_tables_and_missing_is_no_score(logs: dict[Path, EvalLog]) -> None:
    for folder, log in logs.items():
        checkpoints = pd.read_parquet(folder / "checkpoints.parquet").set_index(["instance", "checkpoint"])
        for sample in log.samples or []:
            for k in (12, 24):
                for name in ("success", "retention"):
                    value = checkpoints.loc[(str(sample.id), k)].get(name)
                    score = (sample.scores or {}).get(f"{name}@{k}")
                    assert (score is None) == bool(pd.isna(value))
                    assert score is None or score.as_float() == pytest.approx(float(value), abs=1e-12)
        assert log.results is not None
        for score in log.results.scores:
            own = [s.scores[score.name].as_float() for s in log.samples or [] if score.name in (s.scores or {})]
            assert score.metrics["mean"].value == pytest.approx(sum(own) / len(own))
            assert (score.scored_samples, score.unscored_samples) == (len(own), 2 - len(own))
    none = next(log for log in logs.values() if log.eval.solver == "none")
    assert all(sample.limit and sample.limit.type == "context" for sample in none.samples or [])
    assert all("retention@24" not in (sample.scores or {}) for sample in none.samples or [])


def test_data_frames_of_several_logs_keep_every_row(sweep: Path, logs: dict[Path, EvalLog]) -> None:
    """Inspect takes messages of equal ids for one: ours differ between episodes."""
    every = episodes(logs)
    folder = str(sweep / "inspect")
    assert len(samples_df(folder)) == len(every) == 8
    messages = messages_df(folder)
    requests = [event for _, sample in every for event in sample.events if isinstance(event, ModelEvent)]
    assert messages["message_id"].is_unique
    assert {message.id for event in requests for message in event.input} <= set(messages["message_id"])
    assert len(events_df(folder)) == sum(len(sample.events) for _, sample in every)


def test_an_episode_without_a_record_is_missing_not_zero(sweep: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(sweep, tmp_path / "sweep", ignore=shutil.ignore_patterns("inspect"))
    cell = next(folder.glob("pipeline-window-*"))
    lost = sorted((cell / "episodes").glob("*.jsonl"))[0]
    lost.unlink()
    main(["inspect", str(folder), "--to", str(tmp_path / "logs")])
    log = read_eval_log(str(tmp_path / "logs" / f"{cell.name}.eval"))
    assert log.status == "error" and log.error is not None and lost.stem in log.error.message
    assert log.results is not None and (log.results.total_samples, log.results.completed_samples) == (2, 1)


def test_no_sweep_no_log(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match=r"plan\.json is missing"):
        main(["inspect", str(tmp_path)])


def listening(port: int, seconds: float = 30) -> None:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)
    raise TimeoutError(f"nothing listens on port {port}")


@pytest.mark.skipif(browser.find() is None, reason="no browser is installed")
def test_the_viewer_shows_a_transcript(sweep: Path, tmp_path: Path) -> None:
    log = next((sweep / "inspect").glob("*summary*.eval"))
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "inspect_ai", "view", "start", "--log-dir", str(log.parent), "--port", str(port)]
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        listening(port)
        at = f"http://127.0.0.1:{port}/#/logs"
        with browser.browser(tmp_path / "profile") as address:
            listed = browser.look(address, at, "pipeline summary")
            seen = browser.look(address, f"{at}/{log.name}/samples/sample/pipeline-000/1/", "compaction")
    finally:
        server.terminate()
        server.wait(timeout=10)
    assert all(arm in listed.text for arm in ("pipeline window", "pipeline mask", "pipeline summary"))
    assert "compaction" in seen.text
    assert not listed.errors and not seen.errors
