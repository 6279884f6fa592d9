"""One row a value: a measure of one episode at a checkpoint, or over the whole episode (checkpoint 0).

A value is missing (NaN) where the episode has no result, or where there was nothing to measure. Needs are the same
set in every arm, so the arm that came farthest tells which were due: what an arm did not reach, because a limit or the
strategy ended it, counts as not met. A recorded run that ended before a checkpoint is not counted there in any arm.
"""

from __future__ import annotations

import pandas as pd

from harness.counters import SCORED
from harness.report.frames import KEYS, Results, groups

EPISODE = 0  # the "checkpoint" of the whole episode
ROW = [*KEYS, "draw", "instance", "checkpoint"]
SHARES = {
    "cached_share_ideal": ("cached_ideal", "input"),
    "cached_share_expected": ("cached_expected", "input"),
    "fired_share": ("fired_turns", "turns"),
    "overflow_share": ("overflow_turns", "turns"),
    "managed_share": ("managed_turns", "turns"),
}
READINGS = {"hit_ratio": "met", "hit_bare": "met_bare", "hit_any": "met_any", "hit_observation": "met_observation",
            "hit_first": "met_first"}  # fmt: skip
REFERENCE = "full"  # the arm that loses nothing
REPEATS, EXCESS = ("repeated_reads", "repeated_actions", "file_rereads"), ", excess"
HEADLINE = ("success", "retention", "hit_ratio")
# Columns of the tables that are no measures, or are measured better here.
LEFT = {*ROW, "suite", "ending", "status", "reason", "seed", "turn", "goals_due", "arm_class", "reached", "grade",
        "grade_reason"}  # fmt: skip


def values(results: Results) -> pd.DataFrame:
    """Columns ROW, measure, value."""
    rows = pd.concat([_at_checkpoints(results), _whole(results)], ignore_index=True)
    rows["checkpoint"] = rows["checkpoint"].astype(int)
    for name, (part, whole) in SHARES.items():
        if part in rows and whole in rows:
            rows[name] = _number(rows[part]) / _number(rows[whole]).where(_number(rows[whole]) > 0)
    if "fired_turns" in rows:
        rows["fired"] = (_number(rows["fired_turns"]) > 0).astype(float)
    if "input" in rows:
        rows["tokens_spent"] = sum((_number(rows[c]).fillna(0) for c in ("input", "output", "asked") if c in rows), 0.0)
    rows = rows.drop(columns=["hit_ratio"], errors="ignore").merge(_hits(results, rows), on=ROW, how="left")
    measures = [c for c in rows.columns if c not in LEFT]
    numbers = rows[measures].apply(_number)
    numbers = numbers.where(rows["ending"].isin(SCORED), float("nan"))
    # Needs and facts found in an arm's own live history are another set in each arm: there is nothing to compare.
    own = rows["family"].isin(_judged(results))
    found = [c for c in measures if c.startswith(("hit_", "retention"))]
    numbers[found] = numbers[found].mask(own, float("nan"))
    long = pd.concat([rows[ROW], numbers], axis=1).melt(ROW, measures, "measure", "value")
    long = pd.concat([long, _excess(long), _absent(results, long)], ignore_index=True)
    typed: pd.DataFrame = long.astype({"measure": str, "value": float})
    return typed


def _at_checkpoints(results: Results) -> pd.DataFrame:
    """Without the checkpoints that lie past the end of a recorded run."""
    rows = results.tables["checkpoints"]
    if "checkpoint" not in rows:
        return pd.DataFrame(columns=[*ROW, "ending"])
    longest = _longest(results)
    length = rows.set_index(["family", "instance"]).index.map(longest)
    due = _number(rows["goals_due"]).fillna(0) if "goals_due" in rows else 0
    scored = rows["ending"].isin(SCORED)
    judged = rows["success"].notna() if "success" in rows else False  # what was handed in carries its result on
    return rows[~scored | (due > 0) | judged | (pd.Series(length, rows.index).fillna(0) >= rows["checkpoint"])]


def _judged(results: Results) -> set[str]:
    """The families whose episodes a judge graded: real agents, without a schedule."""
    rows = results.tables["outcomes"]
    return set(rows.loc[rows["grade"].notna(), "family"]) if "grade" in rows else set()


def _whole(results: Results) -> pd.DataFrame:
    return results.tables["outcomes"].assign(checkpoint=EPISODE)


def _longest(results: Results) -> dict[tuple[str, str], float]:
    """Steps of the longest run of an instance, over all arms."""
    rows = results.tables["outcomes"]
    if "steps" not in rows:
        return {}
    steps = rows.assign(steps=_number(rows["steps"]))
    return {
        (own["family"], own["instance"]): part["steps"].max() for own, part in groups(steps, ["family", "instance"])
    }


def _excess(long: pd.DataFrame) -> pd.DataFrame:
    """Repeats beyond those of the reference arm on the same instance: agents repeat themselves with nothing lost."""
    part = long[long["measure"].isin(REPEATS)]
    by = ["family", "reader", "model", "instance", "checkpoint", "measure"]
    reference = part[part["strategy"] == REFERENCE].groupby(by)["value"].mean().rename("usual").reset_index()
    found = part.merge(reference, on=by)
    found = found.assign(measure=found["measure"] + EXCESS, value=found["value"] - found["usual"])
    return found[list(long.columns)]


def _absent(results: Results, long: pd.DataFrame) -> pd.DataFrame:
    """The headline measures of cells without tables: planned like those of their family, and missing."""
    found = [long.head(0)]
    for cell in results.cells:
        if cell.metrics is None:
            family = long[(long["family"] == cell.label.family) & long["measure"].isin(HEADLINE)]
            planned = family[["instance", "checkpoint", "measure"]].drop_duplicates()
            found.append(planned.assign(**cell.keys(), draw=cell.label.draw, value=float("nan")))
    return pd.concat(found)


def _hits(results: Results, rows: pd.DataFrame) -> pd.DataFrame:
    """Shares of the needs due by a checkpoint that the views met, under each reading; NaN where none was due."""
    needs = results.tables["needs"]
    if "step" not in needs:
        return pd.DataFrame(columns=ROW)
    episode = [c for c in ROW if c != "checkpoint"]
    wanted = rows[ROW]
    found = []
    for k in sorted(wanted["checkpoint"].unique()):
        part = needs if k == EPISODE else needs[_number(needs["step"]) <= k]
        counts = part.groupby(episode, dropna=False).size().rename("reached").reset_index()
        due = counts.groupby(["family", "instance"])["reached"].max().rename("due").reset_index()
        here = wanted[wanted["checkpoint"] == k].merge(due, on=["family", "instance"])
        for name, column in READINGS.items():
            if column not in part or part[column].isna().all():
                continue
            met = part.assign(**{name: _number(part[column])}).groupby(episode, dropna=False)[name].sum().reset_index()
            here = here.merge(met, on=episode, how="left")
            here[name] = here[name].fillna(0.0) / here["due"]
        found.append(here.drop(columns="due"))
    hits: pd.DataFrame = pd.concat(found, ignore_index=True)
    return hits


def _number(column: pd.Series) -> pd.Series:
    numbers: pd.Series = pd.to_numeric(column, errors="coerce").astype(float)
    return numbers
