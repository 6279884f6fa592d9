"""Pictures: which exist, that they are equal on every run, and that nothing global changes."""

from __future__ import annotations

import io
from pathlib import Path

import matplotlib
from rich.console import Console

from harness import summary
from harness.report import panels, style
from harness.report.book import Book, Scope
from harness.report.estimates import Point
from tests.report.sweeps import Cell, Episode, many, sweep


def draw(folder: Path) -> dict[str, bytes]:
    summary.write(folder, Console(file=io.StringIO()))
    return {path.name: path.read_bytes() for path in sorted((folder / "curves").glob("*"))}


def test_a_generated_family_has_curves_over_three_axes_and_an_overview(tmp_path: Path) -> None:
    cells = [Cell(arm, many(8), reader=reader) for arm in ("none", "window") for reader in ("ideal", "realistic")]
    found = draw(sweep(tmp_path, cells))
    axes = [f"graph-1000-{x}" for x in ("steps", "tokens", "turns")]
    assert set(found) == {f"{name}.{end}" for name in (*axes, "overview") for end in ("png", "svg")}


def test_files_are_equal_on_every_run_and_settings_stay_as_they_were(tmp_path: Path) -> None:
    before = dict(matplotlib.rcParams)
    folder = sweep(tmp_path, [Cell("window", many(8)), Cell("mask", many(8, Episode(success=(0.5, 0.25))))])
    assert draw(folder) == draw(folder)
    assert dict(matplotlib.rcParams) == before


def test_nothing_is_drawn_under_eight_instances(tmp_path: Path) -> None:
    assert draw(sweep(tmp_path, [Cell("window", many(7))])) == {}


def test_recorded_runs_have_curves_and_no_overview(tmp_path: Path) -> None:
    found = draw(sweep(tmp_path, [Cell("window", many(8, Episode(success=None)), task="replay", reader=None)]))
    assert set(found) == {f"replay-1000-{x}.{end}" for x in ("steps", "turns", "tokens") for end in ("png", "svg")}


def test_a_point_stands_where_the_arm_was_by_then_and_not_under_eight() -> None:
    labels = ("graph", "window", "window", "ideal", "scripted", 1000)
    lines = [Point(*labels, k, "success", 0.5, n=n, planned=8) for k, n in ((20, 8), (40, 7))]
    lines += [Point(*labels, k, "turns", place, n=8, planned=8) for k, place in ((20, 25.0), (40, 60.0))]
    book, scope = Book(lines), Scope("graph", 1000, ("window",), ("ideal",), (20, 40))
    panel = panels.Panel("", "success", "ideal", "success", bounds=False)
    assert [place for place, _ in panels.points(book, scope, "window", panel, "steps")] == [20.0]
    assert [place for place, _ in panels.points(book, scope, "window", panel, "turns")] == [25.0]


def test_every_arm_of_a_large_sweep_looks_different() -> None:
    arms = [f"arm{i}" for i in range(27)]
    looks = style.looks(arms)
    assert len({(look.colour, look.line) for look in looks.values()}) == 27
