"""`python -m harness.probed results/NAME`: what agents still knew when they were asked, on forks (`probes=N`).

A share is the mean over instances of the share of an instance's answers, so that one with many facts weighs no more.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import get_args

import pandas as pd
from rich.console import Console

from harness import stats
from harness.contract import Verdict
from harness.report import frames, text
from harness.report.block import Block, show
from harness.report.frames import ReportError
from harness.report.grid import Column, grid
from harness.suite import MixedSuites

VERDICTS: tuple[Verdict, ...] = get_args(Verdict)
SCOPE = ["family", "model", "budget"]
ROW = ["arm", "tools", "checkpoint"]


def table(probes: pd.DataFrame) -> pd.DataFrame:
    """A row for each scope, arm, tools (could the strategy's be used?) and checkpoint: instances, asked, a column for
    each verdict (shares), low and high (95 %, of `right`; NA where there are too few instances), tokens of a question.
    """
    made: list[dict[str, object]] = []
    for key, own in probes.groupby([*SCOPE, *ROW], sort=False, dropna=False):
        each = [part for _, part in own.groupby("instance")]
        shares = {v: [float((part["verdict"] == v).mean()) for part in each] for v in VERDICTS}
        right = stats.mean(shares["right"])
        made.append(
            dict(zip([*SCOPE, *ROW], key, strict=True))
            | {"instances": len(each), "asked": len(own)}
            | {verdict: sum(values) / len(values) for verdict, values in shares.items()}
            | {"low": right.low, "high": right.high, "method": right.method, "tokens": own["tokens"].mean()}
        )
    return pd.DataFrame(made)


def blocks(found: pd.DataFrame) -> Iterator[Block]:
    for key, own in found.groupby(SCOPE, sort=False, dropna=False):
        columns = [
            Column("arm", left=True), Column("tools", left=True), Column("at step"), Column("instances"),
            Column("asked"), *(Column(verdict, "of the answers") for verdict in VERDICTS), Column("95 % right"),
            Column("tokens a question"),
        ]  # fmt: skip
        rows = [
            [
                str(row["arm"]), "its own" if row["tools"] else "none", str(row["checkpoint"]), str(row["instances"]),
                str(row["asked"]), *(text.share(row[verdict]) for verdict in VERDICTS),
                text.limits(row["low"], row["high"], row["method"]), f"{row['tokens']:,.0f}",
            ]
            for row in own.astype({"low": object, "high": object}).where(own.notna(), None).to_dict("records")
        ]  # fmt: skip
        family, model, budget = key
        notes = ["asked on a fork, with the view as it stands; a superseded value is stale, no value abstained"]
        title = f"{family}, {model}, budget {budget}: still known when asked"
        yield Block(title, grid(columns, rows), notes, main=True)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m harness.probed", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("folder", type=Path, help="a sweep's folder, as results/NAME")
    parser.add_argument("--csv", type=Path, help="write the table there too")
    given = parser.parse_args(arguments)
    try:
        probes = frames.load(given.folder).tables["probes"]
        if not len(probes):
            raise ReportError(f"{given.folder}: nothing was asked in it; run it with probes=2 and a model that answers")
    except (ReportError, MixedSuites) as error:
        print(f"longhaul: {error}", file=sys.stderr)
        return 2
    found = table(probes)
    show(blocks(found), Console(width=None if sys.stdout.isatty() else 120))
    if given.csv is not None:
        found.round(4).to_csv(given.csv, index=False)
    return 0


if __name__ == "__main__":
    sys.exit(main())
