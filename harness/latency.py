"""`python -m harness.latency results/NAME`: wall-clock seconds of a sweep with a real model; what reading anew costs.

A server that keeps the prefix of the prompt reads only what stands behind the first difference. A line is laid through
the turns of all arms (seconds of the call against tokens read anew; Theil and Sen's, which a slow turn does not bend).
What an arm's rewriting of the prefix cost is the line's slope times the old text that was sent anew.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
from rich.console import Console
from scipy.stats import theilslopes

from harness.report import frames, text
from harness.report.block import Block, show
from harness.report.frames import CellResult, ReportError, groups
from harness.report.grid import Column, grid
from harness.suite import MixedSuites

TIMES = ["turn", "compose", "call", "tools", "whole"]  # a row of episodes/ID.times.jsonl
EPISODE = ["draw", "instance"]  # of an arm
FEWEST = 30  # turns that a line is laid through


@dataclass(frozen=True, slots=True)
class Line:
    """Seconds a thousand tokens read anew, with its 95 % interval; fixed: seconds of a call beside that; n: turns."""

    slope: float
    low: float
    high: float
    fixed: float
    n: int


def turns(cell: CellResult) -> pd.DataFrame:
    """A row a turn: arm, draw, instance, input, anew (tokens behind the common prefix), compose, call (seconds).

    Of a turn that was played again after a stop, the last time counts. Raises ReportError where there are no times.
    """
    steps = pd.read_parquet(cell.folder / "steps.parquet")
    rows: list[pd.DataFrame] = []
    for path in sorted((cell.folder / "episodes").glob("*.times.jsonl")):
        lines = [json.loads(line) for line in path.read_text().splitlines()]
        own = pd.DataFrame(lines, columns=TIMES).drop_duplicates("turn", keep="last")
        rows.append(own.assign(instance=path.name.removesuffix(".times.jsonl")))
    if not rows:
        raise ReportError(f"{cell.folder}: there are no times beside its episodes; run the cell here")
    both = steps[["instance", "turn", "input", "cached_ideal"]].merge(pd.concat(rows), on=["instance", "turn"])
    return both.assign(anew=both["input"] - both["cached_ideal"], arm=cell.label.arm, draw=cell.label.draw)


def line(rows: pd.DataFrame) -> Line | None:
    """None where there are too few turns, or all read equally much anew."""
    if len(rows) < FEWEST or rows["anew"].nunique() < 2:
        return None
    found = theilslopes(rows["call"].astype(float), rows["anew"].astype(float) / 1000)
    return Line(float(found[0]), float(found[2]), float(found[3]), float(found[1]), len(rows))


def table(rows: pd.DataFrame, ledger: pd.DataFrame, found: Line | None) -> pd.DataFrame:
    """A row an arm. input, anew: tokens a turn; call, call_p95: seconds of a call. Of an episode: turns, compose and
    whole (seconds), rewritten (tokens of old text sent anew), for_old (seconds of `whole` for them, NA without a line).
    """
    made: list[dict[str, object]] = []
    for arm, own in rows.groupby("arm", sort=False):
        episodes = len(own.drop_duplicates(EPISODE))
        lost = ledger.loc[ledger["arm"] == arm].drop_duplicates([*EPISODE, "turn"]) if len(ledger) else ledger
        rewritten = float(lost["rewritten"].sum()) / episodes if len(lost) else 0.0
        made.append(
            {
                "arm": arm,
                "episodes": episodes,
                "turns": len(own) / episodes,
                "input": own["input"].mean(),
                "anew": own["anew"].mean(),
                "call": own["call"].median(),
                "call_p95": own["call"].quantile(0.95),
                "compose": own["compose"].sum() / episodes,
                "whole": own["whole"].sum() / episodes,
                "rewritten": rewritten,
                "for_old": pd.NA if found is None else found.slope * rewritten / 1000,
            }
        )
    return pd.DataFrame(made)


def block(title: str, found: pd.DataFrame, laid: Line | None) -> Block:
    columns = [
        Column("arm", left=True), Column("episodes"), Column("turns"), Column("input", "tokens a turn"),
        Column("read anew", "tokens a turn"), Column("median", "seconds of a call"), Column("P95", "seconds of a call"),
        Column("whole", "seconds an episode"), Column("strategy", "seconds an episode"),
        Column("for old text", "seconds an episode"), Column("old text sent anew"),
    ]  # fmt: skip
    body = [list(_texts(row)) for row in found.to_dict("records")]
    notes = ["wall clock, this machine; strategy: inside the strategy, its own model's calls included"]
    if laid is None:
        notes.append(f"no line: under {FEWEST} turns, or all read equally much anew")
    else:
        notes.append(
            f"a call takes {laid.fixed:.2f} s and {laid.slope:.2f} s [{laid.low:.2f}, {laid.high:.2f}] per 1,000 "
            f"tokens read anew (Theil-Sen over {laid.n} turns of all arms)"
        )
    return Block(title, grid(columns, body), notes, main=True)


def _texts(row: Mapping[Hashable, Any]) -> Iterator[str]:
    def seconds(value: Any, digits: int) -> str:
        return text.MISSING if pd.isna(value) else f"{value:.{digits}f}"

    yield from (str(row["arm"]), str(row["episodes"]))
    yield from (f"{row[name]:.0f}" for name in ("turns", "input", "anew"))
    yield from (seconds(row["call"], 2), seconds(row["call_p95"], 2), seconds(row["whole"], 0))
    yield from (seconds(row["compose"], 1), seconds(row["for_old"], 1), f"{row['rewritten']:,.0f}")


def blocks(folder: Path) -> Iterator[tuple[Block, pd.DataFrame]]:
    """One for each family, model and budget."""
    results = frames.load(folder)
    played = [cell for cell in results.cells if cell.metrics is not None]
    for keys in dict.fromkeys((c.label.family, c.label.model, c.budget) for c in played):
        own = [cell for cell in played if (cell.label.family, cell.label.model, cell.budget) == keys]
        rows = pd.concat([turns(cell) for cell in own], ignore_index=True)
        changes = results.tables["ledger"]
        parts = groups(changes, ["family", "model", "budget"])
        ledger = next((part for name, part in parts if tuple(name.values()) == keys), changes.iloc[:0])
        laid = line(rows)
        found = table(rows, ledger, laid)
        family, model, budget = keys
        yield block(f"{family}, {model}, budget {budget or 'none'}: seconds", found, laid), found


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m harness.latency", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("folder", type=Path, help="a sweep's folder, as results/NAME")
    parser.add_argument("--csv", type=Path, help="write the table there too")
    given = parser.parse_args(arguments)
    try:
        found = list(blocks(given.folder))
    except (ReportError, MixedSuites) as error:
        print(f"longhaul: {error}", file=sys.stderr)
        return 2
    show((own for own, _ in found), Console(width=None if sys.stdout.isatty() else 120))
    if given.csv is not None:
        pd.concat([own for _, own in found]).round(3).to_csv(given.csv, index=False)
    return 0


if __name__ == "__main__":
    sys.exit(main())
