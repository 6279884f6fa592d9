"""Episodes in real containers, through the command line; skipped where no Docker daemon answers."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from harness import record
from tasks.swebench import owner, sandbox
from tests.machine.cli import ROOT, Done, finish
from tests.swebench import toyimage
from tests.swebench.toyrows import IMAGE, PATCH, row, written
from tests.swebench.toytask import WRONG

pytestmark = pytest.mark.skipif(toyimage.daemon() is not None, reason=str(toyimage.daemon()))
LIMITS = sandbox.Limits(memory=0.3, processes=64, disk=0.1)


@pytest.fixture(scope="module")
def base() -> str:
    return toyimage.build()


@pytest.fixture
def box(base: str) -> Iterator[sandbox.Sandbox]:
    made = sandbox.start(IMAGE, "toy", LIMITS)
    yield made
    made.close()


def start(folder: Path, data: str, *changes: str) -> subprocess.Popen[str]:
    """`python -m harness` on the toy rows, in a session of its own."""
    settings = ["task=swebench", f"task.data={data}", "task.disk=0.1", "strategy=full", "budget=40000", "quiet=true"]
    settings += ["tokenizer=characters", "embedder=none", "compactor=none", "checkpoints=[2,4]", "limits.turns=20"]
    flags = [change for change in changes if change.startswith("-")]
    command = [sys.executable, "-m", "harness", *flags, *settings, *(c for c in changes if c not in flags)]
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    pipe = subprocess.PIPE
    return subprocess.Popen(command, cwd=folder, env=env, stdout=pipe, stderr=pipe, text=True, start_new_session=True)


def run(folder: Path, data: str, *changes: str) -> Done:
    return finish(start(folder, data, *changes))


def containers() -> list[str]:
    out = subprocess.run(["docker", "ps", "-aq", "--filter", f"label={owner.LABEL}"], capture_output=True, text=True)
    return out.stdout.split()


def records(folder: Path) -> list[record.Record]:
    found = sorted((folder / "results").glob("*/*/episodes/*.jsonl"))
    return [record.load(path) for path in found if not path.name.endswith(".times.jsonl")]


def test_a_container_is_locked_down_and_sees_nothing_of_the_host(box: sandbox.Sandbox) -> None:
    def said(script: str) -> str:
        return box.run(["sh", "-c", script]).out.decode()

    assert said("ls /sys/class/net").split() == ["lo"]
    assert {line.split()[1] for line in said("grep ^Cap /proc/self/status").splitlines()} == {"0" * 16}
    assert said("grep NoNewPrivs /proc/self/status").split()[-1] == "1"
    assert "docker-init" in said("tr '\\0' ' ' < /proc/1/cmdline")
    found = box.client.api.inspect_container(box.id)
    assert found["Mounts"] == []
    host = found["HostConfig"]
    assert (host["Memory"], host["MemorySwap"], host["PidsLimit"]) == (300_000_000, 300_000_000, 64)
    assert (host["NanoCpus"], host["NetworkMode"], host["Privileged"]) == (2_000_000_000, "none", False)
    assert found["Config"]["Labels"][owner.LABEL] == owner.me()


def test_limits_hold(box: sandbox.Sandbox) -> None:
    much = box.run(["python3", "-c", "a = bytearray(10**9); print(len(a))"])
    assert much.code != 0
    many = box.run(["python3", "-c", "import subprocess\nfor _ in range(99): subprocess.Popen(['sleep', '1'])"])
    assert b"Resource temporarily unavailable" in many.err
    deadline = time.monotonic() + 10
    while box.run(["true"]).code != 0:  # once there is room for a process again
        assert time.monotonic() < deadline


def test_commands_take_input_and_end_in_time(box: sandbox.Sandbox) -> None:
    data = os.urandom(3_000_000)
    ran = box.run(["sh", "-c", f"head -c {len(data)} > /tmp/x; cat /tmp/x; echo err >&2; exit 3"], data)
    assert (ran.code, ran.out, ran.err) == (3, data, b"err\n")
    assert box.run(["sleep", "9"], seconds=0.3).code == 124


def test_left_over_containers_are_removed_and_others_are_not(base: str) -> None:
    done = subprocess.Popen(["true"])
    done.wait()
    mine = sandbox.start(IMAGE, "mine", LIMITS)
    dead = "/".join((*owner.me().split("/")[:3], str(done.pid), "1"))
    other = "/".join(("another-host", *owner.me().split("/")[1:]))
    names = {}
    for label in (dead, other, "something else"):
        made = mine.client.api.create_container(IMAGE, entrypoint=["sleep", "99"], labels={owner.LABEL: label})
        names[label] = made["Id"]
    unlabelled = mine.client.api.create_container(IMAGE, entrypoint=["sleep", "99"])["Id"]
    try:
        sandbox.start(IMAGE, "next", LIMITS).close()
        left = {c["Id"] for c in mine.client.api.containers(all=True)}
        assert names[dead] not in left
        assert {mine.id, names[other], names["something else"], unlabelled} <= left
    finally:
        for name in (names[other], names["something else"], unlabelled):
            mine.client.api.remove_container(name, force=True)
        mine.close()


@pytest.mark.parametrize(
    ("change", "environment", "said"),
    [
        ({"image": "longhaul-none:latest"}, {}, "docker pull longhaul-none:latest"),
        ({}, {"DOCKER_HOST": "unix:///nowhere.sock"}, "no Docker daemon answers"),
    ],
)
def test_what_would_end_every_episode_is_said_before_the_first(
    base: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    change: dict[str, Any],
    environment: dict[str, str],
    said: str,
) -> None:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    done = run(tmp_path, written(tmp_path, row(base, **change)), "model=gold")
    assert done.code != 0
    assert said in done.err
    assert "Traceback" not in done.err
    assert not records(tmp_path)


def test_a_full_disk_is_said_before_the_first_episode(base: str) -> None:
    with pytest.raises(sandbox.Fault, match=r"GB free, and a run wants 1e\+06"):
        sandbox.check([IMAGE], sandbox.Limits(disk=1e6))


def test_killed_in_mid_run_then_resumed_with_no_container_left(base: str, tmp_path: Path) -> None:
    data = written(tmp_path, row(base))
    process = start(tmp_path, data, "model=gold", "graders=0")
    deadline = time.monotonic() + 60
    parts = "results/*/*/episodes/*.part"
    while not any(path.read_bytes().count(b'"row":"answer"') >= 2 for path in tmp_path.glob(parts)):
        assert time.monotonic() < deadline, "no second answer was recorded"
        time.sleep(0.002)
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    assert list(tmp_path.glob(parts))
    while containers():
        assert time.monotonic() < deadline, "the container outlived its process"
        time.sleep(0.1)
    done = run(tmp_path, data, "model=gold", "graders=0")
    assert done.code == 0, done.err
    (mine,) = records(tmp_path)
    assert (mine.ending, mine.steps, mine.score) == ("completed", 5, {"submitted": 1.0, "applies": 1.0})
    assert mine.left is not None
    assert mine.left["patch"].splitlines()[2:] == PATCH.splitlines()[1:]
    assert not list(tmp_path.glob("results/*/*/episodes/*discarded*"))
    assert containers() == []
    assert json.loads(next(tmp_path.glob("results/*/*/metrics.json")).read_text())["endings"] == {"completed": 1}


# ---------------------------------------------------------------- judged


def test_gold_is_resolved_and_the_others_are_what_they_are(base: str, tmp_path: Path) -> None:
    data = written(tmp_path, row(base), row(base, instance_id="toy__adder-2", patch=WRONG))
    done = run(tmp_path, data, "-m", "model=gold,noop", "name=toy", "task.patch_at=[4]")
    assert done.code == 0, done.err
    assert "judged by the official evaluation" in done.out
    found = grades(tmp_path)
    assert found == {
        ("gold", "toy__adder-1"): "resolved",
        ("gold", "toy__adder-2"): "unresolved",
        ("noop", "toy__adder-1"): "empty patch",
        ("noop", "toy__adder-2"): "empty patch",
    }
    gold = next(path for path in folders(tmp_path) if "gold" in path.name)
    rows = pd.read_parquet(gold / "checkpoints.parquet").set_index(["instance", "checkpoint"])
    assert rows.loc[("toy__adder-1", 4), ["success", "patch_now"]].tolist() == [0.0, 1.0]
    assert rows.loc[("toy__adder-1", 2), "success"] == 0.0
    assert len(list((gold / "evaluation" / "runs").iterdir())) == 1, "patch@4 is the patch, and is judged once"
    assert containers() == []


def folders(tmp_path: Path) -> list[Path]:
    return sorted(path.parent for path in tmp_path.glob("results/*/*/metrics.json"))


def grades(tmp_path: Path) -> dict[tuple[str, str], str]:
    found = {}
    for folder in folders(tmp_path):
        name = json.loads((folder / "run.json").read_text())["names"]["model"]
        for one in pd.read_parquet(folder / "outcomes.parquet").to_dict("records"):
            found[name, one["instance"]] = one["grade"]
    return found
