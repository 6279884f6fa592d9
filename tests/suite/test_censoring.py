"""An arm that crashes is ranked by all goals of all planned instances, not by those that it lived to see."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest
from rich.console import Console

from harness import cell, plan, summary
from harness.shortcuts.families import cells
from tests.suite.suite import CONF

ARMS = ("full", "window", "crashing")
INSTANCES = 4


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    planned = cells("pipeline", ARMS, tmp_path_factory.mktemp("censoring"), [f"instances={INSTANCES}"], CONF)
    for one in planned.values():
        assert cell.run(one.config, one.folder, one.names)
    plan.write(list(planned.values()))
    summary.tables(planned["full"].folder.parent, Console(quiet=True))
    return planned["full"].folder.parent


def success(folder: Path, step: int) -> pd.DataFrame:
    rows = pd.read_parquet(folder / "summary.parquet")
    rows = rows[(rows["family"] == "pipeline") & (rows["measure"] == "success")]
    return rows[rows["checkpoint"] == step].set_index("arm")


def test_the_crashing_arm_ranks_last_at_the_end(folder: Path) -> None:
    found = success(folder, 80)
    assert list(found["value"].sort_values(ascending=False).index) == ["full", "window", "crashing"]
    assert list(found.loc[list(ARMS), "planned"]) == [INSTANCES] * 3
    assert list(found.loc[list(ARMS), "n"]) == [INSTANCES] * 3


def test_while_it_lived_it_was_as_good_as_the_arm_that_goes_on(folder: Path) -> None:
    """So a rate over the goals that each arm reached would put it before that one: what the fixture is for."""
    found = success(folder, 20)
    assert found.loc["crashing", "value"] == found.loc["window", "value"] > 0.9
    outcomes = {path.parent.name.split("-")[1]: pd.read_parquet(path) for path in folder.glob("*/outcomes.parquet")}
    assert set(outcomes["crashing"]["ending"]) == {"strategy_error"}
    assert set(outcomes["crashing"]["steps"]) == {29}
    assert outcomes["crashing"]["hit_ratio"].mean() > outcomes["window"]["hit_ratio"].mean() + 0.1


def test_goals_that_it_did_not_reach_are_not_met(folder: Path) -> None:
    rows = {path.parent.name.split("-")[1]: pd.read_parquet(path) for path in folder.glob("*/checkpoints.parquet")}
    crashing, window = (rows[arm].set_index(["instance", "checkpoint"]) for arm in ("crashing", "window"))
    assert list(crashing["goals_due"]) == list(window["goals_due"])
    met = crashing["success"] * crashing["goals_due"]
    for instance in crashing.index.get_level_values("instance").unique():
        assert met[instance, 40] == pytest.approx(met[instance, 80])
        assert met[instance, 80] <= met[instance, 20] + 0.7 * 9 + 1
