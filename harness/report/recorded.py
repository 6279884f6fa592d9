"""The table of recorded runs: the hit ratio under three readings, n at every checkpoint. A replay has no success."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from harness.report import text
from harness.report.block import Block
from harness.report.book import Book, Scope
from harness.report.ceiling import BOUNDS, OF_BOUND
from harness.report.family import ABOUT, assisted, marked, title
from harness.report.grid import Column, grid
from harness.stats import FEWEST
from harness.usage import Comparison

READINGS = {
    "by any message": "hit_any",
    "by an observation (headline)": "hit_observation",
    "by the first observation": "hit_first",
}
HEADLINE = "hit_observation"


def readings(book: Book, scope: Scope) -> Block:
    """Columns: the checkpoints, and the whole run. Under n = 8 a dot stands for a mean; the values follow below."""
    reader = scope.readers[0]
    at = [*scope.checkpoints, None]
    columns = [Column("arm", left=True)]
    for group in READINGS:
        columns += [Column("all" if k is None else f"@{k}", group) for k in at]
        columns += [Column("95 %, all", group)] if READINGS[group] == HEADLINE else []
    columns += [Column("÷ bound")]
    rows: list[Sequence[str] | None] = [_numbers(book, scope, reader, at)]
    few: list[str] = []
    for arm in scope.arms:
        row = [marked(book, scope, arm)]
        for measure in READINGS.values():
            row += [text.mean(book.at(scope, arm, reader, measure, k), FEWEST) for k in at]
            row += [text.interval(book.at(scope, arm, reader, measure))] if measure == HEADLINE else []
        rows.append([*row, _of_bound(book, scope, arm, reader)])
        for k in scope.checkpoints:
            found = book.at(scope, arm, reader, HEADLINE, k)
            if found is not None and found.raw:
                few.append(f"n = {found.n} @{k}: {arm} {text.raw(found.raw)}")
    bounds = [name for name, _ in BOUNDS.values() if book.at(scope, name, reader, "hit_ratio", scope.checkpoints[0])]
    if bounds:
        rows.append(None)
    for name in bounds:
        blank = [""] * len(at)
        hits = [text.mean(book.at(scope, name, reader, "hit_ratio", k), FEWEST) for k in at]
        rows.append([name, *blank, *hits, "", *blank, ""])
    notes = ["; ".join(ABOUT[name] for name in bounds)] if bounds else []
    notes += assisted(book, scope)
    notes += ["a replay cannot show success, re-reading or another wording: the recorded agent acts as it did", *few]
    return Block(f"{title(book, scope)} · hit ratio of the needs, recorded runs", grid(columns, rows), notes, main=True)


def usage(found: Comparison) -> list[str]:
    """What we planned against what the provider reported."""
    lines = []
    if found.ratio is not None:
        spread = (
            f" (5–95 % of the requests {text.share(found.low)}–{text.share(found.high)})"
            if found.low is not None
            else ""
        )
        lines.append(f"input tokens planned ÷ recorded {text.share(found.ratio)}{spread}, {found.inputs:,} requests")
    if found.predicted is not None and found.recorded is not None:
        shares = f"predicted (ideal) {text.share(found.predicted)}, recorded {text.share(found.recorded)}"
        lines.append(f"cached share of the input: {shares}, {found.caches:,} requests")
    return lines


def usage_block(found: Mapping[str, Comparison]) -> Block | None:
    lines = [f"{family}: {line}" for family, own in found.items() for line in usage(own)]
    return Block("planned against recorded usage (whole histories)", lines) if lines else None


def _numbers(book: Book, scope: Scope, reader: str, at: Iterable[int | None]) -> list[str]:
    counts = []
    for k in at:
        known = [p for arm in scope.arms if (p := book.at(scope, arm, reader, HEADLINE, k)) is not None]
        counts.append(str(max((p.n for p in known), default=0)))
    return ["n", *counts, *counts, "", *counts, ""]


def _of_bound(book: Book, scope: Scope, arm: str, reader: str) -> str:
    """At the last checkpoint with enough runs."""
    for k in reversed(scope.checkpoints):
        found = book.at(scope, arm, reader, OF_BOUND, k)
        if found is not None and found.n >= FEWEST:
            return f"{text.share(found.value)} @{k}"
    return text.MISSING
