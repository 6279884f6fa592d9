"""Curves of a family at a budget: success, retention and hit ratio over steps, turns and tokens, readers side by side.

A point is a checkpoint. Its place on the axis of turns or tokens is the mean number of turns or tokens that the arm's
episodes had spent by then. Bands are 95 % intervals; a point under n = 8 is not drawn.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter

from harness.report import style, text
from harness.report.book import Book, Scope
from harness.report.panels import AXES, Panel, bounds, counts, panels, points
from harness.report.style import Look
from harness.stats import FEWEST

LABELS = {
    "steps": "steps",
    "turns": "turns, re-reads and other overhead included (mean)",
    "tokens": "tokens spent so far: input + output + the strategy's own (mean, log scale)",
}
DOTS = ((0, (1, 1.2)), (0, (1, 2.5)))


def draw(folder: Path, book: Book, scope: Scope, arms: Sequence[str]) -> list[Path]:
    """Writes folder/<family>-<budget>-<x>.png and .svg; nothing where no arm has a point of n >= 8.

    arms: those of the whole sweep, in order, so that each looks alike in all its pictures.
    """
    grid, own = panels(book, scope), style.looks(arms)
    slug = re.sub(r"[^a-z0-9_.=]+", "_", scope.family.lower())
    written: list[Path] = []
    with style.settings():
        for x in AXES:
            if any(points(book, scope, arm, panel, x) for row in grid for panel in row for arm in scope.arms):
                made = _figure(book, scope, grid, own, x)
                written += style.save(made, folder / f"{slug}-{scope.budget}-{x}")
    return written


def _figure(book: Book, scope: Scope, grid: Sequence[Sequence[Panel]], own: Mapping[str, Look], x: str) -> Figure:
    made = style.figure(3.7 * len(grid[0]) + 1.6, 2.5 * len(grid) + 0.7)
    axes = made.subplots(len(grid), len(grid[0]), sharex=True, sharey=True, squeeze=False)
    for i, row in enumerate(grid):
        for j, panel in enumerate(row):
            _panel(axes[i][j], book, scope, panel, own, x)
            axes[i][j].set_title(panel.title, fontsize=10)
        axes[i][0].set_ylabel(row[0].label)
    numbers = counts(book, scope, grid[0][0])
    alike = len(set(numbers)) == 1
    budget = "" if scope.budget is None else f", budget {scope.budget:,} tokens"
    made.suptitle(f"{scope.family}{budget}{f', n = {numbers[0]}' if alike else ''}", fontsize=11, fontweight="bold")
    below = LABELS[x]
    if x == "steps":
        ticks = [str(k) if alike else f"{k}\n({n})" for k, n in zip(scope.checkpoints, numbers, strict=True)]
        axes[0][0].set_xticks(scope.checkpoints, ticks)
        below += "" if alike else f" (n in brackets; under {FEWEST} nothing is drawn)"
    made.supxlabel(below, fontsize=9)
    entries = _entries([axis for row in axes for axis in row])
    ends = {arm: found[-1][1].value or 0.0 for arm in scope.arms if (found := points(book, scope, arm, grid[0][0], x))}
    names = sorted(entries, key=lambda name: (name not in ends, -ends.get(name, 0.0)))  # arms from best to worst
    handles = [entries[name] for name in names]
    made.legend(handles, names, loc="outside right upper", frameon=False, handlelength=3.0)
    return made


def _panel(axis: Axes, book: Book, scope: Scope, panel: Panel, own: Mapping[str, Look], x: str) -> None:
    for arm in scope.arms:
        found, look = points(book, scope, arm, panel, x), own[arm]
        if not found:
            continue
        xs, ys = [place for place, _ in found], [p.value or 0.0 for _, p in found]
        (line,) = axis.plot(xs, ys, look.line, color=look.colour, linewidth=1.6, label=arm, zorder=3)
        line.set(marker=look.marker, markersize=4)
        _band(axis, [(place, p.low, p.high) for place, p in found if p.low is not None and p.high is not None], look)
    if panel.bounds and x == "steps":
        for dotted, (name, bound) in zip(DOTS, bounds(book, scope, panel).items(), strict=False):
            places, values = zip(*bound, strict=True)
            axis.plot(places, values, linestyle=dotted, color=style.INK, linewidth=1.5, label=name, zorder=4)
    axis.set_ylim(-0.03, 1.03)
    if x == "tokens":
        axis.set_xscale("log")
        axis.xaxis.set_major_formatter(FuncFormatter(lambda value, _: text.tokens(value)))
        axis.xaxis.set_minor_formatter(FuncFormatter(lambda value, _: ""))


def _band(axis: Axes, limits: Sequence[tuple[float, float, float]], look: Look) -> None:
    if len(limits) > 1:
        places, lows, highs = zip(*limits, strict=True)
        within = [max(low, 0.0) for low in lows], [min(high, 1.0) for high in highs]
        axis.fill_between(places, *within, color=look.colour, alpha=0.12, linewidth=0, zorder=2)


def _entries(axes: Sequence[Axes]) -> dict[str, Artist]:
    """A line to show in the legend for every arm and bound that some panel draws."""
    found: dict[str, Artist] = {}
    for axis in axes:
        for handle, name in zip(*axis.get_legend_handles_labels(), strict=True):
            found.setdefault(str(name), handle)
    return found
