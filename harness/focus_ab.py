"""`python -m harness.focus_ab results/focus_ab`: what the sweep came to, beside the published A/B of Focus.

Source: Verma 2026, "Active Context Compression" (arXiv 2601.07190), evaluation: Claude Haiku 4.5, one run an instance.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd
from rich.console import Console

from harness import results
from harness.rates import clopper_pearson
from harness.report import text
from harness.report.block import Block, show
from harness.report.frames import ReportError
from harness.report.grid import Column, grid
from harness.suite import MixedSuites

# Change of all tokens with Focus, by instance, as published.
PUBLISHED = {
    "matplotlib__matplotlib-26020": -0.57,
    "mwaskom__seaborn-2848": -0.52,
    "pylint-dev__pylint-7080": +1.10,
    "pytest-dev__pytest-7490": -0.18,
    "sympy__sympy-21171": -0.57,
}
TOKENS = (14_920_555, 11_526_418)  # without, with
RESOLVED = (3, 3)  # of 5
COMPRESSIONS, DROPPED = 6.0, 70.2  # a task: completed focuses, messages removed


@dataclass(frozen=True, slots=True)
class Side:
    """One arm on one instance. tokens: None = no result. resolved: None = not known."""

    tokens: int | None
    resolved: float | None
    grade: str
    focuses: int
    dropped: int


def sides(found: results.Frames, arm: str) -> dict[str, Side]:
    """By instance, of several runs of one the first. Raises ReportError for an arm that is not there."""
    own = found.episodes[found.episodes["arm"] == arm]
    if own.empty:
        raise ReportError(f"the sweep has no arm {arm}; there are {', '.join(sorted(set(found.episodes['arm'])))}")
    ledger = found.ledger[found.ledger["arm"] == arm] if "arm" in found.ledger else found.ledger
    sides: dict[str, Side] = {}
    for row in own.to_dict("records"):
        mine = ledger[ledger["instance"] == row["instance"]] if "instance" in ledger else ledger
        focuses = mine[mine["event"] == "focus"] if "event" in mine else mine
        tokens, resolved = row.get("tokens"), row.get("resolved")
        sides.setdefault(
            str(row["instance"]),
            Side(
                None if pd.isna(tokens) else int(tokens),
                None if pd.isna(resolved) else float(resolved),
                str(row.get("grade", "not graded")),
                len(focuses),
                int(focuses["messages"].fillna(0).sum()) if len(focuses) else 0,
            ),
        )
    return sides


def table(without: dict[str, Side], with_focus: dict[str, Side]) -> Block:
    columns = [Column("instance", left=True), Column("without", "tokens"), Column("with", "tokens")]
    columns += [Column("change"), Column("published"), Column("without", "result"), Column("with", "result")]
    columns += [Column("focuses"), Column("dropped")]
    both = {name: (a, with_focus[name]) for name, a in without.items() if name in with_focus}
    rows: list[list[str] | None] = []
    for name, (a, b) in both.items():
        known = PUBLISHED.get(name)
        published = text.MISSING if known is None else f"{100 * known:+.0f} %"
        row = [name, _count(a.tokens), _count(b.tokens), _change(a.tokens, b.tokens), published]
        rows.append([*row, a.grade, b.grade, str(b.focuses), str(b.dropped)])
    pairs = [(a.tokens, b.tokens) for a, b in both.values() if a.tokens is not None and b.tokens is not None]
    first, second = sum(a for a, _ in pairs), sum(b for _, b in pairs)
    n = max(len(both), 1)
    focuses, dropped = (sum(getattr(b, key) for _, b in both.values()) / n for key in ("focuses", "dropped"))
    met = [sum(side.resolved == 1 for side in own) for own in zip(*both.values(), strict=True)] if both else [0, 0]
    rows += [
        None,
        [f"all, {len(pairs)} pairs", _count(first), _count(second), _change(first, second), _change(*TOKENS),
         *(f"{one}/{len(both)}" for one in met), f"{focuses:.1f}", f"{dropped:.1f}"],
        ["published", _count(TOKENS[0]), _count(TOKENS[1]), _change(*TOKENS), "",
         *(f"{one}/5" for one in RESOLVED), f"{COMPRESSIONS:.1f}", f"{DROPPED:.1f}"],
    ]  # fmt: skip
    return Block("Focus A/B, beside arXiv 2601.07190", grid(columns, rows), list(_notes(met, len(both))))


def _notes(met: Sequence[int], planned: int) -> Iterator[str]:
    for name, one in (("without", met[0]), ("with", met[1])):
        if planned:
            yield f"{name} Focus: {one} of {planned} resolved, exact 95 % interval {_span(one, planned)}"
    yield f"published: 3 of 5 each, {_span(3, 5)}: five single runs cannot show that success is the same"
    yield "the published arms differed in more than Focus: its prompt also asked for tests first"
    yield "focuses, dropped: completed focuses, and the messages that they removed, an instance"


def _span(met: int, planned: int) -> str:
    low, high = clopper_pearson(met, planned)
    return f"{100 * low:.0f}–{100 * high:.0f} %"


def _count(value: int | None) -> str:
    return text.MISSING if value is None else f"{value:,}"


def _change(before: int | None, after: int | None) -> str:
    return text.MISSING if not before or after is None else f"{100 * (after / before - 1):+.1f} %"


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m harness.focus_ab", description="Focus A/B beside the published.")
    parser.add_argument("folder", type=Path, help="the folder of a sweep, results/focus_ab")
    parser.add_argument("--without", default="none", metavar="ARM", help="the baseline (default: none)")
    parser.add_argument("--with", default="focus_paper", metavar="ARM", dest="focus", help="default: focus_paper")
    chosen = parser.parse_args(arguments)
    try:
        found = results.load(chosen.folder)
        block = table(sides(found, chosen.without), sides(found, chosen.focus))
    except (ReportError, MixedSuites) as problem:
        sys.exit(f"longhaul: {problem}")
    show([block], Console(width=None if sys.stdout.isatty() else 140))


if __name__ == "__main__":
    main()
