"""A function in a process of its own: whatever it does is told to the caller, and it never outlives him."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from harness import isolate

ROOT = Path(__file__).parents[2]


def write(path: str) -> None:
    Path(path).write_text(str(os.getpid()))


def leave(code: int) -> None:
    sys.exit(code)


def abort() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def crash() -> None:
    raise RuntimeError("seen in the child alone")


def wait(path: str) -> None:
    write(path)
    time.sleep(60)


def test_a_call_ends_well_in_another_process(tmp_path: Path) -> None:
    assert isolate.call(write, str(tmp_path / "pid")) is None
    assert int((tmp_path / "pid").read_text()) != os.getpid()


def test_every_other_end_is_told() -> None:
    assert isolate.call(leave, 3) == "exit code 3"
    assert isolate.call(abort) == "killed by SIGKILL"
    assert isolate.call(crash) == "exit code 1"


def alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


def test_no_child_outlives_its_caller(tmp_path: Path) -> None:
    """Neither one that is interrupted nor one that is killed."""
    code = (
        "import sys; from harness import isolate; from tests.machine.test_isolate import wait\n"
        "isolate.call(wait, sys.argv[1])"
    )
    for number in (signal.SIGINT, signal.SIGKILL):
        note = tmp_path / f"pid{number}"
        caller = subprocess.Popen(
            [sys.executable, "-c", code, str(note)], cwd=ROOT, start_new_session=True, stderr=subprocess.DEVNULL
        )
        deadline = time.monotonic() + 60
        while not (note.exists() and note.read_text()) and time.monotonic() < deadline:
            time.sleep(0.02)
        child = int(note.read_text())
        assert alive(child)
        if number == signal.SIGINT:
            os.killpg(caller.pid, number)  # as Ctrl-C does
        else:
            os.kill(caller.pid, number)
        assert caller.wait(30) != 0
        deadline = time.monotonic() + 20
        while alive(child) and time.monotonic() < deadline:
            time.sleep(0.02)
        assert not alive(child)
