"""Grades of a sweep: given when it ends, or by a command afterwards, and kept attempt by attempt. No container."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest

from harness import grade, results
from harness.report.frames import ReportError
from tests.swebench.toytask import sweep


def attempts(folder: Path) -> list[int]:
    return [len(json.loads(path.read_text())["attempts"]) for path in sorted(folder.glob("*/grades/*.json"))]


def test_patches_are_judged_afterwards_and_again_with_every_attempt_kept(tmp_path: Path) -> None:
    folder = sweep(tmp_path, "strategy=full", "graders=0")
    assert next(folder.glob("*/raw/one")).is_dir(), "raw output goes beside the records"
    before = results.load(folder)
    assert list(before.episodes["grade"]) == ["infrastructure"] * 2 and before.episodes["resolved"].isna().all()
    grade.main([str(folder)])
    found = results.load(folder)
    assert list(found.episodes["grade"]) == ["resolved", "unresolved"]
    at = found.checkpoints.set_index(["instance", "checkpoint"])["success"]
    assert at.to_dict() == {("one", 2): 0.0, ("one", 5): 1.0, ("two", 2): 0.0, ("two", 5): 0.0}
    grade.main([str(folder)])
    assert attempts(folder) == [1, 1], "what is judged is not judged again"
    grade.main([str(folder), "--again"])
    assert attempts(folder) == [2, 2]
    pd.testing.assert_frame_equal(results.load(folder).episodes, found.episodes)


def test_a_folder_that_is_no_sweep_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ReportError, match=r"plan\.json is missing"):
        grade.grade(tmp_path, 1, again=False)
