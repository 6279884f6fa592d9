"""A cell in its folder: locked, claimed, resumed after any kill, measured from its records."""

from __future__ import annotations

import json
import multiprocessing
import os
import random
import signal
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from harness import cell, tables
from harness.cell import CellError
from harness.record import load

TABLES = ("outcomes", "checkpoints", "steps", "facts", "needs", "ledger", "probes")


def settings(strategy: Mapping[str, Any] | None = None, **changed: Any) -> dict[str, Any]:
    """A small resolved config of three episodes."""
    return {
        "task": {"_target_": "tests.machine.toy.Desk", "horizon": 12, "count": 3, "back": 4},
        "strategy": dict(strategy or {"_target_": "tests.machine.arms.Notebook", "keep": 2}),
        "model": {"_target_": "tests.machine.toy.Clerk"},
        "reader": None,
        "tokenizer": {"_target_": "harness.tokens.Characters"},
        "embedder": {},
        "compactor": {},
        "limits": {"turns": None, "turn_factor": 1.5, "turn_spare": 10, "tokens": None, "output": 100},
        "budget": 4000,
        "window": None,
        "margin": 0,
        "only": None,
        "seed": 0,
        "checkpoints": [5, 10],
        "name": "run",
        "results": "results",
        "isolate": False,
        "quiet": True,
        **changed,
    }


def run(folder: Path, config: Mapping[str, Any] | None = None) -> bool:
    return cell.run(config or settings(), folder, {"task": "desk"})


def contents(folder: Path) -> dict[str, bytes]:
    """Every file that must not differ between two runs of one cell: records, forks, tables, metrics."""
    kept = (".jsonl", ".json", ".parquet")
    files = [p for p in folder.rglob("*") if p.suffix in kept and not p.name.endswith(".times.jsonl")]
    return {str(p.relative_to(folder)): p.read_bytes() for p in files if p.name not in ("run.json", ".progress.json")}


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("whole")
    assert run(folder)
    return folder


def test_a_cell_leaves_records_forks_tables_and_metrics(whole: Path) -> None:
    names = {"episodes/desk-0.jsonl", "episodes/desk-1.jsonl", "episodes/desk-2.jsonl"}
    names |= {f"forks/desk-{n}.json" for n in range(3)} | {f"{name}.parquet" for name in TABLES} | {"metrics.json"}
    assert set(contents(whole)) == names
    last = max(whole.rglob("*.*"), key=lambda path: path.stat().st_mtime_ns)
    assert last.name == "metrics.json"
    metrics = json.loads((whole / "metrics.json").read_text())
    assert (metrics["planned"], metrics["missing"], metrics["endings"]) == (3, [], {"completed": 3})
    described = json.loads((whole / "run.json").read_text())
    assert described["config"]["task"]["horizon"] == 12
    assert {"identity", "versions", "git", "host"} <= set(described)


def test_a_second_run_does_nothing(whole: Path) -> None:
    before = {path: path.stat().st_mtime_ns for path in whole.rglob("*") if path.name != ".lock"}
    assert run(whole)
    assert {path: path.stat().st_mtime_ns for path in whole.rglob("*") if path.name != ".lock"} == before


def test_two_runs_give_the_same_bytes(whole: Path, tmp_path: Path) -> None:
    assert run(tmp_path)
    assert contents(tmp_path) == contents(whole)


def test_an_episode_alone_gives_the_bytes_that_it_gives_among_others(whole: Path, tmp_path: Path) -> None:
    run(tmp_path, settings(only=["desk-2"]))
    record = "episodes/desk-2.jsonl"
    assert (tmp_path / record).read_bytes() == (whole / record).read_bytes()


def test_forks_change_no_byte_of_the_record(whole: Path, tmp_path: Path) -> None:
    run(tmp_path, settings(checkpoints=[]))
    for n in range(3):
        record = f"episodes/desk-{n}.jsonl"
        assert (tmp_path / record).read_bytes() == (whole / record).read_bytes()
    assert not (tmp_path / "forks").exists()


# ---------------------------------------------------------------- one process, one configuration


def _hold(folder: Path, ready: Any, done: Any) -> None:
    with cell.locked(folder):
        ready.set()
        done.wait(30)


def test_another_process_in_the_folder_is_noticed(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    ready, done = context.Event(), context.Event()
    holder = context.Process(target=_hold, args=(tmp_path, ready, done))
    holder.start()
    assert ready.wait(30)
    with pytest.raises(CellError, match="another process is at work in this folder; wait for it, or set name="):
        run(tmp_path)
    assert holder.pid is not None
    os.kill(holder.pid, signal.SIGKILL)
    holder.join()
    assert run(tmp_path), "a killed process leaves no lock"


def test_a_changed_configuration_is_refused_with_the_difference(whole: Path) -> None:
    before = contents(whole)
    with pytest.raises(CellError) as refused:
        run(whole, settings({"_target_": "tests.machine.arms.Newest", "keep": 3}, budget=3000))
    lines = str(refused.value).splitlines()
    assert lines[1:4] == [
        "  budget: 4000 -> 3000",
        '  strategy._target_: "tests.machine.arms.Notebook" -> "tests.machine.arms.Newest"',
        "  strategy.keep: 2 -> 3",
    ]
    assert contents(whole) == before


def test_changed_sources_are_refused_too(tmp_path: Path) -> None:
    run(tmp_path)
    described = json.loads((tmp_path / "run.json").read_text())
    (tmp_path / "run.json").write_text(json.dumps({**described, "identity": "0" * 64}))
    with pytest.raises(CellError, match="the settings are equal; the sources differ"):
        run(tmp_path)


def test_settings_that_change_no_result_may_change(whole: Path) -> None:
    assert run(whole, settings(name="other", results="/elsewhere", isolate=True, quiet=False))


# ---------------------------------------------------------------- faults


def test_a_fault_of_the_machinery_is_missing_and_not_zero(whole: Path, tmp_path: Path) -> None:
    broken = settings(model={"_target_": "tests.machine.toy.Clerk", "fails_at": "desk-1"})
    assert not run(tmp_path, broken)
    assert "ConnectionError: the model's server is gone" in (tmp_path / "errors" / "desk-1.txt").read_text()
    outcomes = pd.read_parquet(tmp_path / "outcomes.parquet").set_index("instance")
    assert list(outcomes.status) == ["scored", "infrastructure", "scored"]
    assert pd.isna(outcomes.score_met["desk-1"])
    assert outcomes.score_met["desk-0"] == 8
    checkpoints = pd.read_parquet(tmp_path / "checkpoints.parquet")
    lost = checkpoints[checkpoints.instance == "desk-1"]
    assert list(lost.checkpoint) == [5, 10]
    assert lost.success.isna().all()
    assert lost.retention.isna().all()
    metrics = json.loads((tmp_path / "metrics.json").read_text())
    assert metrics["missing"] == ["desk-1"]
    assert metrics["checkpoints"]["10"]["success"] == {"mean": 1.0, "n": 2}
    assert not tables.whole(tmp_path)


def test_what_failed_alone_runs_again_and_goes_on(whole: Path, tmp_path: Path) -> None:
    """Once the model is back, the same folder becomes whole: here by hand, since the toy's fault is a setting."""
    run(tmp_path / "broken", settings(model={"_target_": "tests.machine.toy.Clerk", "fails_at": "desk-1"}))
    os.replace(tmp_path / "broken" / "episodes", tmp_path / "episodes")
    assert (tmp_path / "episodes" / "desk-1.jsonl.part").stat().st_size > 0
    finished = (tmp_path / "episodes" / "desk-0.jsonl").stat().st_mtime_ns
    assert run(tmp_path)
    assert (tmp_path / "episodes" / "desk-0.jsonl").stat().st_mtime_ns == finished
    mine, theirs = contents(tmp_path), contents(whole)
    # the forks of the finished episodes stayed with the broken cell
    records = [name for name in theirs if name.startswith("episodes/")]
    assert {name: mine[name] for name in records} == {name: theirs[name] for name in records}


def test_a_diverged_attempt_is_set_aside_and_the_episode_starts_anew(whole: Path, tmp_path: Path) -> None:
    record = (whole / "episodes" / "desk-1.jsonl").read_bytes()
    part = tmp_path / "episodes" / "desk-1.jsonl.part"
    part.parent.mkdir()
    other = record[: len(record) // 2].replace(b'"tokens"', b'"tokenz"', 1)
    part.write_bytes(other)
    assert run(tmp_path)
    assert (tmp_path / "episodes" / "desk-1.jsonl").read_bytes() == record
    assert other.startswith((tmp_path / "episodes" / "desk-1.discarded-1").read_bytes())
    assert "differs at byte" in (tmp_path / "errors" / "desk-1.diverged.txt").read_text()
    assert contents(tmp_path) == contents(whole)


def test_a_damaged_record_is_loud_and_the_others_run(tmp_path: Path) -> None:
    part = tmp_path / "episodes" / "desk-1.jsonl.part"
    part.parent.mkdir()
    part.write_bytes(b'{"row":"head"}\nnot json\n{"row":"turn"}\n')
    assert not run(tmp_path)
    assert "line 2 of 3 is no JSON" in (tmp_path / "errors" / "desk-1.txt").read_text()
    assert part.read_bytes() == b'{"row":"head"}\nnot json\n{"row":"turn"}\n'
    part.unlink()
    assert run(tmp_path)
    assert not (tmp_path / "errors" / "desk-1.txt").exists()


def test_a_finished_record_that_was_altered_is_loud(tmp_path: Path) -> None:
    run(tmp_path)
    record = tmp_path / "episodes" / "desk-0.jsonl"
    record.write_bytes(record.read_bytes().replace(b'"met":8', b'"met":9').replace(b'"met":8.0', b'"met":9.0'))
    (tmp_path / "metrics.json").unlink()
    with pytest.raises(Exception, match=r"desk-0\.jsonl: the rows are not the ones that were recorded"):
        run(tmp_path)


def test_other_measures_measure_again_and_ask_nobody(tmp_path: Path) -> None:
    log = tmp_path / "asked"
    config = logged(log)
    run(tmp_path / "cell", config)
    asked, before = log.stat().st_size, contents(tmp_path / "cell")
    path = tmp_path / "cell" / "metrics.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "measures": "those of another version"}))
    (tmp_path / "cell" / "needs.parquet").write_bytes(b"old")
    assert run(tmp_path / "cell", config)
    assert contents(tmp_path / "cell") == before
    assert log.stat().st_size == asked


# ---------------------------------------------------------------- killed at any moment


def logged(log: Path) -> dict[str, Any]:
    return settings(model={"_target_": "tests.machine.toy.Clerk", "log": str(log)})


def test_killed_at_any_moment_the_finished_cell_is_the_unbroken_one(tmp_path: Path) -> None:
    """Kills land wherever a record has just grown to a random size, so that few come before or after the episodes."""
    config = logged(tmp_path / "log")
    assert run(tmp_path / "unbroken", config)
    asked = (tmp_path / "log").stat().st_size
    episodes = sorted((tmp_path / "unbroken" / "episodes").glob("desk-?.jsonl"))
    sizes = [path.stat().st_size for path in episodes]
    luck, folder = random.Random(3), tmp_path / "cell"
    targets = sorted(luck.sample(range(sum(sizes)), 10))
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["tests.machine.test_cell"])
    kills = 0
    for target in targets:
        process = context.Process(target=run, args=(folder, config))
        process.start()
        while process.is_alive() and grown(folder) < target:
            time.sleep(0.0005)
        process.kill()
        process.join()
        kills += process.exitcode == -signal.SIGKILL
    assert kills >= 8
    assert run(folder, config)
    # at most the answer that was on its way is asked for twice
    assert (tmp_path / "log").stat().st_size <= 2 * asked + kills * len("asked\n")
    assert contents(folder) == contents(tmp_path / "unbroken")
    timed, twice = 0, 0
    for times in folder.rglob("*.times.jsonl"):
        rows = [json.loads(line) for line in times.read_text().splitlines()]
        turns = [row[0] for row in rows]
        assert turns == sorted(turns)
        timed += len(set(turns))
        twice += len(turns) - len(set(turns))
    # at most the turn that a kill broke has no time, or two
    played = sum(len(load(path).turns) for path in folder.glob("episodes/desk-?.jsonl"))
    assert played - timed <= kills and twice <= kills


def grown(folder: Path) -> int:
    return sum(p.stat().st_size for p in folder.glob("episodes/desk-?.jsonl*") if p.exists()) if folder.exists() else 0


def test_infeasible_instances_have_a_status_of_their_own(tmp_path: Path) -> None:
    assert run(tmp_path, settings(budget=100))
    outcomes = pd.read_parquet(tmp_path / "outcomes.parquet")
    assert list(outcomes.status) == ["infeasible"] * 3
    checkpoints = pd.read_parquet(tmp_path / "checkpoints.parquet")
    assert checkpoints.success.isna().all()
    assert load(tmp_path / "episodes" / "desk-0.jsonl").turns == ()
