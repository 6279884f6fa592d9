"""What a picture of curves is made of: its frames, and the points in each."""

from __future__ import annotations

from dataclasses import dataclass

from harness.report.book import Book, Scope
from harness.report.ceiling import BOUNDS
from harness.report.estimates import Point
from harness.report.recorded import READINGS
from harness.stats import FEWEST

GENERATED = {"success": "success", "retention": "retention", "hit_ratio": "hit ratio"}
AXES = {"steps": None, "turns": "turns", "tokens": "tokens_spent"}  # the measure that gives a checkpoint its place
DRAWN = ("keep", "any")  # the heuristic has no claim, and no line


@dataclass(frozen=True, slots=True)
class Panel:
    """One frame of a picture. bounds: whether the computed bounds belong in it."""

    title: str
    label: str
    reader: str
    measure: str
    bounds: bool


def panels(book: Book, scope: Scope) -> list[list[Panel]]:
    """Rows of panels: measures down and readers across, or the three readings of recorded runs across."""
    if not book.has(scope, "success"):
        reader = scope.readers[0]
        return [[Panel(f"need met {name}", "hit ratio", reader, m, "headline" in name) for name, m in READINGS.items()]]
    rows: list[list[Panel]] = []
    for measure, label in GENERATED.items():
        rows.append([])
        for reader in scope.readers:
            simulated = book.simulated(reader)
            title = (f"{reader} reader" if simulated else reader) if len(rows) == 1 else ""
            named = f"{label} (simulated)" if simulated and measure == "success" else label
            rows[-1].append(Panel(title, named, reader, measure, measure == "hit_ratio"))
    return rows


def points(book: Book, scope: Scope, arm: str, panel: Panel, x: str) -> list[tuple[float, Point]]:
    """(place on the axis, point) for each checkpoint with enough instances, by checkpoint."""
    axis, found = AXES[x], []
    for k in scope.checkpoints:
        point = book.at(scope, arm, panel.reader, panel.measure, k)
        place = k if axis is None else book.value(scope, arm, panel.reader, axis, k)
        if point is not None and point.value is not None and point.n >= FEWEST and place is not None:
            found.append((float(place), point))
    return found


def bounds(book: Book, scope: Scope, panel: Panel) -> dict[str, list[tuple[float, float]]]:
    """(checkpoint, value) of each computed bound."""
    found: dict[str, list[tuple[float, float]]] = {}
    for name in (BOUNDS[bound][0] for bound in DRAWN):
        for k in scope.checkpoints:
            point = book.at(scope, name, panel.reader, "hit_ratio", k)
            if point is not None and point.value is not None and point.n >= FEWEST:
                found.setdefault(name, []).append((float(k), point.value))
    return found


def counts(book: Book, scope: Scope, panel: Panel) -> list[int]:
    """The most instances that any arm has at each checkpoint."""
    found = [[book.at(scope, arm, panel.reader, panel.measure, k) for arm in scope.arms] for k in scope.checkpoints]
    return [max((p.n for p in points if p is not None), default=0) for points in found]
