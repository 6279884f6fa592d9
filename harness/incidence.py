"""Cumulative incidence over steps: which share of the episodes has failed by a step, and which had ended before.

An episode leaves by what comes first: the first goal that it misses, or its end. The causes compete: an episode that a
limit ended can no longer miss a goal, and treating it as censored would overstate the risk. Aalen and Johansen's
estimator (Scandinavian Journal of Statistics, 1978); only what has no known end (infrastructure) is censored.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from harness.counters import SCORED
from harness.report import text
from harness.report.block import Block
from harness.report.frames import Results, groups
from harness.report.grid import Column, grid

MISSED = "missed a goal"
BY = ["family", "arm", "reader", "model", "budget"]
ON = ["draw", "instance"]


@dataclass(frozen=True, slots=True)
class Exit:
    """The step at which an episode left, and why; cause None = censored: what came after is not known."""

    step: int
    cause: str | None


def incidence(exits: Sequence[Exit], steps: Sequence[int]) -> dict[str, list[float]]:
    """By cause, the share of episodes that had left by each of the steps. Without censoring: plain shares."""
    causes = list(dict.fromkeys(one.cause for one in exits if one.cause is not None))
    found: dict[str, list[float]] = {cause: [] for cause in causes}
    share, still, left = dict.fromkeys(causes, 0.0), 1.0, len(exits)
    times = sorted({one.step for one in exits})
    for step in sorted(steps):
        while times and times[0] <= step:
            at = times.pop(0)
            here = [one.cause for one in exits if one.step == at]
            for cause in causes:
                share[cause] += still * here.count(cause) / left
            still *= 1 - sum(cause is not None for cause in here) / left
            left -= len(here)
        for cause in causes:
            found[cause].append(share[cause])
    return found


def of_sweep(results: Results, steps: Sequence[int]) -> pd.DataFrame:
    """A row an arm, cause and step: the labels, `cause`, `step`, `share`, `n` (episodes, repeats apart)."""
    missed = _first_missed(results.tables["steps"])
    rows = []
    for own, part in groups(results.tables["outcomes"], BY):
        exits = [_exit(row, missed.get(tuple(str(row[c]) for c in (*BY, *ON)))) for row in part.to_dict("records")]
        for cause, shares in incidence(exits, steps).items():
            front = {**own, "cause": cause, "n": len(exits)}
            rows += [{**front, "step": step, "share": x} for step, x in zip(sorted(steps), shares, strict=True)]
    return pd.DataFrame(rows, columns=[*BY, "cause", "n", "step", "share"])


def blocks(results: Results) -> Iterator[Block]:
    """By which step episodes had missed their first goal, or ended before they could."""
    known = pd.to_numeric(results.tables["checkpoints"]["checkpoint"])
    steps = sorted(known.astype(int).unique())
    table = of_sweep(results, steps)
    for own, part in groups(table, ["family", "reader", "model", "budget"]):
        causes = list(dict.fromkeys(part["cause"]))
        columns = [Column("arm", left=True), Column("n")]
        columns += [Column(f"@{k}", cause) for cause in causes for k in steps]
        rows = []
        for arm, lines in part.groupby("arm", sort=False):
            shares = {(row["cause"], row["step"]): row["share"] for row in lines.to_dict("records")}
            row = [text.share(shares.get((cause, k), 0.0)) for cause in causes for k in steps]
            rows.append([str(arm), str(lines["n"].iloc[0]), *row])
        size = "" if own["budget"] is None else f" · budget {own['budget']:,} tokens"
        who = own["model"] if own["reader"] == "-" else own["reader"]
        title = f"{own['family']} · {who}{size}: share of episodes that had left by a step, and why"
        yield Block(title, grid(columns, rows), ["first cause counts; Aalen–Johansen, infrastructure faults censored"])


def _exit(row: Mapping[Any, Any], missed: int | None) -> Exit:
    if missed is not None:
        return Exit(missed, MISSED)
    ending, last = str(row["ending"]), row.get("steps")
    return Exit(int(last), ending) if ending in SCORED and not pd.isna(last) else Exit(0, None)


def _first_missed(steps: pd.DataFrame) -> dict[tuple[str, ...], int]:
    if "goals_due" not in steps:
        return {}
    short = steps[pd.to_numeric(steps["goals_met"]) < pd.to_numeric(steps["goals_due"])]
    first = short.groupby([*BY, *ON], dropna=False, sort=False)["step"].min()
    return {tuple(str(part) for part in key): int(step) for key, step in zip(first.index, first, strict=True)}
