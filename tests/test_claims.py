"""The three answers to a claim, on sweeps written for them; and one on a sweep that was run."""

from __future__ import annotations

import random
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from harness.claims import evidence, metrics, register, show
from harness.claims.evidence import Evidence
from harness.claims.verdict import Verdict, answer
from harness.suite import MixedSuites
from tests.claim_sweeps import Cell, sweep
from tests.claim_sweeps import register as write

ROOT = Path(__file__).parents[1]


def around(centre: float, spread: float = 0.02, n: int = 20, seed: int = 0) -> list[float | None]:
    """n values with this mean, spread evenly, in a shuffled order."""
    steps = [centre + spread * (2 * i / (n - 1) - 1) for i in range(n)]
    random.Random(seed).shuffle(steps)
    return list(steps)


def success(strategy: str, values: list[float | None], **more: Any) -> Cell:
    return Cell(strategy, {"success": values}, **more)


def ask(tmp_path: Path, *cells: Cell, **claim: Any) -> Verdict:
    [one] = register.load(write(tmp_path / "claims", claim=claim))
    return answer(one, evidence.load([sweep(tmp_path / "sweep", *cells)]))


def pair(a: float, b: float, **more: Any) -> list[Cell]:
    return [success("one", around(a, **more)), success("two", around(b, seed=1, **more))]


def test_reproduced_when_the_interval_lies_on_the_claimed_side(tmp_path: Path) -> None:
    found = ask(tmp_path, *pair(0.8, 0.5))
    assert (found.answer, found.why) == ("reproduced", "")
    assert found.figures is not None
    assert found.figures.a == pytest.approx(0.8)
    assert found.figures.b == pytest.approx(0.5)
    assert found.figures.estimate.mean == pytest.approx(0.3)
    assert found.figures.estimate.low is not None
    assert 0.28 < found.figures.estimate.low < 0.3
    assert found.figures.fewest == 20
    assert found.figures.p is not None
    assert found.figures.p < 0.001


def test_a_reproduced_difference_below_the_worthwhile_effect_is_said_to_be_small(tmp_path: Path) -> None:
    found = ask(tmp_path, *pair(0.55, 0.5))
    assert (found.answer, found.why) == ("reproduced", "smaller than the worthwhile effect of .10")


def test_not_reproduced_when_the_interval_lies_on_the_other_side(tmp_path: Path) -> None:
    found = ask(tmp_path, *pair(0.5, 0.8))
    assert (found.answer, found.why) == ("not reproduced", "opposite: the interval lies on the other side")


def test_not_reproduced_when_no_difference_is_found_that_would_have_been(tmp_path: Path) -> None:
    found = ask(tmp_path, *pair(0.5, 0.5))
    assert found.answer == "not reproduced"
    assert found.why.startswith("no difference found (detectable: .0")


def test_underpowered_is_not_testable(tmp_path: Path) -> None:
    found = ask(tmp_path, *pair(0.5, 0.5, spread=0.4))
    assert found.answer == "not testable here"
    assert found.why.startswith("underpowered: would find .2")
    assert found.figures is not None


def test_less_is_greater_with_the_sides_exchanged(tmp_path: Path) -> None:
    assert ask(tmp_path / "1", *pair(0.5, 0.8), direction="less").answer == "reproduced"
    assert ask(tmp_path / "2", *pair(0.8, 0.5), direction="less").why.startswith("opposite")


def test_a_margin_must_be_passed_by_the_whole_interval(tmp_path: Path) -> None:
    margin = {"margin": 0.1, "effect": 0.1}
    assert ask(tmp_path / "1", *pair(0.65, 0.5), **margin).answer == "reproduced"
    assert ask(tmp_path / "2", *pair(0.55, 0.5), **margin).why == "smaller than the claimed margin of .10"
    near = ask(tmp_path / "3", *pair(0.6, 0.5), **margin)
    assert (near.answer, near.why) == (
        "not testable here",
        "underpowered: on the claimed side, but not surely past .10",
    )


def test_equivalence_needs_both_bounds_inside_the_margin(tmp_path: Path) -> None:
    within = {"direction": "within", "margin": 0.05}
    assert ask(tmp_path / "1", *pair(0.51, 0.5), **within).answer == "reproduced"
    assert ask(tmp_path / "2", *pair(0.65, 0.5), **within).why == "opposite: the arms differ by more than .05"
    assert ask(tmp_path / "3", *pair(0.35, 0.5), **within).answer == "not reproduced"
    assert ask(tmp_path / "4", *pair(0.55, 0.5), **within).answer == "not testable here"
    # No difference is not equality where the design is weak.
    assert ask(tmp_path / "5", *pair(0.5, 0.5, spread=0.4), **within).answer == "not testable here"


@pytest.mark.parametrize(("margin", "said"), [(0.15, "reproduced"), (0.13, "not testable here")])
def test_twenty_equal_pairs_show_equality_within_their_exact_bound(tmp_path: Path, margin: float, said: str) -> None:
    found = ask(tmp_path, *pair(0.0, 0.0, spread=0.0), direction="within", margin=margin)
    assert found.answer == said  # 1 - 0.05^(1/20) = 0.139
    assert found.figures is not None
    assert found.figures.estimate.high == pytest.approx(0.13911, abs=1e-5)


def test_differences_are_written_with_their_sign() -> None:
    written = [metrics.difference("success", x, False) for x in (0.0, 0.0004, 0.05, -0.012, 0.0996, -0.42, 1.0)]
    assert written == ["+.00", "+.00", "+.05", "-.012", "+.10", "-.42", "+1.00"]
    assert metrics.difference("input", -0.5714, True) == "-57.1 %"
    assert metrics.difference("input", 41_300.0, False) == "+41.3k"
    assert metrics.difference("money", -0.31, False) == "-$0.31"


def test_a_constant_difference_is_bounded_by_the_range_of_shares(tmp_path: Path) -> None:
    found = ask(tmp_path, *pair(0.4, 0.0, spread=0.0))
    assert found.answer == "reproduced"
    assert found.figures is not None
    assert found.figures.estimate.low == pytest.approx(0.4 - 0.13911 * 1.4, abs=1e-4)
    assert found.figures.estimate.high == pytest.approx(0.4 + 0.13911 * 0.6, abs=1e-4)


def test_measures_without_a_range_have_no_bound_without_spread(tmp_path: Path) -> None:
    cells = [Cell(name, {"input": [tokens] * 20}) for name, tokens in (("one", 900.0), ("two", 500.0))]
    found = ask(tmp_path, *cells, metric="input", checkpoint=None, effect=100)
    assert (found.answer, found.why) == ("not testable here", "no interval: all values are equal")


def test_too_few_pairs_are_not_testable(tmp_path: Path) -> None:
    found = ask(tmp_path, *pair(0.9, 0.1, n=19))
    assert (found.answer, found.why) == (
        "not testable here",
        "n too small: 19 pairs in a family, 20 are asked for",
    )


def test_a_missing_side_makes_a_missing_pair(tmp_path: Path) -> None:
    broken = around(0.9)
    broken[3] = None
    found = ask(tmp_path, success("one", broken), success("two", around(0.1)))
    assert found.figures is not None
    assert (found.figures.fewest, found.figures.estimate.missing) == (19, 1)
    assert found.answer == "not testable here"


def test_relative_differences_are_shares_of_the_second_arm(tmp_path: Path) -> None:
    many = [1000.0 + 10 * i for i in range(20)]
    cells = [Cell("one", {"input": [0.5 * x for x in many[:10]] + [0.4 * x for x in many[10:]]})]
    cells += [Cell("two", {"input": many})]
    claim = {"metric": "input", "checkpoint": None, "relative": True, "direction": "less", "effect": 0.2}
    found = ask(tmp_path, *cells, **claim)
    assert found.answer == "reproduced"
    assert found.figures is not None
    assert found.figures.estimate.mean == pytest.approx(-0.55)


def test_an_arm_against_a_fixed_value(tmp_path: Path) -> None:
    found = ask(tmp_path, success("one", around(0.95)), b=0.9, effect=0.05)
    assert found.answer == "reproduced"
    assert found.figures is not None
    assert (found.figures.b, found.figures.estimate.scored) == pytest.approx((0.9, 20))


def test_several_families_count_the_same(tmp_path: Path) -> None:
    cells = [success("one", around(0.9, n=40)), success("two", around(0.5, n=40, seed=1))]
    cells += [success("one", around(0.5), task="team"), success("two", around(0.3, seed=1), task="team")]
    found = ask(tmp_path, *cells)
    assert found.figures is not None
    assert found.figures.estimate.mean == pytest.approx(0.3)
    assert found.figures.families == ("graph", "team")
    assert (found.answer, found.figures.fewest) == ("reproduced", 20)


def test_the_gain_at_tight_budgets_against_that_at_wide_ones(tmp_path: Path) -> None:
    def at(budget: int, a: float, b: float) -> list[Cell]:
        return [success("one", around(a), budget=budget), success("two", around(b, seed=1), budget=budget)]

    full = Cell("full", {"success": around(1.0), "history_tokens": [10_000.0] * 20}, budget=5000)
    cells = [full, *at(5000, 0.8, 0.4), *at(9000, 0.1, 0.9), *at(12_000, 0.9, 0.85)]
    claim = {"budget": [0.25, 0.75], "beside": [1.0, None]}
    found = ask(tmp_path / "1", *cells, **claim)
    assert found.figures is not None
    assert (found.figures.a, found.figures.b) == pytest.approx((0.4, 0.05))
    assert found.figures.budgets == (5000, 12_000)  # 9,000 is neither tight nor wide
    assert found.answer == "reproduced"
    narrow = ask(tmp_path / "2", *cells[:3], **claim)
    assert narrow.why == "graph: no cells at a budget of 100 % of the history or more (there are: 5,000)"
    unknown = ask(tmp_path / "3", *cells[1:], **claim)
    assert unknown.why.startswith("arm missing: full")


REASONS: dict[str, tuple[Mapping[str, Any], str]] = {
    "arm": ({"b": {"strategy": "focus"}}, "arm missing: focus"),
    "setting": (
        {"b": {"strategy": "two", "params": {"pin": True}}},
        "arm missing: two (pin=True), there is two with pin=False",
    ),
    "family": ({"families": ["graph", "team"]}, "family missing: team"),
    "budget": ({"budget": 8000}, "graph: no cells at a budget of 8,000 tokens (there are: 6,000)"),
    "reader": ({"reader": "realistic"}, "no results of the reader 'realistic'"),
    "model": ({"reader": "real"}, "needs a real model"),
    "all": ({"reader": "real", "b": {"strategy": "summary"}}, "needs a real model; arm missing: summary"),
    "measure": ({"metric": "money"}, "money@80 was not measured in these results"),
    "checkpoint": ({"checkpoint": 60}, "success@60 was not measured in these results"),
    "suite": ({"suite": "v2"}, "registered for suite v2, these results are of v1"),
}


@pytest.mark.parametrize("name", REASONS)
def test_what_lacks_is_named(tmp_path: Path, name: str) -> None:
    claim, why = REASONS[name]
    cells = [success("one", around(0.8)), success("two", around(0.5), settings={"pin": False})]
    found = ask(tmp_path, *cells, **claim)
    assert (found.answer, found.why, found.figures) == ("not testable here", why, None)


def test_a_real_model_answers_claims_about_real_models_alone(tmp_path: Path) -> None:
    cells = [success(name, around(x), model="local", reader=None) for name, x in (("one", 0.8), ("two", 0.5))]
    assert ask(tmp_path / "1", *cells, reader="real").answer == "reproduced"
    assert ask(tmp_path / "2", *cells).why == "no results of the reader 'ideal'"
    recorded = [success(cell.strategy, around(0.5), model="recorded", reader=None, suite=None) for cell in cells]
    assert ask(tmp_path / "3", *recorded, reader="real").why == "needs a real model"


def test_nothing_is_picked_where_several_arms_fit(tmp_path: Path) -> None:
    ones = [success("one", around(x), settings={"low_water": water}) for x, water in ((0.8, 1.0), (0.9, 0.8))]
    found = ask(tmp_path, *ones, success("two", around(0.5)))
    assert found.why == "several arms match one: low_water: 1.0 -> 0.8"


def test_in_an_ablation_the_pair_differs_in_the_named_setting_alone(tmp_path: Path) -> None:
    settings = [{"ratio": 20, "cache": True}, {"ratio": 50, "cache": True}, {"ratio": 20, "cache": False}]
    cells = [success("one", around(x), settings=s) for x, s in zip((0.8, 0.5, 0.1), settings, strict=True)]
    claim = {f: {"strategy": "one", "params": {"ratio": r}} for f, r in (("a", 20), ("b", 50))}
    found = ask(tmp_path / "1", *cells, **claim)
    assert found.figures is not None
    assert (found.figures.a, found.figures.b) == pytest.approx((0.8, 0.5))
    unequal = ask(tmp_path / "2", cells[1], cells[2], **claim)
    assert unequal.why == "the arms differ in more than the claim says: cache: false -> true"


def test_arms_of_other_conditions_are_no_pair(tmp_path: Path) -> None:
    cells = [success("one", around(0.8)), success("two", around(0.5), task_settings={"reach": 30})]
    assert ask(tmp_path, *cells).why == 'several conditions of graph: task.reach: "(absent)" -> 30'


def both(tmp_path: Path, first: Cell, second: Cell) -> Evidence:
    return evidence.load([sweep(tmp_path / "first", first), sweep(tmp_path / "second", second)])


def test_the_arms_of_a_pair_may_come_from_two_sweeps(tmp_path: Path) -> None:
    [claim] = register.load(write(tmp_path / "claims", claim={}))
    assert answer(claim, both(tmp_path, *pair(0.8, 0.5))).answer == "reproduced"


def test_equal_names_in_differently_seeded_worlds_are_no_pair(tmp_path: Path) -> None:
    [claim] = register.load(write(tmp_path / "claims", claim={}))
    one, two = success("one", around(0.8)), success("two", around(0.5), task_settings={"seed": 1})
    found = answer(claim, both(tmp_path, one, two))
    assert found.why == "no instance of graph has success@80 in both arms"


@pytest.mark.parametrize("suite", ["v2 abc", "v1 abd"])
def test_versions_of_the_suite_never_mix(tmp_path: Path, suite: str) -> None:
    with pytest.raises(MixedSuites, match="2 versions of the suite"):
        both(tmp_path, success("one", around(0.8)), success("two", around(0.5), suite=suite))


def test_an_arm_without_a_version_is_no_pair_for_one_that_has_it(tmp_path: Path) -> None:
    cells = [success("one", around(0.8)), success("two", around(0.5), suite=None)]
    assert ask(tmp_path, *cells).why == 'several conditions of graph: suite: "v1 abc" -> null'


def test_without_a_version_the_answers_are_provisional(tmp_path: Path) -> None:
    cells = [success(name, around(x), suite=None) for name, x in (("one", 0.8), ("two", 0.5))]
    found = evidence.load([sweep(tmp_path / "sweep", *cells)])
    assert "  these results carry no suite version" in "\n  ".join(show.lines([], found, "0" * 64))


def command(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    line = [sys.executable, "-m", *map(str, arguments)]
    return subprocess.run(line, cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)


def test_the_command_prints_all_three_answers_within_100_columns(tmp_path: Path) -> None:
    folder = sweep(tmp_path / "sweep", *pair(0.8, 0.5))
    less = {"direction": "less", "statement": "word " * 40}
    claims = write(tmp_path / "claims", more={}, less=less, absent={"b": {"strategy": "focus"}, "needs": ["patience"]})
    said = command("harness.claims", folder, "--register", claims)
    assert said.returncode == 0, said.stderr
    lines = said.stdout.splitlines()
    assert max(map(len, lines)) <= 100
    assert lines[0] == f"register {register.digest(claims)[:12]}: 3 claims · suite v1 abc"
    assert [line.strip("━ ") for line in lines if line.startswith("━")] == [
        "reproduced: 1 of 3",
        "not reproduced: 1 of 3",
        "not testable here: 1 of 3",
    ]
    assert "more, simulated" in lines
    assert "  a .80, b .50: difference +.30 [+.29 to +.31]" in lines
    assert "  → arm missing: focus" in lines
    assert "  also needs: patience" in lines


def test_the_command_says_in_a_line_what_is_wrong(tmp_path: Path) -> None:
    said = command("harness.claims", tmp_path)
    assert said.returncode == 1
    assert said.stderr == f"longhaul: {tmp_path / 'plan.json'} is missing: give the folder of a sweep, results/NAME\n"


def test_a_sweep_that_was_run_answers_the_registered_claims(tmp_path: Path) -> None:
    settings = ["instances=3", "task=pipeline", "task.horizon=40", "checkpoints=[20,40]", "budget=3000"]
    run = [f"results={tmp_path}", "name=tiny", "quiet=true", "isolate=false", "strategy=full,mask"]
    ran = command("harness", "-m", *settings, *run)
    assert ran.returncode == 0, ran.stderr
    claim = {
        "metric": "tokens_spent",
        "checkpoint": None,
        "a": {"strategy": "mask", "params": {"turns": 10}},
        "b": {"strategy": "full"},
        "relative": True,
        "direction": "less",
        "effect": 0.25,
    }
    [one] = register.load(write(tmp_path / "claims", claim=claim))
    found = answer(one, evidence.load([tmp_path / "tiny"]))
    assert found.why == "n too small: 3 pairs in a family, 20 are asked for"
    assert found.figures is not None
    assert found.figures.families == ("pipeline",)
    assert found.figures.budgets == (3000,)
    assert found.figures.estimate.mean is not None
    assert -0.9 < found.figures.estimate.mean < -0.05
