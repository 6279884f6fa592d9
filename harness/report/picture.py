"""The overview: success and retention of every arm at the checkpoints, a row of panels a family."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from matplotlib import colormaps
from matplotlib.axes import Axes

from harness.report import style, text
from harness.report.across import is_pooled
from harness.report.book import Book, Scope
from harness.report.estimates import Point
from harness.stats import FEWEST


@dataclass(frozen=True, slots=True)
class Strip:
    """A panel: one measure under one reader, arms as rows, a dot a checkpoint."""

    title: str
    reader: str
    measure: str


def draw(folder: Path, book: Book, scopes: Sequence[Scope]) -> list[Path]:
    """Writes folder/overview.png and .svg, each family at its first budget; nothing where no success has n >= 8."""
    shown: dict[str, Scope] = {}
    for scope in scopes:
        if not is_pooled(scope.family) and any(p.n >= FEWEST for p in book.lines(scope, "success")):
            shown.setdefault(scope.family, scope)
    if not shown:
        return []
    readers = list(dict.fromkeys(reader for scope in shown.values() for reader in scope.readers))
    strips = [Strip(f"success{' (simulated)' if book.simulated(r) else ''}, {r} reader", r, "success") for r in readers]
    strips.append(Strip(f"retention, {readers[0]} reader", readers[0], "retention"))
    tallest = max(len(scope.arms) for scope in shown.values())
    with style.settings():
        made = style.figure(3.2 * len(strips) + 1.6, (0.27 * tallest + 0.75) * len(shown) + 0.6)
        axes = made.subplots(len(shown), len(strips), squeeze=False, sharex=True)
        for row, scope in zip(axes, shown.values(), strict=True):
            order = _order(book, scope)
            for axis, strip in zip(row, strips, strict=True):
                _strip(axis, book, scope, strip, order)
                axis.set_yticklabels(order if axis is row[0] else [])
            _costs(row[-1], book, scope, readers[0], order)
            budget = "" if scope.budget is None else f"\n{scope.budget:,} tokens"
            row[0].set_ylabel(f"{scope.family}{budget}", fontweight="bold")
        for axis, strip in zip(axes[0], strips, strict=True):
            axis.set_title(strip.title, fontsize=9.5, loc="left")
        _legend(axes[0][0], list(shown.values()))
        handles, names = axes[0][0].get_legend_handles_labels()
        made.legend(handles, names, loc="outside lower center", ncols=len(names), frameon=False, handletextpad=0.6)
        return style.save(made, folder / "overview")


def _order(book: Book, scope: Scope) -> list[str]:
    """Worst arm first, as axes are drawn upwards."""
    last, reader = scope.checkpoints[-1], scope.readers[0]
    return sorted(scope.arms, key=lambda arm: book.value(scope, arm, reader, "success", last) or 0.0)


def _strip(axis: Axes, book: Book, scope: Scope, strip: Strip, order: Sequence[str]) -> None:
    count = len(scope.checkpoints)
    for y, arm in enumerate(order):
        found: list[tuple[int, Point]] = []
        for i, k in enumerate(scope.checkpoints):
            point = book.at(scope, arm, strip.reader, strip.measure, k)
            if point is not None and point.value is not None and point.n >= FEWEST:
                found.append((i, point))
        if not found:
            axis.annotate("no view left to measure" if strip.measure == "retention" else "no result", (0.01, y),
                          fontsize=7, color="#888888", va="center")  # fmt: skip
            continue
        values = [p.value or 0.0 for _, p in found]
        axis.plot([min(values), max(values)], [y, y], color="#D5D5D5", linewidth=1.2, zorder=1)
        end = found[-1][1]
        if end.low is not None and end.high is not None:
            axis.plot([max(end.low, 0), min(end.high, 1)], [y, y], color=style.INK, linewidth=3.5, alpha=0.25, zorder=2)
        for i, p in found:
            shade = _shade(i, count)
            size = 26 if i < count - 1 else 42
            axis.scatter([p.value or 0.0], [y], s=size, color=[shade], edgecolors="white", linewidths=0.6, zorder=3 + i)
    axis.set_xlim(-0.03, 1.03)
    axis.set_ylim(-0.6, len(order) - 0.4)
    axis.set_yticks(range(len(order)))
    axis.tick_params(length=0)


def _legend(axis: Axes, shown: Sequence[Scope]) -> None:
    """Checkpoints by their steps, or by their number where families have them at other steps."""
    longest = max((scope.checkpoints for scope in shown), key=len)
    alike = len({scope.checkpoints for scope in shown}) == 1
    names = [f"step {k}" if alike else f"checkpoint {n}" for n, k in enumerate(longest, 1)]
    for i, name in enumerate(names):
        axis.scatter([], [], s=30, color=[_shade(i, len(names))], label=name)
    axis.plot([], [], color=style.INK, linewidth=3.5, alpha=0.25, label=f"95 % at {names[-1]}")


def _shade(place: int, count: int) -> tuple[float, float, float, float]:
    """Later checkpoints are darker."""
    red, green, blue, alpha = colormaps["cividis_r"](0.1 + 0.9 * place / max(count - 1, 1))
    return red, green, blue, alpha


def _costs(axis: Axes, book: Book, scope: Scope, reader: str, order: Sequence[str]) -> None:
    """The price beside the last panel: mean input tokens of an episode."""
    for y, arm in enumerate(order):
        spent = text.tokens(book.value(scope, arm, reader, "input"))
        axis.annotate(
            spent, (1.06, y), xycoords=("axes fraction", "data"), fontsize=8, va="center", annotation_clip=False
        )
    axis.annotate("input tokens", (1.06, len(order) - 0.3), xycoords=("axes fraction", "data"), fontsize=8, va="bottom",
                  annotation_clip=False)  # fmt: skip
