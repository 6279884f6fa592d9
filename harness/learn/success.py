"""Success of whole runs on instances that nothing was learned from: what each part of what was learned adds."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

from harness.families import overall
from harness.learn.outcomes import EVEN, LEARNED, WINDOW
from harness.learn.plan import Plan, Search
from harness.learn.search import ends
from harness.report.block import Block
from harness.report.grid import Column, grid
from harness.report.text import MISSING, share

SCORER = "scorer"
NOTES = (
    "even: no scorer, no search; scorer: the weights of names, the policy that the search began with; learned: both",
    "success: of the whole run, simulated; every family counts the same; more: learned minus the arm on the same "
    "instances, 95 %, studentised bootstrap over instances within these families",
)
Runs = Mapping[str, Mapping[str, tuple[float, float]]]  # by family and instance: success, tokens
_COLUMNS = [
    Column("families", left=True), Column("arm", left=True), Column("n"), Column("success"),
    Column("more"), Column("95 %"), Column("k tokens"),
]  # fmt: skip


def success(plan: Plan, search: Search, weights: Mapping[str, Any], even: Mapping[str, Any]) -> Block:
    """weights: those with a policy. even: weights that tell nothing."""
    with tempfile.TemporaryDirectory() as name, ProcessPoolExecutor(search.jobs) as pool:
        folder = Path(name)
        arms: dict[str, tuple[str, ...]] = {one: (f"strategy={one}",) for one in (WINDOW, *plan.beside)}
        bare = {key: value for key, value in weights.items() if key != "policy"}
        for arm, own in ((EVEN, even), (SCORER, bare), (LEARNED, weights)):
            file = folder / f"{arm}.json"
            file.write_text(json.dumps(own))
            arms[arm] = (f"strategy={plan.strategy}", "strategy.digest=null", f"strategy.model='{file}'")
        rows: list[list[str] | None] = []
        for title, families in (("learned from", plan.families), ("held out", plan.held_out)):
            jobs = [(given, family) for given in arms.values() for family in families]
            played = iter(pool.map(partial(_runs, plan, search), *zip(*jobs, strict=True)) if jobs else ())
            found = {arm: {family: next(played) for family in families} for arm in arms}
            rows += [None] if rows and families else []
            rows += list(_rows(title, found)) if families else []
    title = f"success on instances that nothing was learned from · reader {search.reader}, budget {search.budget}"
    return Block(title, grid(_COLUMNS, rows), NOTES, main=True)


def _runs(plan: Plan, search: Search, given: Sequence[str], family: str) -> Mapping[str, tuple[float, float]]:
    with tempfile.TemporaryDirectory() as folder:
        own = ends(plan, search, family, search.unseen_seed, search.unseen_instances, given, Path(folder))
        return {instance: (met, tokens) for instance, met, tokens in own}


def _rows(title: str, found: Mapping[str, Runs]) -> Iterator[list[str]]:
    learned = found[LEARNED]
    for arm, runs in found.items():
        means = overall({family: [one for one, _ in own.values()] for family, own in runs.items()}).estimate
        more = overall(
            {family: [learned[family][i][0] - one for i, (one, _) in own.items()] for family, own in runs.items()}
        ).estimate
        spent = overall({family: [tokens for _, tokens in own.values()] for family, own in runs.items()}).estimate
        limits = MISSING if more.low is None or more.high is None else f"{share(more.low)} to {share(more.high)}"
        difference = [MISSING, MISSING] if arm == LEARNED else [share(more.mean), limits]
        spent_k = MISSING if spent.mean is None else f"{spent.mean / 1000:.0f}"
        yield [title, arm, str(means.scored), share(means.mean), *difference, spent_k]
