"""What the controls reach in a family, and the bounds between which they must lie."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from harness import ceilings
from harness.plan import Cell

ARMS = ("full", "empty", "regex")


@dataclass(frozen=True, slots=True)
class Reached:
    """Shares at the last checkpoint, means over instances. success: per goal. hits: per need."""

    success: float
    hits: float

    @staticmethod
    def between(low: Reached, high: Reached) -> Reached:
        return Reached((low.success + high.success) / 2, (low.hits + high.hits) / 2)

    def within(self, limit: Reached) -> bool:
        return self.success <= limit.success and self.hits <= limit.hits


@dataclass(frozen=True, slots=True)
class Controls:
    """arms: by name. any, keep: the bounds of re-admitting and of keep-only arms; None where they are not computed."""

    arms: Mapping[str, Reached]
    any: Reached | None
    keep: Reached | None

    @property
    def limit(self) -> Reached | None:
        """The most that `regex` may reach: the midpoint of `empty` and `bound_any`."""
        return Reached.between(self.arms["empty"], self.any) if self.any is not None else None


def controls(cells: Mapping[str, Cell]) -> Controls:
    """From the finished cells of ARMS. The bounds are those of the histories of `full`, at the cells' budget."""
    full = cells["full"]
    last = max(full.config["checkpoints"])
    rows = pd.DataFrame(ceilings.rows(full.folder, full.config["budget"]))
    if not rows.empty:
        rows = rows[rows["checkpoint"] == last]
    bounds = {name: _bound(rows, name) for name in ("any", "keep")}
    return Controls({arm: _reached(cell.folder, last) for arm, cell in cells.items()}, **bounds)


def _reached(folder: Path, checkpoint: int) -> Reached:
    rows = pd.read_parquet(folder / "checkpoints.parquet")
    rows = rows[rows["checkpoint"] == checkpoint]
    return Reached(float(rows["success"].mean()), float(rows["hit_ratio"].mean()))


def _bound(rows: pd.DataFrame, name: str) -> Reached | None:
    if rows.empty or rows[name].isna().all():
        return None
    return Reached(float(rows[f"{name}_goals"].mean()), float(rows[name].mean()))
