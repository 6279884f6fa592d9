"""A/A: does the test hold its level on this sweep's own data? Repeats of one arm are compared with each other.

Each comparison takes an arm, some of its instances, and of each instance two different repeats (`seed=0,1,…`) in an
order that is drawn: nothing but chance tells the sides apart, so a test at 5 % may reject in about one of twenty.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from harness import pairs
from harness.report.block import Block
from harness.report.frames import Results, groups
from harness.report.grid import Column, grid
from harness.report.values import values

SIZES = (8, 10, 20, 35)
TRIALS, DRAWS = 2000, 999
LEVEL, MOST = 0.05, 0.06

Repeats = Mapping[str, Sequence[float]]  # of an arm: by instance, the success of each repeat


@dataclass(frozen=True, slots=True)
class Trial:
    """rejected: share of the comparisons over n instances with p at or under 5 %; None where no arm has so many."""

    family: str
    who: str
    budget: int | None
    arms: int
    n: int
    rejected: float | None

    @property
    def holds(self) -> bool | None:
        return None if self.rejected is None else self.rejected <= MOST


def check(results: Results, sizes: Sequence[int] = SIZES, trials: int = TRIALS, seed: int = 0) -> list[Trial]:
    """For each family, reader and budget, and each size. Raises ValueError for a size at which no test can reject, and
    for a sweep without repeats."""
    for n in sizes:
        if 2.0 * 0.5**n > LEVEL:
            raise ValueError(f"n = {n}: 2/2^{n} exceeds {LEVEL}, so no comparison of so few instances can be tested")
    rows = values(results)
    last = rows[rows["measure"] == "success"].dropna(subset=["value"])
    found: list[Trial] = []
    for own, part in groups(last, ["family", "reader", "model", "budget"]):
        part = part[part["checkpoint"] == part["checkpoint"].max()]
        arms = [kept for _, one in part.groupby("arm", sort=False) if (kept := repeats(one))]
        who = own["model"] if own["reader"] == "-" else own["reader"]
        for n in sizes if arms else ():
            wide = [arm for arm in arms if len(arm) >= n]
            share = rejected(wide, n, trials, seed) if wide else None
            found.append(Trial(own["family"], who, own["budget"], len(wide), n, share))
    if not found:
        raise ValueError("no instance of this sweep has two repeats: run it with seed=0,1 or more")
    return found


def repeats(rows: pd.DataFrame) -> dict[str, list[float]]:
    """The instances that have at least two."""
    own = {str(name): [float(x) for x in part["value"]] for name, part in rows.groupby("instance", sort=False)}
    return {name: scores for name, scores in own.items() if len(scores) > 1}


def rejected(arms: Sequence[Repeats], n: int, trials: int = TRIALS, seed: int = 0) -> float:
    """The share of comparisons that the sign-flip test rejects. Every arm has at least n instances."""
    rng = np.random.default_rng([seed, n])
    scores = [list(arm.values()) for arm in arms]
    hits = 0
    for _ in range(trials):
        own = scores[rng.integers(len(scores))]
        gaps = []
        for place in rng.choice(len(own), n, replace=False):
            first, second = rng.choice(len(own[place]), 2, replace=False)
            gaps.append(own[place][first] - own[place][second])
        p, _ = pairs.sign_flip(gaps, LEVEL, int(rng.integers(2**31)), DRAWS)
        hits += p is not None and p <= LEVEL
    return hits / trials


def blocks(found: Sequence[Trial], trials: int = TRIALS) -> Iterator[Block]:
    columns = [Column(name, left=True) for name in ("family", "reader")]
    columns += [Column(name) for name in ("budget", "arms", "n", "rejected")] + [Column("", left=True)]
    rows = []
    for one in found:
        share = "–" if one.rejected is None else f"{100 * one.rejected:.1f} %"
        said = {None: "no arm has so many repeated instances", True: "holds", False: "DOES NOT HOLD"}[one.holds]
        budget = "–" if one.budget is None else f"{one.budget:,}"
        rows.append([one.family, one.who, budget, str(one.arms), str(one.n), share, said])
    notes = [
        f"{trials:,} comparisons each, of success at the last checkpoint: two different repeats of an instance, "
        f"the sides drawn by lot; at {LEVEL:.0%} at most {MOST:.0%} may be (one line in fifty has more by chance)",
        "scores that are the same in every repeat (the ideal reader has no luck) are never rejected",
    ]
    yield Block("A/A: repeats of one arm against each other", grid(columns, rows), notes, main=True)
