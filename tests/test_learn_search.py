"""The search by the success of runs: it finds, it does not keep luck, it repeats itself; and what it may play."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hydra.utils import get_method

from harness.learn import plan
from harness.learn.__main__ import main
from harness.learn.plan import Search
from harness.learn.samples import Floats
from harness.learn.search import Score, evolved

OWN = plan.read("compaction")
assert OWN.search is not None
SEARCH = replace(OWN.search, generations=12, rows=30, elite=6)
TINY = ["families=[credentials]", "held_out=[graph]", "instances=1", "evaluated=1", "kinds.boosting=null",
        "budgets.generated=[3000]", "low_water=[0.5]", "search.generations=1", "search.rows=2", "search.elite=1",
        "search.instances=1", "search.held_instances=1", "search.unseen_instances=1", "search.jobs=1",
        "search.budget=3000"]  # fmt: skip


def near(goal: Floats, luck: float = 0.0) -> object:
    """Success falls with the distance to a goal. luck: how much of it is that of the instances, and no merit."""

    def play(rows: Sequence[Floats], seed: int, instances: int) -> list[Score]:
        rng = np.random.default_rng(seed)
        return [Score(float(np.exp(-((row - goal) ** 2).mean())) + luck * rng.random(), 1.0) for row in rows]

    return play


def test_the_search_comes_near_to_what_succeeds() -> None:
    start, goal = np.zeros(6), np.array([0.5, -1.0, 0.3, 1.0, 0.0, -0.4])
    found, told = evolved(SEARCH, start, near(goal), 0)  # type: ignore[arg-type]
    assert np.abs(found - goal).mean() < 0.2 and told["kept"] == "found"
    assert told["generations"][-1]["mean"] > told["generations"][0]["mean"]
    again, _ = evolved(SEARCH, start, near(goal), 0)  # type: ignore[arg-type]
    assert np.array_equal(found, again)


def test_what_is_no_better_on_instances_held_back_is_not_kept() -> None:
    start = np.zeros(6)
    found, told = evolved(SEARCH, start, near(start, luck=0.01), 0)  # type: ignore[arg-type]
    assert told["kept"] == "start" and np.array_equal(found, start)


def test_among_equals_fewer_tokens_win() -> None:
    assert Score(0.50001, 5.0).rank < Score(0.5, 6.0).rank < Score(0.49, 1.0).rank


def test_each_generation_and_each_comparison_has_instances_of_its_own() -> None:
    seen: list[int] = []

    def play(rows: Sequence[Floats], seed: int, instances: int) -> list[Score]:
        seen.append(seed)
        return [Score(0.0, 0.0) for _ in rows]

    own: Search = SEARCH
    evolved(own, np.zeros(2), play, 0)
    assert len(seen) == len({*seen, own.unseen_seed, 0, 1}) - 3  # 0: of what is reported, 1: of tuning
    assert not set(OWN.families) & set(OWN.held_out)


def test_a_plan_stands_on_another_one() -> None:
    base = plan.read("eviction")
    assert OWN.kinds == base.kinds and OWN.search is not None and base.search is None
    assert len(get_method(OWN.search.start)()) == 12


def test_both_commands_by_the_success_of_runs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "weights.json"
    assert main(["train", "plan=compaction", f"out={out}", *TINY]) == 0
    own = json.loads(out.read_text())
    assert set(own["policy"]) == {"fire", "keep", "lines"} and own["kind"] == "logistic"
    assert own["about"]["groups"].keys() == {"credentials"} and len(own["about"]["search"]["generations"]) == 1
    capsys.readouterr()
    assert main(["report", "plan=compaction", f"weights={out}", *TINY]) == 0
    said = capsys.readouterr().out
    rows = [line.split() for line in said.splitlines()]
    assert [row[1] for row in rows if row[:1] == ["3000"]] == ["window", "window", "summary", "even", "learned"]
    ends = [row for row in rows if row[:2] in (["learned", "from"], ["held", "out"])]
    assert [row[2] for row in ends] == 2 * ["window", "summary", "even", "scorer", "learned"]
    assert all(0 <= float(row[4]) <= 1 for row in ends)
