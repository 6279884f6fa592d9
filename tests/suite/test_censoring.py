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


def table(folder: Path, name: str, arm: str) -> pd.DataFrame:
    (path,) = folder.glob(f"pipeline-{arm}-*/{name}.parquet")
    return pd.read_parquet(path)


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
    outcomes = table(folder, "outcomes", "crashing")
    assert set(outcomes["ending"]) == {"strategy_error"}
    assert set(outcomes["steps"]) == {29}
    reached = {arm: table(folder, "steps", arm) for arm in ("crashing", "window")}
    naive = {arm: rows["goals_met"].sum() / rows["goals_due"].sum() for arm, rows in reached.items()}
    assert naive["crashing"] > naive["window"] + 0.2


def test_goals_that_it_did_not_reach_are_not_met(folder: Path) -> None:
    crashing, window = (table(folder, "checkpoints", arm) for arm in ("crashing", "window"))
    assert list(crashing["goals_due"]) == list(window["goals_due"])
    met = (crashing["success"] * crashing["goals_due"]).set_axis([crashing["instance"], crashing["checkpoint"]])
    live = table(folder, "steps", "crashing").groupby("instance")["goals_met"].sum()
    for instance in live.index:
        assert met[instance, 40] == pytest.approx(live[instance])
        assert met[instance, 80] == pytest.approx(live[instance])
