"""Counts over the episodes of an arm: how they ended, and what removed the last provider of each unmet need."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from harness.report.estimates import Point, point
from harness.report.frames import KEYS, Results, groups
from harness.stats import Estimate

ENDING, LOST, GRADE = "ending: ", "unmet need: ", "grade: "
COMPLETED = f"{ENDING}completed"


def points(results: Results) -> list[Point]:
    """Measures "ending: completed", …, "grade: resolved", … (episodes) and "unmet need: evict:budget", … (needs), each
    `n` of `planned`.
    """
    outcomes = results.tables["outcomes"]
    return [
        *_counts(outcomes, "ending", ENDING),
        *_counts(outcomes, "grade", GRADE),
        *_lost(results.tables["needs"]),
    ]


def _lost(needs: pd.DataFrame) -> Iterator[Point]:
    if "met" in needs:
        unmet = needs[~needs["met"].astype(bool)]
        causes = unmet[[*KEYS, "lost_by"]].assign(lost_by=unmet["lost_by"].fillna("unknown"))
        yield from _counts(pd.concat([causes, _not_reached(needs)], ignore_index=True), "lost_by", LOST)


def _not_reached(needs: pd.DataFrame) -> pd.DataFrame:
    """A row for each need that another arm reached on the same instance, and this one's episode did not live to see."""
    counts = needs.groupby([*KEYS, "draw", "instance"], dropna=False, sort=False).size().rename("reached").reset_index()
    gone = counts.groupby(["family", "instance"])["reached"].transform("max") - counts["reached"]
    return counts.loc[counts.index.repeat(gone), KEYS].assign(lost_by="episode had ended")


def _counts(rows: pd.DataFrame, column: str, name: str) -> Iterator[Point]:
    if column not in rows:
        return
    for own, group in groups(rows, KEYS):
        total = len(group)
        for value, count in group[column].value_counts().sort_index().items():
            yield point(own, None, f"{name}{value}", Estimate(float(count), None, None, total, total, "count"))
