"""`python -m harness.serving results/NAME`: throughput, queue, drops and stalls of episodes that share slots."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import pandas as pd
from rich.console import Console

from harness import record
from harness.report import frames, text
from harness.report.block import Block, show
from harness.report.frames import CellResult, ReportError
from harness.report.grid import Column, grid
from harness.serving import log
from harness.serving.figures import Figures, figures
from harness.suite import MixedSuites


@dataclass(frozen=True, slots=True)
class Line:
    """An arm with so many episodes in one time. where: family and what else was chosen."""

    where: str
    arm: str
    serving: int
    success: float | None
    figures: Figures


def lines(folder: Path) -> list[Line]:
    """Raises ReportError where no cell of the sweep shares slots."""
    found = [_line(cell) for cell in frames.load(folder).cells if (cell.folder / "slots").is_dir()]
    if not found:
        raise ReportError(f"{folder}: no cell shares slots: run a sweep with serving=1,4,16 (experiment=serving)")
    return sorted(found, key=lambda line: line.serving)


def _line(cell: CellResult) -> Line:
    config = json.loads((cell.folder / "run.json").read_text())["config"]
    family = " ".join(word for word in cell.label.family.split() if not word.startswith("serving="))
    who = cell.label.reader or cell.label.model
    where = f"{family}, {who}, budget {cell.budget}" + (f", seed {cell.label.draw}" if cell.label.draw != "0" else "")
    logs = [log.load(path) for path in sorted((cell.folder / "slots").glob("*.json"))]
    # Records of a group that is not whole stay out, as its log is missing.
    played = [record.load(cell.folder / "episodes" / f"{name}.jsonl") for one in logs for name in one.ends]
    return Line(where, cell.label.arm, config["serving"], _success(cell), figures(logs, played))


def _success(cell: CellResult) -> float | None:
    """At the last checkpoint."""
    checkpoints: Mapping[str, Any] = (cell.metrics or {}).get("checkpoints", {})
    return checkpoints[max(checkpoints, key=int)]["success"]["mean"] if checkpoints else None


def block(where: str, part: Sequence[Line]) -> Block:
    columns = [Column("arm", left=True), Column("N"), Column("episodes", "an hour"), Column("steps", "an hour"),
               Column("seconds", "an episode"), Column("stall s", "an episode"), Column("breaker s", "an episode"),
               Column("resorts", "an episode"), Column("calls", "an episode"), Column("summaries", "an episode"),
               Column("used", "an episode"), Column("unanswered", "an episode"), Column("busy", "slots"),
               Column("queue", "slots"), Column("P95", "slots"), Column("most", "slots"), Column("wait s", "slots"),
               Column("P95 s", "slots"), Column("success")]  # fmt: skip
    arms = list(dict.fromkeys(line.arm for line in part))
    rows: list[list[str] | None] = []
    for arm in arms:
        rows += [None] if rows else []
        rows += [_row(line) for line in part if line.arm == arm]
    notes = [
        "simulated. N: episodes that share one time and the compactor's slots, all begun at once",
        "used: share of the summaries asked for beside the agent that came into the view; "
        "unanswered: share of the background calls that the end of the episode cut off",
        "queue: calls that wait for a slot; its P95 over time, that of the wait over calls · breaker: open · "
        "resorts: turns in which the last resort cut",
    ]
    return Block(f"simulated: {where}", grid(columns, rows), notes)


def _row(line: Line) -> list[str]:
    def number(value: float | None, places: int = 1) -> str:
        return text.MISSING if value is None else f"{value:,.{places}f}"

    own = line.figures
    return [
        line.arm, str(line.serving), number(own.episodes, 0), number(own.steps, 0), number(own.seconds, 0),
        number(own.stall), number(own.open), number(own.resorts), number(own.calls), number(own.summaries),
        text.percent(own.used), text.percent(own.unanswered), text.percent(own.busy), number(own.length, 2),
        number(own.length_p95, 0), str(own.length_most), number(own.wait), number(own.wait_p95),
        number(line.success, 2),
    ]  # fmt: skip


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m harness.serving", description="Episodes that share slots.")
    parser.add_argument("folder", type=Path, help="the folder of a sweep, results/NAME")
    parser.add_argument("--out", type=Path, help="also write the table as a parquet file")
    chosen = parser.parse_args(arguments)
    try:
        found = lines(chosen.folder)
    except (ReportError, MixedSuites) as problem:
        sys.exit(f"longhaul: {problem}")
    places = list(dict.fromkeys(line.where for line in found))
    blocks = [block(where, [line for line in found if line.where == where]) for where in places]
    show(blocks, Console(width=None if sys.stdout.isatty() else 160))
    if chosen.out is not None:
        rows = [{**asdict(line), **asdict(line.figures)} for line in found]
        pd.DataFrame(rows).drop(columns="figures").to_parquet(chosen.out, index=False)


if __name__ == "__main__":
    main()
