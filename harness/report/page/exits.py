"""By which step episodes had missed their first goal, or had ended before they could: a curve an arm and cause."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pandas as pd

from harness import incidence
from harness.report.frames import Results, groups

POINTS = 40  # of a curve, the checkpoints apart


def exits(results: Results, places: Mapping[str, Sequence[Any]], several: bool) -> dict[str, Any]:
    """steps, by family; curves: [family, arm, reader, budget, cause, episodes, share at each step], the first five as
    places in the lists families, arms, readers, budgets and causes. several: whether readers are told apart by models.
    """
    steps: dict[int, list[int]] = {}
    curves: list[list[Any]] = []
    causes = [incidence.MISSED]
    for number, family in enumerate(places["families"]):
        own = {name: table[table["family"] == family] for name, table in results.tables.items()}
        steps[number] = _steps(own)
        table = incidence.of_sweep(replace(results, tables=own), steps[number])
        for row, part in groups(table, [*incidence.BY, "cause"]):
            causes += [] if row["cause"] in causes else [row["cause"]]
            who = row["model"] if row["reader"] == "-" else row["reader"]
            who = f"{row['model']} {who}" if several and row["reader"] != "-" else who
            curves.append(
                [
                    number, places["arms"].index(row["arm"]), places["readers"].index(who),
                    -1 if row["budget"] is None else places["budgets"].index(row["budget"]), causes.index(row["cause"]),
                    int(part["n"].iloc[0]), [round(float(x), 4) for x in part["share"]],
                ]
            )  # fmt: skip
    return {"steps": steps, "curves": curves, "causes": causes, "missed": incidence.MISSED}


def _steps(tables: Mapping[str, pd.DataFrame]) -> list[int]:
    """From 0 to the last step of the longest episode, the checkpoints among them."""
    outcomes, checkpoints = tables["outcomes"], tables["checkpoints"]
    known = pd.to_numeric(outcomes["steps"]).max() if "steps" in outcomes else math.nan
    last = 0 if pd.isna(known) else int(known)
    marks = [int(k) for k in checkpoints["checkpoint"].unique()] if "checkpoint" in checkpoints else []
    return sorted({*(round(last * n / POINTS) for n in range(POINTS + 1)), *marks})
