"""Counts over the episodes of an arm: how they ended, and what removed the last provider of each unmet need."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from harness.report.estimates import Point
from harness.report.frames import KEYS, Results

ENDING, LOST = "ending: ", "unmet need: "


def points(results: Results) -> list[Point]:
    """Measures "ending: completed", … (episodes) and "unmet need: evict:budget", … (needs), each `n` of `planned`."""
    return [*_counts(results.tables["outcomes"], "ending", ENDING), *_lost(results.tables["needs"])]


def _lost(needs: pd.DataFrame) -> Iterator[Point]:
    if "met" in needs:
        unmet = needs[~needs["met"].astype(bool)]
        yield from _counts(unmet.assign(lost_by=unmet["lost_by"].fillna("unknown")), "lost_by", LOST)


def _counts(rows: pd.DataFrame, column: str, name: str) -> Iterator[Point]:
    if column not in rows:
        return
    totals = rows.groupby(KEYS, dropna=False, sort=False).size()
    for key, group in rows.groupby(KEYS, dropna=False, sort=False):
        labels = dict(zip(KEYS, key if isinstance(key, tuple) else (key,), strict=True))
        budget = None if pd.isna(labels["budget"]) else int(labels["budget"])
        total = int(totals[key])
        for value, count in group[column].value_counts().sort_index().items():
            front = [str(labels[k]) for k in KEYS[:-1]]
            yield Point(*front, budget, None, f"{name}{value}", float(count), None, None, total, total, 0, "count")
