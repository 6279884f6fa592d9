"""`python -m harness.shortcuts [task=a,b] [instances=20] [jobs=2] [any setting=…]`: the figures of every family.

Prints Markdown tables, and what does not hold. Exit status 1 when something does not.
"""

from __future__ import annotations

import multiprocessing
import sys
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from pathlib import Path

from harness.shortcuts import checks, families
from harness.shortcuts.checks import Findings
from harness.words import Usage, settings

CONTROLS = ("family", "of", "empty", "regex", "midpoint", "bound_any", "bound_keep", "full")
GUESSES = ("family", "values bound", "unit", "n", "needed", "words", "shapes", "with exempt kinds", "exempt fields")


def measure(
    tasks: Sequence[str], folder: Path, overrides: Sequence[str] = (), jobs: int = 2
) -> dict[str, Findings | Exception]:
    """The findings of each family, or why there are none; the cells are left in `folder`."""
    context = multiprocessing.get_context("forkserver")
    with ProcessPoolExecutor(min(jobs, len(tasks)), mp_context=context) as pool:
        running = {task: pool.submit(checks.family, task, folder, overrides) for task in tasks}
        return {task: _ended(future) for task, future in running.items()}


def _ended(future: Future[Findings]) -> Findings | Exception:
    """One family that cannot be measured leaves the others."""
    try:
        return future.result()
    except Exception as error:
        return error


def tables(found: Sequence[Findings]) -> str:
    """What the controls reach, and what can be guessed, as two Markdown tables."""
    reached = [row for one in found for row in _reached(one)]
    guessed = [row for one in found for row in _guessed(one)]
    return f"{_table(CONTROLS, reached)}\n\n{_table(GUESSES, guessed)}"


def _reached(one: Findings) -> Iterator[Sequence[str]]:
    made = one.controls
    columns = (
        *(made.arms[arm] for arm in ("empty", "regex")), made.limit, made.any, made.keep, made.arms["full"],
    )  # fmt: skip
    yield one.family, "goals", *(_share(None if c is None else c.success) for c in columns)
    yield "", "needs", *(_share(None if c is None else c.hits) for c in columns)


def _guessed(one: Findings) -> Iterator[Sequence[str]]:
    first = (one.family, str(one.bare))
    for unit, got in one.guessed.items():
        every = one.all_kinds.get(unit)
        shown = "-" if every is None else f"{every.words:.3f}, {every.shapes:.3f}"
        auc = (_share(got.words), _share(got.shapes))
        yield *first, unit, str(got.n), _share(got.share), *auc, shown, ", ".join(one.exempt) or "-"
        first = ("", "")


def _share(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    return "\n".join(f"| {' | '.join(row)} |" for row in (head, ["---"] * len(head), *rows))


def main(arguments: Sequence[str] | None = None) -> int:
    try:
        given = settings(sys.argv[1:] if arguments is None else arguments, __doc__)
    except Usage as told:
        print(told, file=sys.stderr)
        return 2
    tasks = given.pop("task", "").split(",") if given.get("task") else families.generated()
    jobs = int(given.pop("jobs", "2"))
    with tempfile.TemporaryDirectory() as folder:
        ended = measure(tasks, Path(folder), [f"{key}={value}" for key, value in given.items()], jobs)
    found = [one for one in ended.values() if isinstance(one, Findings)]
    failures = [f"{one.family}: {failure}" for one in found for failure in one.failures()]
    failures += [f"{task}: not measured: {error}" for task, error in ended.items() if isinstance(error, Exception)]
    if found:
        print(tables(found) + "\n")
    print("\n".join(failures) or f"all checks hold in {len(found)} families of {found[0].instances} instances")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
