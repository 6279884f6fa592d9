"""The tables of one generated family at one budget: success and retention first, then what stands behind them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from harness.certify import Class
from harness.ranks import Agreement
from harness.report import text
from harness.report.block import Block
from harness.report.book import Book, Scope
from harness.report.ceiling import BOUNDS, OF_BOUND
from harness.report.grid import Column, grid
from harness.report.slices import AGE, AGES, KIND
from harness.report.values import REFERENCE

ASSISTED = 0.10  # of the turns: an arm that needed the last-resort window more often is marked
ABOUT = {
    "bound_keep": "bound_keep (LP upper bound)",
    "bound_any": "bound_any (optimum)",
    "farthest_next_use": "farthest_next_use (heuristic, no claim)",
}


def headline(book: Book, scope: Scope, agreements: Mapping[tuple[str, str], Agreement]) -> Block:
    """Success under each reader with its interval at the last checkpoint, and retention under the first."""
    first, last = scope.readers[0], scope.checkpoints[-1]
    heads = [f"@{k}" for k in scope.checkpoints]
    columns = [Column("arm", left=True), Column("n")]
    for reader in scope.readers:
        group = f"success (simulated), {reader}" if book.simulated(reader) else f"success, {reader}"
        columns += [*(Column(head, group) for head in heads), Column(f"95 % @{last}", group)]
    columns += [Column(head, f"retention, {first}") for head in heads]
    dependent = {arm for found in agreements.values() for pair in found.swapped for arm in pair}
    rows = []
    for arm in scope.arms:
        row = [marked(book, scope, arm, arm in dependent), scored(book, scope, arm)]
        for reader in scope.readers:
            row += [text.share(book.value(scope, arm, reader, "success", k)) for k in scope.checkpoints]
            row.append(text.interval(book.at(scope, arm, reader, "success", last)))
        row += [text.mean(book.at(scope, arm, first, "retention", k)) for k in scope.checkpoints]
        rows.append(row)
    notes = [
        f"rank agreement {a}–{b}: Kendall's τ {text.share(found.tau)} over {found.arms} arms"
        + (f"; † reader-dependent: {', '.join('/'.join(pair) for pair in found.swapped)}" if found.swapped else "")
        for (a, b), found in agreements.items()
    ]
    notes += [*assisted(book, scope), *_few(book, scope, last)]
    return Block(title(book, scope), grid(columns, rows), notes, main=True)


def marked(book: Book, scope: Scope, arm: str, dependent: bool = False) -> str:
    return arm + (" †" if dependent else "") + (" ‡" if _assisted(book, scope, arm) else "")


def assisted(book: Book, scope: Scope) -> list[str]:
    """What the mark of window-assisted arms means, where there is one."""
    if not any(_assisted(book, scope, arm) for arm in scope.arms):
        return []
    return [f"‡ window-assisted: needed its last-resort window in more than {100 * ASSISTED:.0f} % of its turns"]


def title(book: Book, scope: Scope) -> str:
    full = next(
        (v for r in scope.readers if (v := book.value(scope, REFERENCE, r, "history_tokens")) is not None), None
    )
    size = "budget unknown" if scope.budget is None else f"budget {scope.budget:,} tokens"
    if full and scope.budget is not None:
        size += (
            f" = {text.percent(scope.budget / full)} of the full history"
            if scope.budget < full
            else " (holds the full history)"
        )
    return f"{scope.family} · {size}"


def scored(book: Book, scope: Scope, arm: str, measure: str = "success") -> str:
    """The fewest scored of the planned instances over the readers."""
    counts = [p for r in scope.readers if (p := book.at(scope, arm, r, measure, scope.checkpoints[-1])) is not None]
    worst = min(counts, key=lambda p: p.n, default=None)
    return text.MISSING if worst is None else f"{worst.n}/{worst.planned}"


def memory(book: Book, scope: Scope, of: Mapping[tuple[str, str], Class]) -> Block:
    """Retention read more ways, and the hit ratio beside the computed bounds, under the first reader."""
    reader, heads = scope.readers[0], [f"@{k}" for k in scope.checkpoints]
    groups = {
        "retention, bare value": "retention_bare",
        "weighted by needs left": "retention_weighted",
        "hit ratio": "hit_ratio",
    }
    groups |= {"÷ bound": OF_BOUND}
    columns = [
        Column("arm", left=True),
        *(Column(head, group) for group in groups for head in heads),
        Column("class", left=True),
    ]
    rows: list[Sequence[str] | None] = [
        [
            arm,
            *(text.mean(book.at(scope, arm, reader, m, k)) for m in groups.values() for k in scope.checkpoints),
            of.get((scope.family, arm), text.MISSING),
        ]
        for arm in scope.arms
    ]
    notes = text.dots([row for row in rows if row is not None])
    kept, free = BOUNDS["keep"][0], BOUNDS["any"][0]
    notes.append(f"÷ bound: keep-only arms by {kept}, re-admitting ones by {free}, rewriting ones by none")
    bounds = [name for name, _ in BOUNDS.values() if book.at(scope, name, reader, "hit_ratio", scope.checkpoints[-1])]
    if bounds:
        blank = [""] * len(heads)
        rows.append(None)
        for name in bounds:
            hits = [text.share(book.value(scope, name, reader, "hit_ratio", k)) for k in scope.checkpoints]
            rows.append([name, *blank, *blank, *hits, *blank, ""])
        notes.append("; ".join(ABOUT[name] for name in bounds))
    return Block(f"what the views held, {reader}", grid(columns, rows), notes)


def by_fact(book: Book, scope: Scope) -> Block | None:
    """Retention by kind of fact and by age, all checkpoints together."""
    reader = scope.readers[0]
    kinds = sorted({p.measure for arm in scope.arms for p in book.named(scope, arm, reader, KIND)})
    if not kinds:
        return None
    ages = [f"{AGE}{low}-{high}" if high else f"{AGE}{low}+" for low, high in AGES]
    columns = [Column("arm", left=True)]
    columns += [Column(name.removeprefix(KIND), "by kind of fact") for name in kinds]
    columns += [Column(name.removeprefix(AGE), "by age, steps") for name in ages]
    rows = [[arm, *(text.mean(book.at(scope, arm, reader, name)) for name in (*kinds, *ages))] for arm in scope.arms]
    return Block(f"retention, all checkpoints together, {reader}", grid(columns, rows), text.dots(rows))


def _assisted(book: Book, scope: Scope, arm: str) -> bool:
    return any((book.value(scope, arm, reader, "overflow_share") or 0) > ASSISTED for reader in scope.readers)


def _few(book: Book, scope: Scope, last: int) -> list[str]:
    """Instances without a result, and the values themselves where they are too few for an interval."""
    notes = []
    for reader in scope.readers:
        for arm in scope.arms:
            found = book.at(scope, arm, reader, "success", last)
            low, high = (book.value(scope, arm, reader, f"success, missing as {x}", last) for x in (0, 1))
            if low is not None and high is not None and found is not None:
                span = f"success@{last} of all planned lies within {text.share(low)}–{text.share(high)}"
                notes.append(f"{arm}, {reader}: {found.missing} of {found.planned} instances missing; {span}")
            if found is not None and found.raw:
                notes.append(f"{arm}, {reader}: n = {found.n}, success@{last} {text.raw(found.raw)}")
    return notes
