"""Curves of a family at a budget: success, retention and hit ratio over steps, turns and tokens, readers side by side.

A point is a checkpoint. Its place on the axis of turns or tokens is the mean number of turns or tokens that the arm's
episodes had spent by then. Bands are 95 % intervals; a point under n = 8 is not drawn.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter

from harness.report import style, text
from harness.report.book import Book, Scope
from harness.report.ceiling import BOUNDS
from harness.report.estimates import Point
from harness.report.recorded import READINGS
from harness.report.style import Look
from harness.stats import FEWEST

AXES = {
    "steps": (None, "steps"),
    "turns": ("turns", "turns, re-reads and other overhead included (mean)"),
    "tokens": ("tokens_spent", "tokens spent so far: input + output + the strategy's own (mean, log scale)"),
}
GENERATED = {"success": "success", "retention": "retention", "hit_ratio": "hit ratio"}
DOTTED = {"keep": (0, (1, 1.2)), "any": (0, (1, 2.5))}  # the heuristic has no claim, and no line


@dataclass(frozen=True, slots=True)
class Panel:
    """One frame of a picture. bounds: whether the computed bounds belong in it."""

    title: str
    label: str
    reader: str
    measure: str
    bounds: bool


def draw(folder: Path, book: Book, scope: Scope, arms: Sequence[str]) -> list[Path]:
    """Writes folder/<family>-<budget>-<x>.png and .svg; nothing where no arm has a point of n >= 8. arms: of the whole sweep."""
    grid = panels(book, scope)
    own = style.looks(arms)
    written: list[Path] = []
    with style.settings():
        for x in AXES:
            if not any(points(book, scope, arm, p, x) for row in grid for p in row for arm in scope.arms):
                continue
            made = _figure(book, scope, grid, own, x)
            slug = re.sub(r"[^a-z0-9_.=]+", "_", scope.family.lower())
            written += style.save(made, folder / f"{slug}-{scope.budget}-{x}")
    return written


def panels(book: Book, scope: Scope) -> list[list[Panel]]:
    """Rows of panels: measures down and readers across, or the three readings of recorded runs across."""
    if not book.has(scope, "success"):
        reader = scope.readers[0]
        return [[Panel(f"need met {name}", "hit ratio", reader, m, "headline" in name) for name, m in READINGS.items()]]
    return [
        [
            Panel(f"{reader} reader" if i == 0 and book.simulated(reader) else reader if i == 0 else "", f"{label} (simulated)" if label == "success" and book.simulated(reader) else label,
                  reader, measure, measure == "hit_ratio")
            for reader in scope.readers
        ]
        for i, (measure, label) in enumerate(GENERATED.items())
    ]  # fmt: skip


def points(book: Book, scope: Scope, arm: str, panel: Panel, x: str) -> list[tuple[float, Point]]:
    """(place on the axis, point) for each checkpoint with enough instances, by checkpoint."""
    axis, found = AXES[x][0], []
    for k in book.checkpoints:
        point = book.at(scope, arm, panel.reader, panel.measure, k)
        place = k if axis is None else book.value(scope, arm, panel.reader, axis, k)
        if point is not None and point.value is not None and point.n >= FEWEST and place is not None:
            found.append((float(place), point))
    return found


def _figure(book: Book, scope: Scope, grid: Sequence[Sequence[Panel]], own: Mapping[str, Look], x: str) -> Figure:
    rows, columns = len(grid), len(grid[0])
    made = style.figure(3.7 * columns + 1.6, 2.5 * rows + 0.7)
    axes = made.subplots(rows, columns, sharex=True, sharey=True, squeeze=False)
    for i, row in enumerate(grid):
        for j, panel in enumerate(row):
            _panel(axes[i][j], book, scope, panel, own, x)
            axes[i][j].set_title(panel.title, fontsize=10)
            if j == 0:
                axes[i][j].set_ylabel(panel.label)
    made.supxlabel(AXES[x][1], fontsize=9)
    budget = "" if scope.budget is None else f", budget {scope.budget:,} tokens"
    counts = _counts(book, scope, grid[0][0])
    alike = f", n = {counts[0]}" if len(set(counts)) == 1 else ""
    made.suptitle(f"{scope.family}{budget}{alike}", fontsize=11, fontweight="bold")
    if x == "steps":
        named = [str(k) if alike else f"{k}\nn = {n}" for k, n in zip(book.checkpoints, counts, strict=True)]
        axes[0][0].set_xticks(book.checkpoints, named)
    handles, names = _legend(axes[0][0], axes[-1][0] if rows > 1 else axes[0][min(1, columns - 1)])
    made.legend(handles, names, loc="outside right upper", frameon=False, handlelength=3.0)
    return made


def _counts(book: Book, scope: Scope, panel: Panel) -> list[int]:
    """The most instances that any arm has at each checkpoint."""
    found = [[book.at(scope, arm, panel.reader, panel.measure, k) for arm in scope.arms] for k in book.checkpoints]
    return [max((p.n for p in points if p is not None), default=0) for points in found]


def _panel(axis: Axes, book: Book, scope: Scope, panel: Panel, own: Mapping[str, Look], x: str) -> None:
    for arm in scope.arms:
        found = points(book, scope, arm, panel, x)
        look = own[arm]
        xs, ys = [place for place, _ in found], [p.value or 0.0 for _, p in found]
        axis.plot(xs, ys, look.line, color=look.colour, marker=look.marker, markersize=4, linewidth=1.6, label=arm, zorder=3)
        banded = [(place, p.low, p.high) for place, p in found if p.low is not None and p.high is not None]
        if len(banded) > 1:
            places, lows, highs = zip(*banded, strict=True)
            axis.fill_between(places, lows, highs, color=look.colour, alpha=0.12, linewidth=0, zorder=2)
    if panel.bounds and x == "steps":
        for bound, dots in DOTTED.items():
            name = BOUNDS[bound][0]
            found = [(k, p.value) for k in book.checkpoints if (p := book.at(scope, name, panel.reader, "hit_ratio", k)) and p.n >= FEWEST]
            if found:
                axis.plot(*zip(*found, strict=True), linestyle=dots, color=style.INK, linewidth=1.5, label=name, zorder=4)
    axis.set_ylim(-0.03, 1.03)
    if x == "tokens":
        axis.set_xscale("log")
        axis.xaxis.set_major_formatter(FuncFormatter(lambda value, _: text.tokens(value)))
        axis.xaxis.set_minor_formatter(FuncFormatter(lambda value, _: ""))


def _legend(first: Axes, last: Axes) -> tuple[list[object], list[str]]:
    """Arms from the best end to the worst, then the bounds."""
    entries: dict[str, object] = {}
    for axis in (first, last):
        for handle, name in zip(*axis.get_legend_handles_labels(), strict=True):
            entries.setdefault(name, handle)
    ends = {line.get_label(): line.get_ydata()[-1] for line in first.get_lines() if len(line.get_ydata())}
    names = sorted(entries, key=lambda name: (name not in ends, -float(ends.get(name, 0.0))))
    return [entries[name] for name in names], names
