"""Numbers of a strategy that are found by the success of whole runs: a search without gradients.

Cross-entropy method (Rubinstein and Kroese, The Cross-Entropy Method, 2004, ch. 5): rows are drawn around a mean and
played, and mean and spread move to those that did best. Each generation plays instances of its own, all its rows the
same ones, so that a row is not kept for the luck of a few instances.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from hydra.utils import get_method

from harness.learn.fit import Weights
from harness.learn.plan import Plan, Search, Source
from harness.learn.samples import Floats, played


@dataclass(frozen=True, slots=True)
class Score:
    """success: 0 to 1, the mean over the families; tokens: of a run, all that was spent."""

    success: float
    tokens: float

    @property
    def rank(self) -> tuple[float, float]:
        """Sorts the best first: most success, to three digits; among equals fewest tokens."""
        return -round(self.success, 3), self.tokens


@dataclass(frozen=True, slots=True)
class Found:
    """policy: what the weights' file says. told: how it came about."""

    policy: Any
    told: Mapping[str, Any]


Play = Callable[[Sequence[Floats], int, int], Sequence[Score]]  # rows, seed and number of the instances -> scores


def found(plan: Plan, search: Search, weights: Weights) -> Found:
    """Searched with these weights of names. The same plan, weights and jobs or not, the same numbers."""
    described = get_method(search.described)
    with ProcessPoolExecutor(search.jobs) as pool:

        def play(rows: Sequence[Floats], seed: int, instances: int) -> list[Score]:
            given = [{**weights, "policy": described(row)} for row in rows]
            return list(pool.map(partial(score, plan, search, seed=seed, instances=instances), given))

        row, told = evolved(search, np.array(get_method(search.start)(), float), play, plan.seed)
    return Found(described(row), told)


def evolved(search: Search, start: Floats, play: Play, seed: int) -> tuple[Floats, Mapping[str, Any]]:
    """The mean of the last generation, or the start where that did no worse on instances that neither had seen."""
    mean, spread = start.copy(), search.spread * np.maximum(1.0, np.abs(start))
    rng = np.random.default_rng(seed)
    steps: list[dict[str, float]] = []
    for number in range(search.generations):
        rows = [mean, *(mean + spread * rng.standard_normal(len(mean)) for _ in range(search.rows - 1))]
        own = play(rows, search.first_seed + number, search.instances)
        best = sorted(range(len(rows)), key=lambda n: own[n].rank)[: search.elite]
        elite = np.array([rows[n] for n in best])
        steps.append({"mean": round(own[0].success, 4), "best": round(own[best[0]].success, 4)})
        mean = search.step * elite.mean(axis=0) + (1 - search.step) * mean
        spread = search.step * elite.std(axis=0) + (1 - search.step) * spread
    before, after = play([start, mean], search.held_seed, search.held_instances)
    better = after.rank < before.rank
    return mean if better else start, {
        "generations": steps,
        "success on instances held back": {"start": round(before.success, 4), "found": round(after.success, 4)},
        "tokens a run there": {"start": round(before.tokens), "found": round(after.tokens)},
        "kept": "found" if better else "start",
    }


def score(plan: Plan, search: Search, weights: Weights, seed: int, instances: int) -> Score:
    """Played on all families of the plan."""
    with tempfile.TemporaryDirectory() as name:
        file = Path(name) / "weights.json"
        file.write_text(json.dumps(weights))
        given = (f"strategy={plan.strategy}", "strategy.digest=null", f"strategy.model='{file}'")
        own = [list(ends(plan, search, family, seed, instances, given, Path(name))) for family in plan.families]
    return Score(*(float(np.mean([np.mean([one[part] for one in runs]) for runs in own])) for part in (1, 2)))


def ends(
    plan: Plan, search: Search, family: str, seed: int, instances: int, given: Sequence[str], folder: Path
) -> Iterator[tuple[str, float, float]]:
    """(instance, success of the whole run, tokens) under these overrides."""
    source = Source(family, (f"task={family}", f"task.seed={seed}", f"instances={instances}", *plan.overrides))
    built = source.parts(*given, f"budget={search.budget}", f"reader={search.reader}")
    for record in played(built, folder):
        yield record.instance, float(record.score["success"]), float(record.tokens)
