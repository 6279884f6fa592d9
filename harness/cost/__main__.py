"""`python -m harness.cost results/NAME [--prices NAME]`: the money of a finished sweep, from its records.

Nothing is played again: the requests in the records are priced by another list, and the tables of the cells and the
summary hold its money from then on.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from harness import tables
from harness.cost.prices import Tariff, named
from harness.report import frames
from harness.report.block import Block, show
from harness.report.frames import ReportError
from harness.report.grid import Column, grid
from harness.report.text import MISSING, money
from harness.suite import MixedSuites

DEFAULT = "gemini_3_pro_preview"


def reprice(folder: Path, tariff: Tariff) -> Block:
    """Raises ReportError, ValueError."""
    for cell in frames.load(folder).cells:
        if cell.metrics is not None:
            tables.reprice(cell.folder, tariff)
    columns = [Column(name, left=True) for name in ("family", "arm", "reader")]
    columns += [Column("budget"), Column("n"), Column("fitted"), Column("ideal"), Column("reported")]
    rows = []
    outcomes = frames.load(folder).tables["outcomes"]
    for own, part in frames.groups(outcomes, ["family", "arm", "reader", "budget"]):
        means = [part[name].astype(float).mean() for name in ("money", "money_ideal", "money_reported")]
        row = [str(own["family"]), str(own["arm"]), str(own["reader"]), str(own["budget"]), str(part["money"].count())]
        rows.append([*row, *(MISSING if mean != mean else money(mean) for mean in means)])
    return Block(f"money an episode · {tariff.label}", grid(columns, rows))


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m harness.cost", description="Price a finished sweep again.")
    parser.add_argument("folder", type=Path, help="the folder of a sweep, results/NAME")
    parser.add_argument("--prices", default=DEFAULT, help=f"a list of conf/prices, or a file (default: {DEFAULT})")
    parser.add_argument("--compactor", help="the list of the strategy's own model (default: the agent's)")
    parser.add_argument("--better", help="the list of its second model (default: as the first)")
    chosen = parser.parse_args(arguments)
    try:
        compactor, better = (named(name) if name else None for name in (chosen.compactor, chosen.better))
        block = reprice(chosen.folder, Tariff(named(chosen.prices), compactor, better))
    except (ReportError, MixedSuites, ValueError) as problem:
        sys.exit(f"longhaul: {problem}")
    show([block], Console(width=None if sys.stdout.isatty() else 120))


if __name__ == "__main__":
    main()
