"""Retention by kind of fact and by age: for each episode, over the facts live at its checkpoints taken together."""

from __future__ import annotations

import pandas as pd

from harness.report.frames import KEYS, Results
from harness.report.values import EPISODE, ROW

AGES = ((1, 10), (11, 20), (21, 40), (41, None))  # steps since the fact was stated
KIND, AGE = "retention by kind: ", "retention by age: "


def slices(results: Results) -> pd.DataFrame:
    """Columns ROW, measure, value, as `values` has them; the checkpoint is that of the whole episode."""
    facts = results.tables["facts"]
    if "present" not in facts:
        return pd.DataFrame(columns=[*ROW, "measure", "value"])
    facts = facts.assign(value=facts["present"].astype(float))
    ages = pd.to_numeric(facts["age"]).map(_bucket)
    parts = [facts.assign(measure=KIND + facts["kind"].astype(str)), facts.assign(measure=AGE + ages)]
    by = [*KEYS, "draw", "instance", "measure"]
    means = pd.concat(parts).groupby(by, dropna=False, sort=False)["value"].mean().reset_index()
    return means.assign(checkpoint=EPISODE)


def _bucket(age: float) -> str:
    low, high = next(b for b in AGES if b[1] is None or age <= b[1])
    return f"{low}-{high}" if high else f"{low}+"
