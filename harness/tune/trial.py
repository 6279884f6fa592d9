"""What a trial came to, and which is the best."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from harness.families import Overall, overall
from harness.tune.space import Settings

Values = Mapping[str, Mapping[str, float]]  # by family and instance


@dataclass(frozen=True, slots=True)
class Trial:
    """success: at the last checkpoint, 0 to 1, by family and instance. tokens: of an episode, all that was spent."""

    settings: Settings
    success: Values
    tokens: Values

    @property
    def score(self) -> float:
        return _mean(self.success)

    @property
    def spent(self) -> float:
        return _mean(self.tokens)


def read(settings: Settings, folders: Mapping[str, Path]) -> Trial:
    """From the tables of a trial's cells, by family."""
    success, tokens = {}, {}
    for family, folder in folders.items():
        rows = pd.read_parquet(folder / "checkpoints.parquet")
        last = rows[rows["checkpoint"] == rows["checkpoint"].max()]
        success[family] = _values(last, "success")
        tokens[family] = _values(pd.read_parquet(folder / "outcomes.parquet"), "tokens")
    return Trial(settings, success, tokens)


def ranked(trials: Sequence[Trial]) -> list[Trial]:
    """The best first: most success, to three digits; among equals fewest tokens, then the first."""
    return sorted(trials, key=lambda trial: (-round(trial.score, 3), trial.spent))


def gain(best: Trial, default: Trial) -> Overall:
    """Success of the best minus that of the default, on the same instances. Too high: it is the best of several."""
    return overall(
        {family: [best.success[family][name] - value for name, value in own.items()]
         for family, own in default.success.items()}
    )  # fmt: skip


def _values(rows: pd.DataFrame, column: str) -> dict[str, float]:
    numbers = pd.to_numeric(rows[column], errors="coerce").astype(float)
    return dict(zip(rows["instance"].astype(str), numbers, strict=True))


def _mean(values: Values) -> float:
    """Each family counts the same; instances where nothing was due are left out."""
    means = []
    for own in values.values():
        known = [value for value in own.values() if not math.isnan(value)]
        means.append(sum(known) / len(known) if known else math.nan)
    return sum(means) / len(means)
