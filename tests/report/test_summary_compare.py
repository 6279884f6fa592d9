"""Arms against each other, against their bounds, and under two readers."""

from __future__ import annotations

import io
from pathlib import Path

import pandas as pd
import pytest
from rich.console import Console

from harness import summary
from harness.report import across, ceiling, relation, values
from harness.report.frames import load
from tests.report.sweeps import Cell, Episode, many, sweep

SPREAD = [(1.0, i / 10) for i in range(8)]


def printed(folder: Path) -> str:
    out = io.StringIO()
    summary.tables(folder, Console(file=out, width=120))
    return out.getvalue()


def test_primary_tests_are_corrected_together_and_the_rest_is_exploratory(tmp_path: Path) -> None:
    lower = [(1.0, value - 0.0625) for _, value in SPREAD]
    cells = [
        Cell(arm, many(8, success=success), reader=reader)
        for reader in ("ideal", "realistic")
        for arm, success in (("window", SPREAD), ("mask", lower), ("trim", SPREAD))
    ]
    rows = values.values(load(sweep(tmp_path, cells)))
    primary = {"reader": "ideal", "model": "scripted", "budget": 1000}
    found = {(t.reader, t.arm): t for t in across.against(rows, across.known(rows), "window", frozenset(), primary)}
    assert set(found) == {(reader, arm) for reader in ("ideal", "realistic") for arm in ("mask", "trim")}
    mask = found["ideal", "mask"]
    assert mask.estimate.mean == pytest.approx(-0.0625)
    assert mask.p == 2 / 2**8  # all eight differences point the same way
    assert mask.holm == 2 * (2 / 2**8)
    assert found["ideal", "trim"].p == 1.0
    assert found["realistic", "mask"].holm is None and not found["realistic", "mask"].primary


def test_arms_that_are_no_contenders_are_not_tested(tmp_path: Path) -> None:
    cells = [Cell(arm, many(8, success=SPREAD)) for arm in ("window", "mask", "full")]
    rows = values.values(load(sweep(tmp_path, cells)))
    tests = across.against(rows, across.known(rows), "window", frozenset({"full"}), {})
    assert [test.arm for test in tests] == ["mask"]


def test_families_count_the_same_whatever_their_size(tmp_path: Path) -> None:
    large, small = many(12, Episode(success=(1.0, 1.0))), many(8, Episode(success=(0.0, 0.0)))
    cells = [Cell("window", large, task="graph"), Cell("window", small, task="pipeline")]
    rows = values.values(load(sweep(tmp_path, cells)))
    (found,) = [p for p in across.points(rows, {}) if p.measure == "success" and p.checkpoint == 40]
    assert (found.family, found.value, found.n) == (across.ALL, 0.5, 20)


def test_from_three_families_on_success_is_shown_by_family(tmp_path: Path) -> None:
    values = {"graph": 0.25, "pipeline": 0.5, "team": 0.75}
    cells = [
        Cell(arm, many(8, Episode(success=(1.0, value * share))), task=task)
        for task, value in values.items()
        for arm, share in (("window", 1.0), ("mask", 0.4))
    ]
    lines = printed(sweep(tmp_path / "three", cells)).splitlines()
    at = lines.index("success (simulated) at step 40 by family, ideal")
    assert [line.split() for line in lines[at + 1 : at + 4]] == [
        ["arm", "graph", "pipeline", "team"], ["window", ".25", ".50", ".75"], ["mask", ".10", ".20", ".30"]
    ]  # fmt: skip
    assert "by family" not in printed(sweep(tmp_path / "two", cells[:4]))


def test_an_arm_is_divided_by_the_bound_of_its_class(tmp_path: Path) -> None:
    half = ((10, True), (30, False))
    kinds = {"window": "keep-only", "search": "re-admitting", "mask": "rewriting"}
    cells = [Cell(arm, many(8, Episode(needs=half, kind=kind))) for arm, kind in kinds.items()]
    results = load(sweep(tmp_path, cells))
    bounds = {"keep": 0.8, "any": 1.0, "farthest": 0.7}
    front = {"family": "graph", "reader": "ideal", "model": "scripted", "budget": 1000, "checkpoint": 40}
    bounded = pd.DataFrame(
        [
            {**front, "instance": f"i{i}", "bound": name, "value": value}
            for i in range(8)
            for name, value in bounds.items()
        ]
    )
    found = ceiling.points(values.values(results), bounded, ceiling.classes(results))
    shares = {p.arm: p.value for p in found if p.measure == ceiling.OF_BOUND}
    assert shares == {"window": pytest.approx(0.5 / 0.8), "search": pytest.approx(0.5)}
    lines = {p.arm: p.value for p in found if p.measure == "hit_ratio"}
    assert lines == {"bound_keep": pytest.approx(0.8), "bound_any": 1.0, "farthest_next_use": pytest.approx(0.7)}


def test_a_rank_that_depends_on_the_reader_is_marked(tmp_path: Path) -> None:
    high, low = [(1.0, 0.75)] * 8, [(1.0, 0.5)] * 8
    cells = [
        Cell("window", many(8, success=high), reader="ideal"),
        Cell("mask", many(8, success=low), reader="ideal"),
        Cell("full", many(8), reader="ideal"),
        Cell("window", many(8, success=low), reader="realistic"),
        Cell("mask", many(8, success=high), reader="realistic"),
        Cell("full", many(8), reader="realistic"),
    ]
    text = printed(sweep(tmp_path, cells))
    assert "Kendall's τ .33 over 3 arms; † reader-dependent: window/mask" in text
    assert "\nwindow † " in text and "\nmask † " in text and "full †" not in text


def test_success_that_follows_retention_is_said_to_add_nothing(tmp_path: Path) -> None:
    same = many(8, success=SPREAD, retention=SPREAD)
    apart = many(8, success=SPREAD, retention=[(1.0, (i * 5 % 8) / 10) for i in range(8)])
    line = "success adds nothing beyond retention here"
    assert line in printed(sweep(tmp_path / "same", [Cell("window", same)]))
    assert line not in printed(sweep(tmp_path / "apart", [Cell("window", apart)]))


def test_the_relation_is_taken_over_arms_and_instances(tmp_path: Path) -> None:
    cells = [Cell("window", many(8)), Cell("mask", many(8, success=[(0.0, 0.0)] * 8, retention=[(0.0, 0.0)] * 8))]
    rows = values.values(load(sweep(tmp_path, cells)))
    (found,) = [r for r in relation.relations(rows) if r.measure == "retention"]
    assert (found.r, found.pairs) == (pytest.approx(1.0), 16)


def test_repeats_are_counted_beyond_those_of_the_reference(tmp_path: Path) -> None:
    rows = values.values(load(sweep(tmp_path, [Cell("full", many(8)), Cell("window", many(8))])))
    excess = rows[(rows["measure"] == "repeated_reads, excess") & (rows["arm"] == "window")]["value"]
    assert set(excess) == {0.0}
