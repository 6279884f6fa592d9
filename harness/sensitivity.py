"""`python -m harness.sensitivity task=a,b strategy=x,y [reader=realistic] [jobs=2] [any setting=…]`: do ranks hold?

Moves each dial of the reader down and up by half, one at a time, plays every arm with it, and prints whether the arms
still rank as under the profile itself, by success at the last checkpoint. The cells stay in results/sensitivity, so
that the same command goes on where it was stopped.
"""

from __future__ import annotations

import multiprocessing
import sys
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from itertools import product

import pandas as pd
from hydra import compose, initialize_config_dir

from harness import job, plan
from harness.__main__ import CONF
from harness.parts import SettingsError
from harness.plan import Cell
from harness.ranks import Agreement, agreement
from harness.words import Usage, settings

DEFAULTS = {
    "task": "graph",
    "strategy": "full,empty,window,head_tail,mask",
    "instances": "8",
    "reader": "realistic",
    "name": "sensitivity",
}
BY = 0.5  # how far a dial is moved, as a share of its value


@dataclass(frozen=True, slots=True)
class Moved:
    """A dial and the value that it is given."""

    dial: str
    value: float | int

    def __str__(self) -> str:
        return f"reader.{self.dial}={self.value:g}"


def moves(dials: Mapping[str, object]) -> Iterator[Moved]:
    """Each dial half and one and a half of its value; one that is off, or would not move, is left out."""
    for name, value in dials.items():
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not value:
            continue
        for factor in (1 - BY, 1 + BY):
            moved = round(value * factor) if isinstance(value, int) else round(min(value * factor, 1.0), 6)
            if moved != value:
                yield Moved(name, moved)


def planned(given: Mapping[str, str]) -> dict[tuple[str, str, Moved | None], Cell]:
    """The cell of each task, arm and move (None = the profile as it is). Raises SettingsError where one cannot run."""
    rest = [f"{key}={value}" for key, value in given.items() if key not in ("task", "strategy")]
    found = {}
    with initialize_config_dir(CONF, version_base="1.3"):
        dials = compose("config", overrides=[*rest]).reader
        steps: list[Moved | None] = [None, *moves({str(key): value for key, value in dials.items()})]
        for task, arm, move in product(given["task"].split(","), given["strategy"].split(","), steps):
            own = [f"task={task}", f"strategy={arm}", *rest, *([str(move)] if move else [])]
            (found[task, arm, move],) = plan.cells([own])
        plan.check(list(found.values()))
    return found


def success(cell: Cell) -> float:
    """Mean over the instances at the last checkpoint; NaN where the cell has no result."""
    path = cell.folder / "checkpoints.parquet"
    if not path.is_file():
        return float("nan")
    rows = pd.read_parquet(path)
    return float(rows[rows["checkpoint"] == rows["checkpoint"].max()]["success"].mean())


def agreements(cells: Mapping[tuple[str, str, Moved | None], Cell]) -> dict[tuple[str, Moved], Agreement]:
    """For each task and move: does the rank of the arms under it agree with the profile's?"""
    scores: dict[tuple[str, Moved | None], dict[str, float]] = {}
    for (task, arm, move), cell in cells.items():
        scores.setdefault((task, move), {})[arm] = success(cell)
    return {(task, move): agreement(scores[task, None], own) for (task, move), own in scores.items() if move}


def table(found: Mapping[tuple[str, Moved], Agreement]) -> str:
    """Markdown: a line a task and move."""
    rows = [("task", "dial", "Kendall's tau", "arms", "pairs that change places"), ("---",) * 5]
    for (task, move), own in found.items():
        tau = "-" if own.tau is None else f"{own.tau:.2f}"
        rows.append((task, str(move), tau, str(own.arms), ", ".join("/".join(pair) for pair in own.swapped) or "-"))
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def main(arguments: Sequence[str] | None = None) -> int:
    try:
        given = DEFAULTS | settings(sys.argv[1:] if arguments is None else arguments, __doc__)
    except Usage as told:
        print(told)
        return 2
    jobs = int(given.pop("jobs", "2"))
    try:
        cells = planned(given)
    except SettingsError as error:
        print(f"longhaul: {error}", file=sys.stderr)
        return 2
    context = multiprocessing.get_context("forkserver")
    with ProcessPoolExecutor(jobs, mp_context=context) as pool:
        for number, (name, ok) in enumerate(zip(cells, pool.map(job.run, cells.values()), strict=True), 1):
            print(f"{number}/{len(cells)} {' '.join(map(str, name))}{'' if ok else ' FAILED'}", file=sys.stderr)
    print(table(agreements(cells)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
