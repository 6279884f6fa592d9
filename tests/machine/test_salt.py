"""The salt of a private task is known again, or its absence is said."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from harness import ceilings, plan, salt
from harness import cell as one_cell
from harness.report import ceiling, frames
from harness.shortcuts.families import cells

WRITTEN = {"task": {"salt": "sha256:6788218d", "horizon": 8}, "seed": 0}


def test_the_salt_comes_back_from_the_environment() -> None:
    settings = {"task": {"salt": "hush hush", "horizon": 8}, "seed": 0}
    assert salt.public(settings) == WRITTEN
    assert salt.private(WRITTEN, {"LONGHAUL_SALT": "hush hush"}) == settings


def test_the_salt_of_the_task_that_a_chain_is_made_of_is_hidden_too() -> None:
    settings = {"task": {"n": 2, "task": {"salt": "hush hush", "horizon": 8}}, "seed": 0}
    written = {"task": {"n": 2, "task": WRITTEN["task"]}, "seed": 0}
    assert salt.public(settings) == written
    assert salt.private(written, {"LONGHAUL_SALT": "hush hush"}) == settings
    assert salt.public({"task": {"n": 2, "task": {"salt": None}}}) == {"task": {"n": 2, "task": {"salt": None}}}


@pytest.mark.parametrize(
    "environment, found", [({}, "is not set"), ({"LONGHAUL_SALT": "hush"}, r"is another one \(sha256:\w{8}\)")]
)
def test_another_salt_is_refused_without_telling_it(environment: dict[str, str], found: str) -> None:
    with pytest.raises(salt.SaltMissing, match=rf"salt sha256:6788218d, but LONGHAUL_SALT {found}") as caught:
        salt.private(WRITTEN, environment)
    assert "hush" not in str(caught.value)


def test_settings_without_a_salt_are_as_they_were() -> None:
    for settings in ({"task": {"salt": None}}, {"task": {"horizon": 8}}, {"seed": 3}):
        assert salt.public(settings) == salt.private(settings, {}) == settings


def test_bounds_of_a_private_run_are_those_of_its_own_wording(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LONGHAUL_SALT", "hush hush")
    small = ["instances=1", "task.horizon=24", "task.subtasks=4", "task.reach=16", "checkpoints=[24]"]
    full = cells("graph", ("full",), tmp_path, small)["full"]
    assert one_cell.run(full.config, full.folder, full.names)
    assert b"hush hush" not in (full.folder / "run.json").read_bytes()
    (row,) = ceilings.rows(full.folder, 100_000)
    assert (row["any"], row["keep"]) == (1.0, 1.0)  # with room for all, a bound under 1 has not read the facts
    monkeypatch.delenv("LONGHAUL_SALT")
    with pytest.raises(salt.SaltMissing):
        ceilings.rows(full.folder, 100_000)
    assert json.loads((full.folder / "run.json").read_text())["config"]["task"]["salt"].startswith("sha256:")


def test_a_report_of_a_private_run_has_its_bounds_or_says_why_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LONGHAUL_SALT", "hush hush")
    small = ["instances=1", "task.horizon=24", "task.subtasks=4", "task.reach=16", "checkpoints=[24]"]
    full = cells("graph", ("full",), tmp_path, small)["full"]
    assert one_cell.run(full.config, full.folder, full.names)
    plan.write([full])
    results = frames.load(full.folder.parent)
    rows, notes = ceiling.bounds(results)
    assert (set(rows["bound"]), notes) == ({"keep", "any", "farthest"}, []) and rows["value"].notna().all()
    for other, said in (("another", "is another one"), (None, "is not set")):
        if other is None:
            monkeypatch.delenv("LONGHAUL_SALT")
        else:
            monkeypatch.setenv("LONGHAUL_SALT", other)
        rows, (note,) = ceiling.bounds(results)
        assert rows.empty and note.startswith("graph: no bounds: ") and said in note and "hush" not in note
