"""`python -m harness.compare results/NAME --baseline full`: every arm against one, instance by instance.

Differences are of the arm minus the baseline on the instances that both have, repeats averaged within the instance. One
comparison is primary (success at the last checkpoint, at one budget, under one reader): its tests go through Holm's
correction together. Everything else is exploratory. --aa: does the test
hold its level on this sweep (`harness.repeats`)?
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pandas as pd
from rich.console import Console

from harness import incidence, pairs, repeats
from harness.pairs import Difference
from harness.report import frames, text, values
from harness.report.block import Block, show
from harness.report.estimates import per_instance
from harness.report.frames import ReportError, Results, groups
from harness.report.grid import Column, grid
from harness.report.overview import p_value
from harness.suite import MixedSuites

AT_LAST = ("success", "retention")  # measured at the last checkpoint, the others over the whole episode
MEASURES = (*AT_LAST, "tokens_spent", "money", "seconds")
COVERAGE = 0.8  # of the planned pairs: under it no headline is printed


@dataclass(frozen=True, slots=True)
class Comparison:
    """An arm minus the baseline in one measure. firing, overflow, early: of the arm, over its episodes.

    verdict: of the non-inferiority question: does the whole interval lie above -margin? None where nothing was asked.
    """

    family: str
    arm: str
    reader: str
    budget: int | None
    measure: str
    found: Difference
    firing: float | None
    overflow: float | None
    early: float | None
    primary: bool = False
    holm: float | None = None
    inferior: str | None = None

    @property
    def coverage(self) -> float:
        return self.found.estimate.coverage or 0.0


def compare(results: Results, baseline: str, margin: float | None = None) -> list[Comparison]:
    """margin: of success, for non-inferiority. Raises ValueError for an unknown arm."""
    rows = values.values(results)
    if baseline not in set(rows["arm"]):
        raise ValueError(f"no arm {baseline!r} in this sweep: {', '.join(dict.fromkeys(rows['arm']))}")
    found: list[Comparison] = []
    for own, group in groups(rows, ["family", "reader", "model", "budget"]):
        last = group["checkpoint"].max()
        reference = group[group["arm"] == baseline]
        for arm, part in group[group["arm"] != baseline].groupby("arm", sort=False):
            for measure in MEASURES:
                at = last if measure in AT_LAST else values.EPISODE
                made = _difference(_of(part, measure, at), _of(reference, measure, at))
                if made is None:
                    continue
                fired, overflow = _mean(part, "fired_share"), _mean(part, "overflow_share")
                who = own["model"] if own["reader"] == "-" else own["reader"]
                ended = _early(results, {**own, "arm": arm})
                line = Comparison(own["family"], str(arm), who, own["budget"], measure, made, fired, overflow, ended)
                found.append(_judged(line, margin) if measure == "success" else line)
    return _corrected(found)


def _of(part: pd.DataFrame, measure: str, checkpoint: int) -> dict[str, float]:
    return per_instance(part[(part["measure"] == measure) & (part["checkpoint"] == checkpoint)], ())


def _difference(a: Mapping[str, float], b: Mapping[str, float]) -> Difference | None:
    """Over all instances that either has; one missing on a side is missing."""
    names = list(dict.fromkeys([*b, *a]))
    if not names or all(math.isnan(x) for x in (*a.values(), *b.values())):
        return None
    return pairs.paired([a.get(n, math.nan) for n in names], [b.get(n, math.nan) for n in names])


def _mean(part: pd.DataFrame, measure: str) -> float | None:
    own = part[(part["measure"] == measure) & (part["checkpoint"] == values.EPISODE)]["value"].dropna()
    return float(own.mean()) if len(own) else None


def _early(results: Results, own: Mapping[str, Any]) -> float | None:
    """The share of an arm's episodes that did not come to their end."""
    rows = results.tables["outcomes"]
    for name in ("family", "reader", "model", "arm"):
        rows = rows[rows[name] == own[name]]
    rows = rows[rows["budget"].isna() if own["budget"] is None else rows["budget"] == own["budget"]]
    return float((rows["ending"] != "completed").mean()) if len(rows) else None


def _judged(line: Comparison, margin: float | None) -> Comparison:
    if margin is None:
        return line
    low = line.found.estimate.low
    if low is None:
        return replace(line, inferior="not known: no interval")
    return replace(line, inferior="no" if low > -margin else "not excluded")


def _corrected(found: Sequence[Comparison]) -> list[Comparison]:
    """Holm over the primary ones: the first budget and reader at which success was compared."""
    first = next(((line.reader, line.budget) for line in found if line.measure == "success"), None)
    chosen = [n for n, line in enumerate(found) if line.measure == "success" and (line.reader, line.budget) == first]
    adjusted = dict(zip(chosen, pairs.holm([found[n].found.p for n in chosen]), strict=True))
    return [replace(line, primary=True, holm=adjusted[n]) if n in adjusted else line for n, line in enumerate(found)]


# ---------------------------------------------------------------- printed


def blocks(found: Sequence[Comparison], baseline: str, margin: float | None) -> Iterator[Block]:
    for family, reader, budget in dict.fromkeys((line.family, line.reader, line.budget) for line in found):
        own = [line for line in found if (line.family, line.reader, line.budget) == (family, reader, budget)]
        size = "" if budget is None else f" · budget {budget:,} tokens"
        yield Block(f"{family} · {reader}{size}: arm minus {baseline}", _table(own, margin), _notes(own), main=True)


def _table(own: Sequence[Comparison], margin: float | None) -> list[str]:
    columns = [Column("arm", left=True), Column("measure", left=True), Column("diff."), Column("95 %"), Column("n")]
    columns += [Column(name) for name in ("p", "p Holm", "detectable", "fired", "overflow", "early")]
    columns += [Column(f"worse by > {margin:g}?", left=True)] if margin is not None else []
    rows: list[list[str]] = []
    shown = ""
    for line in own:
        habits = (line.firing, line.overflow, line.early)
        row = ["" if line.arm == shown else line.arm, line.measure, *_numbers(line)]
        row += [p_value(line.found.p), p_value(line.holm) if line.primary else "", _size(line, line.found.detectable)]
        row += [text.percent(habit) for habit in habits] if line.arm != shown else ["", "", ""]
        row += [line.inferior or ""] if margin is not None else []
        rows.append(row)
        shown = line.arm
    return list(grid(columns, rows))


def _numbers(line: Comparison) -> list[str]:
    """No headline under the coverage limit."""
    estimate = line.found.estimate
    count = f"{estimate.scored}/{estimate.planned}"
    if estimate.mean is None or line.coverage < COVERAGE:
        return [text.MISSING, "too few pairs", count]
    limits = text.MISSING if estimate.low is None else f"{_size(line, estimate.low)} to {_size(line, estimate.high)}"
    return [_size(line, estimate.mean), limits, count]


def _size(line: Comparison, value: float | None) -> str:
    if value is None:
        return text.MISSING
    return f"{value:+.2f}" if line.measure in AT_LAST else f"{value:+,.4g}"


def _notes(own: Sequence[Comparison]) -> list[str]:
    tests = dict.fromkeys(line.found.test for line in own)
    low = [line for line in own if line.coverage < COVERAGE]
    notes = [f"p: {'; '.join(tests)}; p Holm: primary tests together; the others are exploratory"]
    if low:
        notes.append(f"under {COVERAGE:.0%} of the planned pairs no difference is printed")
    return notes


def frame(found: Sequence[Comparison]) -> pd.DataFrame:
    """The tidy table, a row a comparison."""
    rows: list[dict[str, Any]] = []
    for line in found:
        estimate = line.found.estimate
        rows.append(
            {
                **{name: getattr(line, name) for name in ("family", "arm", "reader", "budget", "measure", "primary")},
                "difference": estimate.mean,
                "low": estimate.low,
                "high": estimate.high,
                "scored": estimate.scored,
                "planned": estimate.planned,
                "p": line.found.p,
                "holm": line.holm,
                "detectable": line.found.detectable,
                "fired": line.firing,
                "overflow": line.overflow,
                "early": line.early,
                "inferior": line.inferior,
            }
        )
    return pd.DataFrame(rows)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m harness.compare", description="Every arm against one, paired.")
    parser.add_argument("folder", type=Path, help="the folder of a sweep, results/NAME")
    parser.add_argument("--baseline", default="full", help="the arm that the others are compared with (default: full)")
    parser.add_argument("--margin", type=float, help="success that may be lost: is an arm worse by more?")
    parser.add_argument("--out", type=Path, help="also write the comparisons as a parquet file")
    parser.add_argument("--aa", nargs="*", type=int, metavar="N", help="instead: compare repeats of an arm, N of them")
    chosen = parser.parse_args(arguments)
    console = Console(width=None if sys.stdout.isatty() else 140)
    try:
        results = frames.load(chosen.folder)
        if chosen.aa is not None:
            trials = repeats.check(results, chosen.aa or repeats.SIZES)
            show(repeats.blocks(trials), console)
            sys.exit(int(any(one.holds is False for one in trials)))
        found = compare(results, chosen.baseline, chosen.margin)
    except (ReportError, MixedSuites, ValueError) as problem:
        sys.exit(f"longhaul: {problem}")
    show(blocks(found, chosen.baseline, chosen.margin), console)
    show(incidence.blocks(results), console)
    if chosen.out is not None:
        frame(found).to_parquet(chosen.out, index=False)


if __name__ == "__main__":
    main()
