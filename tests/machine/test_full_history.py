"""`budget_share` is a share of the largest request of the full history: measured once, and the same for all arms."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hydra import compose, initialize_config_dir

from harness import cell, full_history, plan
from harness.__main__ import CONF
from harness.parts import SettingsError

SHORT = ["task=graph", "task.horizon=24", "task.subtasks=4", "checkpoints=[20]", "instances=3", "embedder=none"]


def planned(folder: Path, *overrides: str) -> plan.Cell:
    with initialize_config_dir(CONF, version_base="1.3"):
        return plan.cells([[*SHORT, f"results={folder}", "isolate=false", *overrides]])[0]


def largest(folder: Path, instance: str) -> int:
    rows = [json.loads(line) for line in (folder / "episodes" / f"{instance}.jsonl").read_text().splitlines()]
    return max(row["tokens"] + row["overhead"] for row in rows if row["row"] == "turn")


def test_the_size_is_that_of_the_arm_that_keeps_everything(tmp_path: Path) -> None:
    full = planned(tmp_path, "strategy=full", "budget=6000")
    cell.run(full.config, full.folder, full.names)
    sizes = [largest(full.folder, f"graph-{n:03d}") for n in range(3)]
    assert full_history.measure(full.config) == sizes
    shared = planned(tmp_path, "strategy=window", "budget_share=0.5")
    assert shared.config["budget"] == round(0.5 * sum(sizes) / 3)


def test_a_share_of_one_holds_everything(tmp_path: Path) -> None:
    one = planned(tmp_path, "strategy=window", "budget_share=1.0", "only=[graph-001]")
    cell.run(one.config, one.folder, one.names)
    assert json.loads((one.folder / "metrics.json").read_text())["checkpoints"]["20"]["retention"]["mean"] == 1.0


def test_all_arms_get_one_budget_measured_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []
    measure = full_history.measure
    monkeypatch.setattr(full_history, "measure", lambda config: asked.append(config) or measure(config))
    arms = ("window", "mask", "full")
    budgets = {planned(tmp_path, f"strategy={arm}", "budget_share=0.3").config["budget"] for arm in arms}
    assert len(budgets) == 1 and len(asked) == 1
    assert list(tmp_path.rglob("full_history.json"))
    planned(tmp_path, "strategy=mask", "budget_share=0.6")
    assert len(asked) == 1
    planned(tmp_path, "strategy=mask", "budget_share=0.6", "task.noise_tokens=0")
    assert len(asked) == 2


def test_no_share_leaves_the_budget_alone(tmp_path: Path) -> None:
    assert planned(tmp_path, "budget=5000").config["budget"] == 5000
    assert not list(tmp_path.rglob("full_history.json"))


@pytest.mark.parametrize("share", ["0", "-0.5", "1.5", "half", "true"])
def test_what_is_no_share_is_refused(share: str, tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="budget_share"):
        planned(tmp_path, f"budget_share={share}")


def test_sessions_count_by_the_largest_history(tmp_path: Path) -> None:
    one, two = (planned(tmp_path, "budget=6000", f"task.sessions={n}") for n in (1, 2))
    whole, halves = (full_history.measure(c.config) for c in (one, two))
    assert all(0.4 < b / a < 0.75 for a, b in zip(whole, halves, strict=True))


@pytest.mark.parametrize("override", ["task.salt=abc", "+task.salt=abc", "++task.salt='a b'", "+task.task.salt=abc"])
def test_a_salt_on_the_command_line_is_refused(override: str, tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="LONGHAUL_SALT") as caught:
        planned(tmp_path, override)
    assert "abc" not in str(caught.value)


def test_the_salt_comes_from_the_environment_for_held_out_families(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LONGHAUL_SALT", "0123")
    assert planned(tmp_path).config["task"]["salt"] == "0123"
    assert planned(tmp_path, "task.salt=null").config["task"]["salt"] is None
    assert planned(tmp_path, "task=pipeline").config["task"]["salt"] is None


@pytest.mark.parametrize("steps", [80, 160, 320, 640])
def test_horizons_have_checkpoints_at_each_quarter(steps: int) -> None:
    with initialize_config_dir(CONF, version_base="1.3"):
        config = compose("config", overrides=["task=graph", f"horizon=steps_{steps}"])
    assert list(config.checkpoints) == [steps // 4, steps // 2, steps * 3 // 4, steps]
    assert (config.task.horizon, config.task.subtasks, config.task.reach) == (steps, steps * 12 // 80, steps - 10)


def test_a_cell_of_a_chain_is_named_after_the_task_that_it_is_made_of(tmp_path: Path) -> None:
    with initialize_config_dir(CONF, version_base="1.3"):
        (cell,) = plan.cells([["task=chain", "task@task.task=support", f"results={tmp_path}"]])
    assert cell.names["task"] == "chain_support" and cell.folder.name.startswith("chain_support-")
    assert planned(tmp_path).names["task"] == "graph"
