"""Which failure counters rose against the reference arm, and the cause and remedy that a practitioner's table names.

The table of symptoms follows section 5.1 of the guide to layered memory and active compression for long-horizon agents
(in Chinese: 长程Agent上下文管理：分层记忆与主动压缩实战指南). It names where to look first; it proves nothing.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import pandas as pd

from harness import pairs
from harness.counters import SCORED
from harness.report.estimates import per_instance
from harness.report.frames import KEYS, Results, groups
from harness.report.values import EPISODE

REVISED = "newest wins"  # the trigger of a conflict within one agent's memory: a name was given another value


@dataclass(frozen=True, slots=True)
class Symptom:
    """counters: measures of a whole episode that rise with it."""

    sign: str
    counters: tuple[str, ...]
    cause: str
    look: str
    remedy: str


SYMPTOMS = (
    Symptom(
        "asks or reads again what was answered", ("rereads", "repeated_reads", "repeated_actions"),
        "not written to memory, or not found there", "what is written, and the retrieval threshold",
        "lower the threshold; force preferences into the view",
    ),
    Symptom(
        "forgets the goal or breaks its constraints", ("violations", "violations_share"),
        "the goal is not forced into the view", "the shares of the budget",
        "keep the goal and constraints in every view, outside retrieval",
    ),
    Symptom(
        "slow retrieval or compaction", ("stall", "overhead_turns"),
        "memory too large, or its index stale", "number of entries, state of the index",
        "compact; rebuild the index; write in the background",
    ),
    Symptom(
        "contradicts earlier decisions", ("used_stale", "refuted_again", "refuted_again_share"),
        "the reasons for decisions are not kept", "what the episodic memory keeps",
        "keep the reasons of the last 20 decisions",
    ),
    Symptom(
        "agents overwrite each other", ("conflicts",),
        "several write to shared memory at once", "the log of conflicts", "write in turn, with version numbers",
    ),
    Symptom(
        "details are lost when text is compacted", ("used_wrong", "used_abstained", "unmet_silent"),
        "what must be kept is not stressed", "samples of what was made", "keep numbers, names and negations by force",
    ),
)  # fmt: skip


def table(results: Results, rows: pd.DataFrame, baseline: str) -> list[dict[str, Any]]:
    """A line a counter that rose: arm minus baseline on the common instances, over whole episodes. rows: from `values`.

    sure: whether the 95 % interval lies above 0; None where there is no interval. Empty without the baseline.
    """
    found: list[dict[str, Any]] = []
    whole = pd.concat([rows[rows["checkpoint"] == EPISODE], _conflicts(results)], ignore_index=True)
    for own, group in groups(whole, ["family", "reader", "model", "budget"]):
        reference = group[group["arm"] == baseline]
        for arm, part in group[group["arm"] != baseline].groupby("arm", sort=False):
            for symptom in SYMPTOMS:
                for counter in symptom.counters:
                    line = _rise(part, reference, counter)
                    if line is not None:
                        who = own["model"] if own["reader"] == "-" else own["reader"]
                        front = {"family": own["family"], "reader": who, "budget": own["budget"], "arm": str(arm)}
                        said = {"sign": symptom.sign, "cause": symptom.cause, "look": symptom.look}
                        found.append({**front, **said, "remedy": symptom.remedy, "counter": counter, **line})
    return found


def _conflicts(results: Results) -> pd.DataFrame:
    """By episode, the writes to shared memory over a version that their writer did not know, from the ledger."""
    ledger = results.tables["ledger"]
    episode = [*KEYS, "draw", "instance"]
    found = results.tables["outcomes"]
    scored = found["ending"].isin(SCORED)
    found = found[episode].assign(checkpoint=EPISODE, measure="conflicts")
    if "event" not in ledger:
        return found.assign(value=0.0)
    written = ledger[(ledger["event"] == "conflict") & (ledger["trigger"] != REVISED)]
    counts = written.groupby(episode, dropna=False).size().rename("value").reset_index()
    found = found.merge(counts, on=episode, how="left")
    return found.assign(value=found["value"].fillna(0.0).where(scored.to_numpy()))


def _rise(part: pd.DataFrame, reference: pd.DataFrame, counter: str) -> dict[str, Any] | None:
    a, b = (per_instance(side[side["measure"] == counter], ()) for side in (part, reference))
    names = [name for name in a if not (math.isnan(a[name]) or math.isnan(b.get(name, math.nan)))]
    if not names:
        return None
    estimate = pairs.paired([a[n] for n in names], [b[n] for n in names]).estimate
    if not estimate.mean or estimate.mean < 0:
        return None
    sure = None if estimate.low is None else estimate.low > 0
    low, high = estimate.low, estimate.high
    return {"rise": estimate.mean, "low": low, "high": high, "n": estimate.scored, "sure": sure}
