"""`python -m harness.grade results/NAME`: judge what the episodes of a sweep left, and write its tables anew.

For episodes that are not judged yet (a sweep with graders=0, or a judge that failed), or with --again for all.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from harness import cell, grades, parts, summary, tables
from harness.cost.prices import tariff
from harness.report.frames import ReportError


def grade(folder: Path, workers: int, again: bool) -> list[str]:
    """Judge every planned cell of a sweep. Returns what could not be judged, by folder."""
    plan = folder / "plan.json"
    if not plan.is_file():
        raise ReportError(f"{plan} is missing: give the folder of a sweep, results/NAME")
    failed = []
    for row in json.loads(plan.read_text())["cells"]:
        place = folder / row["folder"]
        if not (place / "run.json").is_file():
            continue  # it never began
        run = json.loads((place / "run.json").read_text())
        config = {**run["config"], "dry": True}  # nobody is asked: no key is wanted
        with cell.locked(place):
            built = parts.build(config)
            if not grades.fill(built, place, workers, again):
                failed.append(str(place / "errors" / grades.ERROR))
            tables.write(place, built, run["names"], tariff(config))
    return failed


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m harness.grade", description="Judge what a sweep's episodes left.")
    parser.add_argument("folder", type=Path, help="the folder of a sweep, results/NAME")
    parser.add_argument("--workers", type=int, default=2, help="evaluations at once (default: 2)")
    parser.add_argument("--again", action="store_true", help="also what was judged before, as a new attempt")
    chosen = parser.parse_args(arguments)
    if chosen.workers < 1:
        sys.exit(f"longhaul: --workers {chosen.workers}: at least 1")
    try:
        failed = grade(chosen.folder, chosen.workers, chosen.again)
        summary.write(chosen.folder)
    except (ReportError, cell.CellError, parts.SettingsError, ValueError) as problem:
        sys.exit(f"longhaul: {problem}")
    if failed:
        sys.exit("not everything could be judged:\n  " + "\n  ".join(failed))


if __name__ == "__main__":
    main()
