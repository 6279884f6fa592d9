"""`python -m harness.metrics results/NAME [--baseline full]`: what compaction does to latency, length, cost, decisions.

A table a family, reader and budget, a line an arm, against the arm that manages nothing; for any sweep that has it.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import pandas as pd
from rich.console import Console

from harness import files, record
from harness.decisions import ENOUGH, Actions, actions, agree
from harness.report import frames, text
from harness.report.block import Block, show
from harness.report.frames import ReportError, Results, groups
from harness.report.grid import Column, grid
from harness.suite import MixedSuites

BY = ["family", "reader", "model", "budget"]
ON = ["draw", "instance"]


@dataclass(frozen=True, slots=True)
class Metrics:
    """latency: seconds of a turn (waiting, call, tools); ratio: of its mean to the baseline's. view: tokens of a
    request. own: of the strategy's own model, an episode. saving: 1 - input ÷ the baseline's, on the steps that both
    reached. agreement, floor, consistency: agree(full, arm), agree(full, full), their difference (decisions.py). runs:
    of an instance, at least.
    """

    arm: str
    latency: float | None
    latency_p95: float | None
    latency_ratio: float | None
    view_p95: float | None
    view_p99: float | None
    own_tokens: float | None
    own_money: float | None
    own_money_ideal: float | None
    saving: float | None
    success: float | None
    retention: float | None
    agreement: float | None
    floor: float | None
    consistency: float | None
    runs: int


def metrics(results: Results, baseline: str) -> dict[tuple[Any, ...], list[Metrics]]:
    """By (family, reader, model, budget). Raises ReportError without the baseline."""
    played = _played(results)
    found: dict[tuple[Any, ...], list[Metrics]] = {}
    for own, steps in groups(results.tables["steps"], BY):
        arms = dict(iter(steps.groupby("arm", sort=False)))
        if baseline not in arms:
            there = ", ".join(map(str, arms))
            raise ReportError(f"{own['family']}: there is no arm {baseline!r} to compare with; there are {there}")
        rows = {name: _part(results.tables[name], own) for name in ("outcomes", "checkpoints")}
        of = {arm: played.get((*own.values(), arm), {}) for arm in arms}
        floor = _agreement(of[baseline], of[baseline])
        found[tuple(own.values())] = [
            _line(str(arm), part, arms[baseline], rows, _agreement(of[baseline], of[arm]), floor, _runs(of[arm]))
            for arm, part in arms.items()
        ]
    return found


def _line(
    arm: str,
    steps: pd.DataFrame,
    base: pd.DataFrame,
    rows: Mapping[str, pd.DataFrame],
    agreement: float | None,
    floor: float | None,
    runs: int,
) -> Metrics:
    outcomes, checkpoints = (rows[name][rows[name]["arm"] == arm] for name in ("outcomes", "checkpoints"))
    last = checkpoints[checkpoints["checkpoint"] == checkpoints["checkpoint"].max()]
    latency, usual = _latency(steps), _latency(base).mean()
    views = _numbers(steps, "input")
    return Metrics(
        arm=arm,
        latency=_mean(latency),
        latency_p95=_quantile(latency, 0.95),
        latency_ratio=_known(latency.mean() / usual) if usual else None,
        view_p95=_quantile(views, 0.95),
        view_p99=_quantile(views, 0.99),
        own_tokens=_mean(_numbers(outcomes, "asked")),
        own_money=_mean(_numbers(outcomes, "own_money")),
        own_money_ideal=_mean(_numbers(outcomes, "own_money_ideal")),
        saving=_saving(steps, base),
        success=_mean(_numbers(last, "success")),
        retention=_mean(_numbers(last, "retention")),
        agreement=agreement,
        floor=floor,
        consistency=None if agreement is None or floor is None else agreement - floor,
        runs=runs,
    )


def _latency(steps: pd.DataFrame) -> pd.Series:
    return sum((_numbers(steps, name) for name in ("stall", "call", "tools")), pd.Series(0.0, steps.index)).dropna()


def _saving(steps: pd.DataFrame, base: pd.DataFrame) -> float | None:
    """On the common steps of each instance and draw; a step's turns are taken together."""
    sums = [part.assign(input=_numbers(part, "input")).groupby([*ON, "step"])["input"].sum() for part in (steps, base)]
    both = pd.concat(sums, axis=1, join="inner", keys=["own", "usual"])
    return _known(1 - both["own"].sum() / both["usual"].sum()) if len(both) else None


def _played(results: Results) -> dict[tuple[Any, ...], dict[str, list[Actions]]]:
    """(family, reader, model, budget, arm) -> instance -> the actions of its runs."""
    found: dict[tuple[Any, ...], dict[str, list[Actions]]] = {}
    for cell in results.cells:
        keys = cell.keys()
        own = found.setdefault((*(keys[name] for name in BY), keys["arm"]), {})
        for path in files.records(cell.folder):
            own.setdefault(f"{cell.label.world}:{path.stem}", []).append(actions(record.load(path)))
    return found


def _agreement(these: Mapping[str, Sequence[Actions]], those: Mapping[str, Sequence[Actions]]) -> float | None:
    found = [agree(these[name], those[name]) for name in these if name in those]
    known = [share for share in found if share is not None]
    return sum(known) / len(known) if known else None


def _runs(played: Mapping[str, Sequence[Actions]]) -> int:
    return min((len(runs) for runs in played.values()), default=0)


def _part(rows: pd.DataFrame, own: Mapping[str, Any]) -> pd.DataFrame:
    budget = rows["budget"].isna() if own["budget"] is None else rows["budget"] == own["budget"]
    for name in ("family", "reader", "model"):
        budget &= rows[name] == own[name]
    return rows.loc[budget]


def _numbers(rows: pd.DataFrame, name: str) -> pd.Series:
    if name not in rows:
        return pd.Series(float("nan"), rows.index)
    return pd.to_numeric(rows[name], errors="coerce").astype(float)


def _mean(values: pd.Series) -> float | None:
    return _known(values.mean())


def _quantile(values: pd.Series, share: float) -> float | None:
    return _known(values.quantile(share))


def _known(value: Any) -> float | None:
    return None if value != value else float(value)


def block(own: Sequence[Any], lines: Sequence[Metrics], baseline: str) -> Block:
    family, reader, model, budget = own
    heads = [("mean", "seconds a turn"), ("P95", "seconds a turn"), (f"÷ {baseline}", "seconds a turn"),
             ("P95", "request, tokens"), ("P99", "request, tokens"), ("tokens", "own model, an episode"),
             ("fitted", "own model, an episode"), ("ideal", "own model, an episode"), ("saving", None),
             ("success", None), ("retention", None), ("agree", "decisions"), ("floor", "decisions"),
             ("consistency", "decisions")]  # fmt: skip
    columns = [Column("arm", left=True), *(Column(head, over) if over else Column(head) for head, over in heads)]
    who = reader if reader != "-" else model
    notes = [
        "seconds: simulated for scripted readers · saving: 1 - input ÷ that of the baseline, common steps",
        f"consistency: agree({baseline}, arm) - agree({baseline}, {baseline}), over runs of one instance (seed=0,1,…)",
    ]
    if (runs := min(line.runs for line in lines)) < ENOUGH:
        notes.append(f"runs of an instance: {runs}; under {ENOUGH} the floor of a random model is rough")
    return Block(f"{family}, {who}, budget {budget or 'none'}", grid(columns, [_row(line) for line in lines]), notes)


def _row(line: Metrics) -> list[str]:
    def two(value: float | None, sign: str = "") -> str:
        return text.MISSING if value is None else f"{value:{sign}.2f}"

    return [
        line.arm, two(line.latency), two(line.latency_p95), two(line.latency_ratio), text.tokens(line.view_p95),
        text.tokens(line.view_p99), text.tokens(line.own_tokens), text.money(line.own_money),
        text.money(line.own_money_ideal), text.percent(line.saving), two(line.success), two(line.retention),
        two(line.agreement), two(line.floor), two(line.consistency, "+"),
    ]  # fmt: skip


def frame(found: Mapping[tuple[Any, ...], Sequence[Metrics]]) -> pd.DataFrame:
    """The tidy table, a row an arm."""
    names = [field.name for field in fields(Metrics)]
    rows = [
        dict(zip(BY, own, strict=True)) | {name: getattr(line, name) for name in names}
        for own, lines in found.items()
        for line in lines
    ]
    return pd.DataFrame(rows)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m harness.metrics", description="Metrics of compaction, by arm.")
    parser.add_argument("folder", type=Path, help="the folder of a sweep, results/NAME")
    parser.add_argument("--baseline", default="full", help="the arm that manages nothing (default: full)")
    parser.add_argument("--out", type=Path, help="also write the table as a parquet file")
    chosen = parser.parse_args(arguments)
    try:
        found = metrics(frames.load(chosen.folder), chosen.baseline)
    except (ReportError, MixedSuites) as problem:
        sys.exit(f"longhaul: {problem}")
    blocks = [block(own, lines, chosen.baseline) for own, lines in found.items()]
    show(blocks, Console(width=None if sys.stdout.isatty() else 160))
    if chosen.out is not None:
        frame(found).to_parquet(chosen.out, index=False)


if __name__ == "__main__":
    main()
