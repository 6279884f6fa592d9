"""What an outside judge said: each planned instance under exactly one status."""

from __future__ import annotations

from harness.rates import clopper_pearson
from harness.report import text
from harness.report.block import Block
from harness.report.book import Book, Scope
from harness.report.grid import Column, grid
from harness.report.tally import GRADE

# In this order where they occur; others follow by name.
ORDER = ("resolved", "unresolved", "empty patch", "does not apply", "evaluation error", "infrastructure", "not run")
MET = "resolved"
UNKNOWN = frozenset({"evaluation error", "infrastructure", "not run"})  # no result of the agent's, where missing


def block(book: Book, scope: Scope, reader: str) -> Block | None:
    """None where nothing is judged."""
    counts = {arm: _counts(book, scope, arm, reader) for arm in scope.arms}
    seen = {name for found in counts.values() for name in found}
    if not seen:
        return None
    statuses = [name for name in ORDER if name in seen] + sorted(seen - set(ORDER))
    columns = [Column("arm", left=True), *map(Column, statuses)]
    columns += [Column("of"), Column("resolved"), Column("95 %")]
    columns += [Column("seen", "files"), Column("again", "files"), Column("excess", "files")]
    rows = []
    for arm, found in counts.items():
        planned, met = sum(found.values()), found.get(MET, 0)
        low, high = clopper_pearson(met, planned) if planned else (0.0, 1.0)
        span = f"{100 * low:.0f}–{100 * high:.0f} %" if planned else text.MISSING
        share = text.percent(met / planned if planned else None)
        named = ("files_seen", "file_rereads", "file_rereads, excess")
        files = [text.number(book.value(scope, arm, reader, measure)) for measure in named]
        rows.append([arm, *(str(found.get(name, 0)) for name in statuses), str(planned), share, span, *files])
    notes = ["resolved: of all planned, with an exact binomial interval; what has no result counts as not resolved"]
    notes.append("files: named by an action, an episode; again: named once more; excess: over `full`, same instance")
    if seen & UNKNOWN:
        notes.append("evaluation error: no verdict on the patch, or its tests ran out of time")
    return Block(f"judged by the official evaluation, {reader}", grid(columns, rows), notes)


def _counts(book: Book, scope: Scope, arm: str, reader: str) -> dict[str, int]:
    found = book.named(scope, arm, reader, GRADE)
    return {point.measure.removeprefix(GRADE): int(point.value or 0) for point in found}
