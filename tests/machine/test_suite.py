"""The suite's version goes from the task into every record, and versions are never mixed."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest

from harness import cell, identity, suite
from tests.machine.test_cell import settings
from tests.machine.toy import Desk

NAMES = {"task": "desk", "strategy": "notebook", "model": "clerk"}


class Versioned(Desk):
    """A toy task that belongs to a suite."""

    suite = "v7 0123456789ab"


class Salted(Desk):
    """A toy task that takes a salt."""

    def __init__(self, horizon: int, count: int, back: int, salt: str | None = None) -> None:
        super().__init__(horizon, count, back)
        self.salt = salt


def config(kind: str, **task: object) -> dict[str, object]:
    plain = settings()
    return plain | {"task": {**plain["task"], "_target_": f"tests.machine.test_suite.{kind}", **task}}


def begun(folder: Path, version: str | None) -> Path:
    folder.mkdir()
    (folder / "run.json").write_text(json.dumps({"suite": version}))
    return folder


def test_run_outcomes_and_metrics_name_the_version(tmp_path: Path) -> None:
    cell.run(config("Versioned"), tmp_path, NAMES)
    assert json.loads((tmp_path / "run.json").read_text())["suite"] == Versioned.suite
    assert json.loads((tmp_path / "metrics.json").read_text())["suite"] == Versioned.suite
    assert set(pd.read_parquet(tmp_path / "outcomes.parquet")["suite"]) == {Versioned.suite}
    assert suite.of_cell(tmp_path) == Versioned.suite


def test_a_task_of_no_suite_has_no_version(tmp_path: Path) -> None:
    cell.run(settings(), tmp_path, NAMES)
    assert suite.of_cell(tmp_path) is None
    assert pd.read_parquet(tmp_path / "outcomes.parquet")["suite"].isna().all()


def test_another_version_is_another_cell(monkeypatch: pytest.MonkeyPatch) -> None:
    before = identity.identity(config("Versioned"))
    monkeypatch.setattr(Versioned, "suite", "v8 0123456789ab")
    assert identity.identity(config("Versioned")) != before


def test_versions_are_not_mixed_and_the_error_names_both_with_their_folders(tmp_path: Path) -> None:
    one, same = begun(tmp_path / "one", "v1 aaaa"), begun(tmp_path / "same", "v1 aaaa")
    other, none = begun(tmp_path / "other", "v2 bbbb"), begun(tmp_path / "none", None)
    assert suite.check_one([one, same, none]) == "v1 aaaa"
    assert suite.check_one([none, tmp_path / "nothing there"]) is None
    with pytest.raises(suite.MixedSuites) as caught:
        suite.check_one([one, same, other, none])
    for part in ("v1 aaaa", "v2 bbbb", str(one), str(same), str(other), "name="):
        assert part in str(caught.value)
    assert str(none) not in str(caught.value)


def test_a_salt_is_never_written_and_tells_cells_apart(tmp_path: Path) -> None:
    salted = config("Salted", salt="hush hush")
    cell.run(salted, tmp_path, NAMES)
    assert json.loads((tmp_path / "run.json").read_text())["config"]["task"]["salt"] == "sha256:6788218d"
    for path in tmp_path.rglob("*"):
        assert path.is_dir() or b"hush hush" not in path.read_bytes(), path
    several = [identity.identity(config("Salted", salt=salt)) for salt in (None, "hush hush", "hush")]
    assert len(set(several)) == 3
    with pytest.raises(cell.CellError, match=r"task\.salt: \"sha256:6788218d\" -> null") as caught:
        cell.run(config("Salted", salt=None), tmp_path, NAMES)
    assert "hush" not in str(caught.value)
