"""A recorded run is done again, and its answers are compared with the recorded ones."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from harness.record import load
from tasks.swebench.task import SWEbench
from tasks.swebench.trajectory import Trajectories, compared
from tests.machine.toy import play
from tests.swebench.benches import Boxes
from tests.swebench.toyrows import ID

STEPS = [
    ("I look.", "cat adder.py | head -2", 0, "def add(a, b):\n    return a - b"),
    ("When is it?", "date +%H:%M:%S", 0, "09:30:01"),
    ("Each command begins in the folder.", "cd / && export A=1", 0, ""),
    ("So this is the folder.", "ls adder.py; echo $A", 0, "adder.py\n"),
    ("A wrong one.", "ls nothing 2>/dev/null; exit 3", 2, "something that is not said"),
    ("I mend it.", "sed -i 's/a - b/a + b/' adder.py", 0, ""),
]


def trajectory(folder: Path) -> str:
    messages = [{"role": "system", "content": "You run commands."}, {"role": "user", "content": "Mend add."}]
    for thought, command, code, output in STEPS:
        messages.append({"role": "assistant", "content": f"{thought}\n\n```bash\n{command}\n```"})
        seen = f"<returncode>{code}</returncode>\n<output>\n{output}\n</output>"
        messages.append({"role": "user", "content": seen})
    messages.append({"role": "assistant", "content": "Enough.\n\n```bash\necho done\n```"})
    data = {"trajectory_format": "mini-swe-agent-1", "instance_id": ID, "info": {}, "messages": messages}
    path = folder / "toy.traj.json"
    path.write_text(json.dumps(data))
    return str(path)


def test_a_recorded_run_is_done_again_and_compared(tmp_path: Path) -> None:
    bench = Boxes(tmp_path).bench()
    model = Trajectories(trajectory(tmp_path)).open(SWEbench("none"), bench, 0)
    ended, _ = play(tmp_path / "e.jsonl", bench, model, budget=60_000)
    record = load(tmp_path / "e.jsonl")
    bench.close()
    assert (ended.ending, record.score["submitted"]) == ("completed", 1.0)
    seen = [event.detail for turn in record.turns for event in turn.events if event.kind == "observed"]
    assert [(one["same"], one["code"]) for one in seen[:6]] == [
        ("exact", True),
        ("alike", True),
        ("exact", True),
        ("exact", True),
        ("no", False),
        ("exact", True),
    ]
    assert seen[6:] == [{"step": 7, "same": "not recorded", "code": None}]
    assert record.left is not None
    assert "+    return a + b" in record.left["patch"]


@pytest.mark.parametrize(
    ("recorded", "now", "code", "same"),
    [
        ("<returncode>0</returncode>\n<output>\nx at 0x7f00aa10\n</output>", "x at 0x7f1122bb", 0, "alike"),
        ("<returncode>1</returncode>\n<output>\n3 passed in 0.12s\n</output>", "3 passed in 4.50s", 1, "alike"),
        ("<returncode>0</returncode>\n<output>\nv1\n</output>", "v10", 0, "no"),
        ("<warning>too long</warning><output_head>\na\nb\n</output_head>\nrest", "a\nb\nc", 0, "head"),
        ("<warning>too long</warning><output_head>\na\nb\n</output_head>\nrest", "b\nc", 0, "no"),
        ("plain words\n", "plain words", 0, "exact"),
        ("<returncode>2</returncode>\n<output>\nno\n</output>", "no\n[exit status 2]", 2, "exact"),
    ],
)
def test_what_is_the_same(recorded: str, now: str, code: int, same: str) -> None:
    assert compared(recorded, now, code)["same"] == same


def test_a_run_that_is_not_there_is_said(tmp_path: Path) -> None:
    bench = Boxes(tmp_path).bench()
    path = trajectory(tmp_path)
    other = json.loads(Path(path).read_text()) | {"instance_id": "other-1"}
    Path(path).write_text(json.dumps(other))
    with pytest.raises(ValueError, match="no recorded run of toy__adder-1; there are other-1"):
        Trajectories(path).open(SWEbench("none"), bench, 0)
    with pytest.raises(ValueError, match="no such file"):
        Trajectories(str(tmp_path / "none")).check()
