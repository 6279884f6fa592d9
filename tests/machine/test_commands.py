"""The real command line, from a user's own folder: faults, refusals, launchers, interruption."""

from __future__ import annotations

import json
import os
import signal
import time
from pathlib import Path

import pytest

from tests.machine.cli import Done, User, finish
from tests.machine.test_cell import contents

# started together: most of a start is imports
COMMANDS: dict[str, tuple[str, ...]] = {
    "faults": ("-m", "strategy=careful,leaves,killed,hungry,window", "name=faults"),
    "joblib": (
        "-m",
        "strategy=careful,window,careful,notebook",
        "hydra/launcher=joblib",
        "hydra.launcher.n_jobs=2",
        "name=joblib",
    ),
    "alone": ("strategy=careful", "isolate=false", "quiet=true", "name='a=b, c'", "results=out/here"),
    "target": ("strategy=empty", "strategy._target_=mine.Careful", "+strategy.keep=2", "only=ids", "name=target"),
    "quoted": (
        "-m",
        "strategy=careful",
        "only=['desk-1'],[desk-0,'desk-1']",
        "budget=4000",
        "name=quoted",
        "quiet=true",
    ),
    "unknown": ("-m", "strategy=window,windo", "name=refused"),
    "key": ("strategy.keeep=1", "name=refused"),
    "budget": ("-m", "budget=4000,50", "name=refused"),
    "checkpoint": ("-m", "checkpoints=[5,50],[5]", "name=refused"),
    "window": ("budget=null", "window=500", "name=refused"),
    "module": ("strategy=empty", "strategy._target_=nowhere.Thing", "name=refused"),
    "syntax": ("strategy=empty", "strategy._target_=torn.Thing", "name=refused"),
    "value": ("strategy=empty", "+strategy.x=${nothing}", "name=refused"),
    "number": ("only=[1_1_1]", "name=refused"),
}


@pytest.fixture(scope="module")
def user(tmp_path_factory: pytest.TempPathFactory) -> User:
    user = User.at(tmp_path_factory.mktemp("user"))
    (user.folder / "ids").write_text("desk-1\ndesk-0\n")
    return user


@pytest.fixture(scope="module")
def done(user: User) -> dict[str, Done]:
    names = list(COMMANDS)
    found: dict[str, Done] = {}
    for some in (names[:5], names[5:10], names[10:]):
        running = {name: user.start(*COMMANDS[name]) for name in some}
        found |= {name: finish(process) for name, process in running.items()}
    return found


def cells(folder: Path) -> dict[str, Path]:
    """The cells that the plan lists, by strategy."""
    plan = json.loads((folder / "plan.json").read_text())["cells"]
    return {row["names"]["strategy"]: folder / row["folder"] for row in plan}


# ---------------------------------------------------------------- a cell that fails


def test_whatever_a_strategy_does_the_others_run(user: User, done: dict[str, Done]) -> None:
    found = cells(user.folder / "results" / "faults")
    assert list(found) == ["careful", "leaves", "killed", "hungry", "window"]
    for name in ("careful", "window"):
        assert not json.loads((found[name] / "metrics.json").read_text())["missing"]
        assert not (found[name] / "error.txt").exists()
    last = {name: (found[name] / "error.txt").read_text().splitlines()[-1] for name in ("leaves", "killed", "hungry")}
    assert last == {
        "leaves": "SystemExit: I am leaving",
        "killed": "the process of this cell ended early: killed by SIGKILL",
        "hungry": "MemoryError: no more room",
    }


def test_a_list_at_the_end_and_exit_code_1(user: User, done: dict[str, Done]) -> None:
    faults = done["faults"]
    assert faults.code == 1
    end = faults.err[faults.err.index("3 of 5 cells failed; the same command runs what is missing:") :].splitlines()
    found = cells(user.folder / "results" / "faults")
    assert [line.split(":")[0].strip() for line in end[1:]] == [
        str(found[name] / "error.txt") for name in ("leaves", "killed", "hungry")
    ]


def test_plain_lines_without_a_terminal(user: User, done: dict[str, Done]) -> None:
    err = done["faults"].err
    assert "5 cells planned in " in err
    folder = cells(user.folder / "results" / "faults")
    assert f"[1/5] {folder['careful'].name}: done (" in err
    assert f": FAILED, see {folder['leaves'] / 'error.txt'} (" in err
    assert "\x1b" not in err
    assert "[1/1]" not in done["alone"].err


# ---------------------------------------------------------------- the same bytes however they are run


def test_launchers_and_processes_give_the_same_bytes(user: User, done: dict[str, Done]) -> None:
    assert (done["joblib"].code, done["alone"].code) == (0, 0), done["joblib"].err + done["alone"].err
    basic = cells(user.folder / "results" / "faults")
    parallel = cells(user.folder / "results" / "joblib")
    alone = cells(user.folder / "out" / "here" / "a=b, c")
    for name in ("careful", "window"):
        assert contents(parallel[name]) == contents(basic[name])
        assert parallel[name].name == basic[name].name
    assert contents(alone["careful"]) == contents(basic["careful"])
    for name, path in parallel.items():
        described = json.loads((path / "run.json").read_text())["config"]
        assert described["name"] == "joblib", f"{name}: a worker gets plain, resolved values"
        assert described["task"]["count"] == 2


def test_equal_jobs_are_one_cell(user: User, done: dict[str, Done]) -> None:
    assert "3 cells planned (4 jobs, equal ones once) in " in done["joblib"].err
    assert list(cells(user.folder / "results" / "joblib")) == ["careful", "window", "notebook"]


# ---------------------------------------------------------------- a user's own strategy and settings


def test_a_strategy_outside_the_project_by_target_or_search_path(user: User, done: dict[str, Done]) -> None:
    assert done["target"].code == 0, done["target"].err
    by_target = cells(user.folder / "results" / "target")["empty"]
    by_file = cells(user.folder / "results" / "faults")["careful"]
    for number in range(2):
        record = f"episodes/desk-{number}.jsonl"
        assert (by_target / record).read_bytes() == (by_file / record).read_bytes()
    described = json.loads((by_target / "run.json").read_text())
    assert described["config"]["strategy"] == {"_target_": "mine.Careful", "keep": 2}
    assert json.loads((by_target / "metrics.json").read_text())["planned"] == 2


def test_ids_are_texts_and_a_list_of_them_is_one_value(user: User, done: dict[str, Done]) -> None:
    assert done["quoted"].code == 0, done["quoted"].err
    rows = json.loads((user.folder / "results" / "quoted" / "plan.json").read_text())["cells"]
    planned = []
    for row in rows:
        described = json.loads((user.folder / "results" / "quoted" / row["folder"] / "run.json").read_text())
        planned.append(described["config"]["only"])
    assert planned == [["desk-1"], ["desk-0", "desk-1"]]
    assert done["number"].code == 1
    assert "only: 111 is no instance; there are 2, such as 'desk-0'" in done["number"].err


# ---------------------------------------------------------------- refusals, before the first episode


@pytest.mark.parametrize(
    "name, message",
    [
        ("unknown", "Could not find 'strategy/windo'"),
        ("unknown", "Available options in 'strategy':\n\t"),
        ("key", "Could not override 'strategy.keeep'"),
        ("budget", "1 of 2 cells cannot run:\n  desk-window-50-"),
        ("budget", "the budget of 50 leaves -"),
        ("checkpoint", "checkpoint 50 lies past the task's horizon of 12 steps"),
        ("window", "window=500 - limits.output=512 - margin=0 leaves no room for any input"),
        ("module", "_target_ 'nowhere.Thing': there is no such module; is its folder on the import path?"),
        ("syntax", 'torn.py", line 1'),
        ("value", "Interpolation key 'nothing' not found"),
    ],
)
def test_what_cannot_work_is_refused(user: User, done: dict[str, Done], name: str, message: str) -> None:
    assert done[name].code == 1
    assert message in done[name].err
    refused = user.folder / "results" / "refused"
    assert not [path for path in refused.rglob("*") if path.name not in (".lock", "multirun.yaml")]


# ---------------------------------------------------------------- interruption, and two at once


def test_interrupted_it_says_so_and_goes_on_to_the_same_bytes(user: User, done: dict[str, Done]) -> None:
    """Ctrl-C in the middle of a sweep, and the same sweep started twice at once."""
    command = ("-m", "strategy=notebook,careful", "model=slow", "name=slow")
    first = user.start(*command)
    folder = user.folder / "results" / "slow"
    deadline = time.monotonic() + 60
    while not list(folder.glob("*/episodes/*.part")) and time.monotonic() < deadline:
        time.sleep(0.02)
    second = finish(user.start(*command))
    assert second.code == 1
    assert f"longhaul: {folder}: another process is at work in this folder; wait for it, or set name=" in second.err
    os.killpg(first.pid, signal.SIGINT)
    stopped = finish(first)
    assert stopped.code not in (0, None)
    assert "stopped; the same command runs what is missing" in stopped.err
    assert not list(folder.glob("*/error.txt")), "an interrupted cell has not failed"
    assert not all((path / "metrics.json").exists() for path in cells(folder).values())
    again = finish(user.start(*command))
    assert again.code == 0, again.err
    for name in ("notebook", "careful"):
        mine, theirs = (contents(cells(path)[name]) for path in (folder, user.folder / "results" / "joblib"))
        for found in (mine, theirs):
            del found["metrics.json"]  # it names the model, which answered the same, but slowly
        assert mine == theirs
