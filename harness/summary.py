"""`python -m harness.summary results/NAME`: from the tables of a sweep to what is printed, drawn and kept.

Writes into the folder summary.parquet (a line a number), values.parquet (a line an episode's value) and curves/.
What the columns mean stands in docs/measures.md.
"""

from __future__ import annotations

import argparse
import io
import sys
from collections.abc import Sequence
from pathlib import Path

import pandas as pd
from rich.console import Console

from harness.files import write_bytes
from harness.report import across, ceiling, estimates, frames, pages, slices, tally, values
from harness.report.block import show
from harness.report.book import Book
from harness.report.estimates import Point
from harness.report.frames import Results
from harness.suite import MixedSuites


def write(folder: Path, console: Console | None = None, against: str | None = None) -> None:
    """Print the tables of the planned cells, keep the summary, draw the curves. Arguments and errors: see `tables`."""
    console = console or Console(width=None if sys.stdout.isatty() else 120)
    results, found = tables(folder, console, against)
    drawn = _draw(folder / "curves", found, list(dict.fromkeys(cell.label.arm for cell in results.cells)))
    told = f"{folder / 'summary.parquet'}; {len(drawn)} pictures in {folder / 'curves'}"
    console.print(f"\n{told}", soft_wrap=True, highlight=False, markup=False)


def tables(folder: Path, console: Console, against: str | None = None) -> tuple[Results, list[Point]]:
    """All but the pictures. against: the arm that the others are compared with.

    Raises ReportError where there is nothing to report, ValueError for an arm that the sweep does not have.
    """
    results = frames.load(folder)
    rows = values.values(results)
    if rows["value"].isna().all():
        ends = ", ".join(f"{name} {n}" for name, n in results.tables["outcomes"]["ending"].value_counts().items())
        raise frames.ReportError(
            f"no episode of {folder} has a result ({ends}): read errors/ in the folders of its cells"
        )
    bounded, notes = ceiling.bounds(results)
    classes = ceiling.classes(results)
    found = [
        *estimates.points(rows, slices.slices(results)),
        *ceiling.points(rows, bounded, classes),
        *across.points(rows, results.conditions()),
        *tally.points(results),
    ]
    blocks = pages.report(results, rows, found, classes, against, notes)
    _keep(folder / "summary.parquet", estimates.frame(found))
    _keep(folder / "values.parquet", rows)
    show(blocks, console)
    return results, found


def _draw(folder: Path, found: Sequence[Point], arms: Sequence[str]) -> list[Path]:
    from harness.report import curves, picture  # drawing libraries load only here

    book = Book(found)
    scopes = [scope for scope in book.scopes(arms) if not across.is_pooled(scope.family)]
    return [
        *(path for scope in scopes for path in curves.draw(folder, book, scope, arms)),
        *picture.draw(folder, book, scopes),
    ]


def _keep(path: Path, table: pd.DataFrame) -> None:
    buffer = io.BytesIO()
    table.to_parquet(buffer, index=False)
    write_bytes(path, buffer.getvalue())


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m harness.summary", description="Report on a finished sweep.")
    parser.add_argument("folder", type=Path, help="the folder of a sweep, results/NAME")
    parser.add_argument(
        "--against", metavar="ARM", help=f"compare the others with this arm (default: {across.PREFERRED})"
    )
    chosen = parser.parse_args(arguments)
    try:
        write(chosen.folder, against=chosen.against)
    except (frames.ReportError, MixedSuites, ValueError) as problem:
        sys.exit(f"longhaul: {problem}")


if __name__ == "__main__":
    main()
