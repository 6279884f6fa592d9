"""How pictures look: a colour, line and marker an arm, safe for colour-blind eyes, and files equal on every run."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import matplotlib
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

# Okabe and Ito, "Color Universal Design" (2008), without the yellow, faint on white; then two of Tol's muted colours.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000", "#882255", "#999933")
LINES = ("-", "--", "-.")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">", "h")
INK, FAINT = "#222222", "#B8B8B8"
SETTINGS: dict[Any, Any] = {
    "svg.hashsalt": "longhaul",
    "svg.fonttype": "none",
    "font.family": "DejaVu Sans",
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": FAINT,
    "axes.grid": True,
    "grid.color": "#ECECEC",
    "grid.linewidth": 0.8,
    "xtick.color": INK,
    "ytick.color": INK,
}


@dataclass(frozen=True, slots=True)
class Look:
    colour: str
    line: str
    marker: str


def looks(arms: Sequence[str]) -> dict[str, Look]:
    """By position, so that an arm looks alike in every picture of a sweep."""
    return {
        arm: Look(COLOURS[i % len(COLOURS)], LINES[i // len(COLOURS) % len(LINES)], MARKERS[i % len(MARKERS)])
        for i, arm in enumerate(arms)
    }


def settings() -> AbstractContextManager[None]:
    """A context in which figures are made and saved; nothing global stays changed."""
    return matplotlib.rc_context(SETTINGS)


def figure(width: float, height: float) -> Figure:
    """Inches. No pyplot: the figure belongs to whoever holds it."""
    made = Figure(figsize=(width, height), layout="constrained", facecolor="white")
    FigureCanvasAgg(made)
    return made


def save(made: Figure, path: Path) -> list[Path]:
    """PNG and SVG beside each other, without dates."""
    path.parent.mkdir(parents=True, exist_ok=True)
    png, svg = path.with_name(path.name + ".png"), path.with_name(path.name + ".svg")
    made.savefig(png, dpi=150, metadata={"Software": None})
    made.savefig(svg, metadata={"Date": None, "Creator": None})
    return [png, svg]
