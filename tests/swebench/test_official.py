"""Agent, patch and official evaluation in real containers, over the command line."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

from tests.swebench import toyimage
from tests.swebench.test_container import containers, run
from tests.swebench.toyrows import MODULE, diff, row, written

pytestmark = pytest.mark.skipif(toyimage.daemon() is not None, reason=str(toyimage.daemon()))
WRONG = diff("adder.py", MODULE, MODULE.replace("a - b", "a * b"))


def test_gold_is_resolved_and_the_others_are_what_they_are(tmp_path: Path) -> None:
    base = toyimage.build()
    data = written(tmp_path, row(base), row(base, instance_id="toy__adder-2", patch=WRONG))
    done = run(tmp_path, data, "-m", "model=gold,noop", "name=toy", "task.patch_at=[2,4]")
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
    assert rows.loc[("toy__adder-1", 2), ["success", "patch_now"]].tolist() == [0.0, 0.0]
    # again, under another run id; the first attempt stays on record
    command = [sys.executable, "-m", "harness.grade", "results/toy", "--again"]
    again = subprocess.run(command, cwd=tmp_path, env=_env(), capture_output=True, text=True)
    assert again.returncode == 0, again.stderr
    assert grades(tmp_path) == found
    kept = json.loads((gold / "grades" / "toy__adder-1.json").read_text())["attempts"]
    assert len(kept) == 2
    assert len(list((gold / "evaluation" / "runs").iterdir())) >= 4
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


def _env() -> dict[str, str]:
    import os

    from tests.machine.cli import ROOT

    return {**os.environ, "PYTHONPATH": str(ROOT)}
