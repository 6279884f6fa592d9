"""From the tables of a sweep to one number an arm."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pandas as pd
import pytest
from rich.console import Console

from harness import summary
from harness.report.frames import ReportError, load
from harness.suite import MixedSuites
from tests.report.sweeps import Cell, Episode, many, sweep


def report(folder: Path) -> tuple[str, pd.DataFrame]:
    """What is printed, and the summary that is kept."""
    printed = io.StringIO()
    summary.tables(folder, Console(file=printed, width=120))
    return printed.getvalue(), pd.read_parquet(folder / "summary.parquet")


def line(table: pd.DataFrame, arm: str, measure: str, checkpoint: int | None = 40, **own: object) -> pd.Series:
    """The one line with these labels."""
    rows = table[(table["arm"] == arm) & (table["measure"] == measure)]
    rows = rows[rows["checkpoint"].isna() if checkpoint is None else rows["checkpoint"] == checkpoint]
    for name, value in {"family": "graph", **own}.items():
        rows = rows[rows[name] == value]
    assert len(rows) == 1, f"{len(rows)} lines for {arm} {measure}@{checkpoint}"
    return rows.iloc[0]


def test_a_lost_episode_is_missing_and_not_zero(tmp_path: Path) -> None:
    episodes = many(10, success=[(1.0, 0.5)] * 5 + [(1.0, 1.0)] * 5) | {"i9": Episode(ending="infrastructure")}
    printed, table = report(sweep(tmp_path, [Cell("window", episodes)]))
    found = line(table, "window", "success")
    assert found["value"] == pytest.approx((5 * 0.5 + 4 * 1.0) / 9)
    assert (found["n"], found["planned"], found["missing"], found["method"]) == (9, 10, 1, "t")
    assert line(table, "window", "success, missing as 0")["value"] == pytest.approx(6.5 / 10)
    assert line(table, "window", "success, missing as 1")["value"] == pytest.approx(7.5 / 10)
    assert "9/10" in printed
    assert "1 of 10 instances missing; success@40 of all planned lies within .65–.75" in printed


def test_an_arm_named_none_keeps_its_name(tmp_path: Path) -> None:
    printed, table = report(sweep(tmp_path, [Cell("none", many(8)), Cell("window", many(8))]))
    assert set(table["arm"]) == {"none", "window"}
    assert "\nnone " in printed


def test_parameters_name_arms_apart_only_where_they_differ(tmp_path: Path) -> None:
    cells = [
        Cell("window", many(8), settings={"low_water": 0.5, "unit": "tokens"}),
        Cell("window", many(8), settings={"low_water": 1.0, "unit": "tokens"}),
        Cell("mask", many(8), settings={"turns": 10}),
    ]
    _, table = report(sweep(tmp_path, cells))
    assert set(table["arm"]) == {"window low_water=0.5", "window low_water=1.0", "mask"}
    assert set(table["strategy"]) == {"window", "mask"}


def test_a_failed_cell_stands_there_with_all_its_instances_missing(tmp_path: Path) -> None:
    printed, table = report(sweep(tmp_path, [Cell("window", many(8)), Cell("mask", None)]))
    found = line(table, "mask", "success")
    assert pd.isna(found["value"])
    assert (found["n"], found["planned"], found["missing"]) == (0, 8, 8)
    assert "0/8" in printed
    assert "mask-1 has no results" in printed


def test_repeats_are_averaged_within_their_instance(tmp_path: Path) -> None:
    first = many(8, success=[(0.0, 0.0)] * 4 + [(1.0, 1.0)] * 4)
    second = many(8, success=[(1.0, 1.0)] * 8)
    _, table = report(sweep(tmp_path, [Cell("window", first, seed=0), Cell("window", second, seed=1)]))
    found = line(table, "window", "success")
    assert (found["value"], found["n"], found["planned"]) == (0.75, 8, 8)


def test_folders_that_the_plan_does_not_name_are_left_out(tmp_path: Path) -> None:
    sweep(tmp_path, [Cell("mask", many(8, success=[(0.0, 0.0)] * 8))])
    (tmp_path / "mask-0").rename(tmp_path / "older")
    printed, table = report(sweep(tmp_path, [Cell("mask", many(8))]))
    assert line(table, "mask", "success")["value"] == 1.0
    assert "1 folders of earlier sweeps of this name are left out: older" in printed


def test_needs_that_an_ended_episode_did_not_reach_count_as_not_met(tmp_path: Path) -> None:
    ended = Episode(success=(1.0, 0.5), steps=20, ending="context_overflow")
    printed, table = report(sweep(tmp_path, [Cell("window", many(8)), Cell("none", many(8, ended))]))
    assert line(table, "none", "hit_ratio", 20)["value"] == 1.0
    assert line(table, "none", "hit_ratio", 40)["value"] == 0.5
    assert line(table, "none", "unmet need: episode had ended", None)["value"] == 8
    assert line(table, "none", "ending: context_overflow", None)["value"] == 8
    assert pd.isna(line(table, "none", "retention", 40)["value"])
    assert "ended early: context_overflow: none 8" in printed


def test_under_eight_instances_there_is_no_interval_and_the_values_are_listed(tmp_path: Path) -> None:
    episodes = many(3, success=[(1.0, 0.25), (1.0, 0.5), (1.0, 0.75)])
    printed, table = report(sweep(tmp_path, [Cell("window", episodes)]))
    found = line(table, "window", "success")
    assert found["value"] == 0.5
    assert pd.isna(found["low"]) and pd.isna(found["high"])
    assert "n = 3, success@40 .25 .50 .75" in printed


def test_recorded_runs_count_only_up_to_their_end(tmp_path: Path) -> None:
    run = Episode(success=None, needs=((10, True), (30, False)))
    short = Episode(success=None, needs=((10, False),), steps=25)
    episodes = many(8, run) | {"i8": short, "i9": short}
    printed, table = report(sweep(tmp_path, [Cell("window", episodes, task="replay", reader=None)]))
    early, late = (line(table, "window", "hit_observation", k, family="replay") for k in (20, 40))
    assert (early["value"], early["n"]) == (0.8, 10)
    assert (late["value"], late["n"]) == (0.5, 8)
    assert line(table, "window", "hit_any", 40, family="replay")["value"] == 1.0
    assert table[table["measure"] == "success"].empty
    assert "success (simulated)" not in printed
    assert [words for words in map(str.split, printed.splitlines()) if words[:1] == ["n"]] == [
        ["n", "10", "8", "10", "10", "8", "10", "10", "8", "10"]
    ]


def test_few_recorded_runs_are_listed_and_not_averaged(tmp_path: Path) -> None:
    run, short = Episode(success=None), Episode(success=None, needs=((10, True),), steps=25)
    episodes = many(6, short) | {"i7": run, "i8": run}
    printed, _ = report(sweep(tmp_path, [Cell("window", episodes, task="replay", reader=None)]))
    row = next(words for words in map(str.split, printed.splitlines()) if words[:1] == ["window"])
    assert row == ["window", "1.00", "·", "1.00", "1.00", "·", "1.00", "all", "equal", "1.00", "·", "1.00", "–"]
    assert "n = 2 @40: window 1.00 1.00" in printed


def test_the_last_resort_window_is_marked(tmp_path: Path) -> None:
    cells = [Cell("mask", many(8, Episode(overflow_turns=5))), Cell("window", many(8, Episode(overflow_turns=4)))]
    printed, _ = report(sweep(tmp_path, cells))
    assert "\nmask ‡ " in printed
    assert "window ‡" not in printed


def test_nothing_to_report_is_said(tmp_path: Path) -> None:
    with pytest.raises(ReportError, match=r"plan\.json is missing: give the folder of a sweep"):
        load(tmp_path)
    with pytest.raises(ReportError, match="none of the 1 cells"):
        load(sweep(tmp_path, [Cell("window", None)]))
    lost = sweep(tmp_path / "lost", [Cell("window", {"a": Episode(ending="infrastructure")}), Cell("mask", None)])
    with pytest.raises(ReportError, match=r"no episode of .* has a result \(infrastructure 1\)"):
        report(lost)


@pytest.mark.parametrize(
    "cells",
    [
        [Cell("window", many(1))],
        [Cell("none", many(9, Episode(steps=3, ending="context_overflow", needs=())))],
        [Cell("window", many(9), budget=500), Cell("window", many(9), budget=1000)],
        [Cell("window", many(9)), Cell("window", many(9, Episode(success=None)), task="replay", reader=None)],
    ],
    ids=["one instance", "no needs", "two budgets", "generated and recorded"],
)
def test_every_planned_arm_is_printed_whatever_the_sweep(tmp_path: Path, cells: list[Cell]) -> None:
    printed, table = report(sweep(tmp_path, cells))
    headings = [row for row in printed.splitlines() if "━" in row and not row.startswith("all families")]
    assert len(headings) == len({(cell.task, cell.budget) for cell in cells})
    assert {cell.strategy for cell in cells} == set(table["arm"])


def test_an_unknown_arm_to_compare_with_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="no arm 'trim' in this sweep: window, mask"):
        summary.tables(
            sweep(tmp_path, [Cell("window", many(8)), Cell("mask", many(8))]), Console(file=io.StringIO()), "trim"
        )


def test_versions_of_the_suite_are_never_mixed(tmp_path: Path) -> None:
    folder = sweep(tmp_path, [Cell("window", many(8)), Cell("mask", many(8))])
    runs = sorted(folder.glob("*/run.json"))
    for run, version in zip(runs, ("v1 aa", "v1 bb"), strict=True):
        run.write_text(json.dumps({**json.loads(run.read_text()), "suite": version}))
    with pytest.raises(MixedSuites, match=r"(?s)2 versions of the suite.*run all arms again"):
        load(folder)
    runs[1].write_text(json.dumps({**json.loads(runs[1].read_text()), "suite": "v1 aa"}))
    assert "suite v1 aa" in report(folder)[0]


def test_horizons_have_their_own_checkpoints_and_are_not_pooled(tmp_path: Path) -> None:
    cells = [
        Cell("window", many(8), horizon="steps_40", conditions={"checkpoints": [20, 40]}),
        Cell("window", many(8), horizon="steps_80", conditions={"checkpoints": [40, 80]}, times=2),
    ]
    printed, table = report(sweep(tmp_path, cells))
    assert set(table["family"]) == {
        "graph steps_40", "graph steps_80", "all families steps_40", "all families steps_80",
    }  # fmt: skip
    for horizon, reached in (("steps_40", {20, 40}), ("steps_80", {40, 80})):
        for family in ("graph", "all families"):
            rows = table[(table["family"] == f"{family} {horizon}") & table["checkpoint"].notna()]
            assert set(rows["checkpoint"]) == reached
    assert "@20  @40 " in printed and "@40  @80 " in printed and "@20  @40  @80" not in printed


def test_arms_that_hardly_fire_are_named(tmp_path: Path) -> None:
    some = many(8) | {f"i{n}": Episode(fired_turns=0) for n in range(5)}
    cells = [Cell("mask", many(8)), Cell("window", some), Cell("full", many(8, Episode(fired_turns=0)))]
    printed, table = report(sweep(tmp_path, cells))
    assert "fired in under half of the episodes: window 3/8, full never" in printed
    assert line(table, "window", "fired", None)["value"] == pytest.approx(3 / 8)
