"""The table of money: what an episode cost, with the cache as fitted and with ideal prefix matching."""

from __future__ import annotations

from harness.report import text
from harness.report.block import Block
from harness.report.book import Book, Scope
from harness.report.grid import Column, grid
from harness.report.values import REFERENCE
from harness.stats import FEWEST

LEGEND = "fitted: a cache with the provider's blocks, stray calls and misses; ideal: all that was sent before is read"


def block(book: Book, scope: Scope, reader: str, whole: bool = False) -> Block | None:
    """Means an episode by the last checkpoint, or over the whole of it; None where nothing was priced."""
    at = None if whole else scope.checkpoints[-1]
    if all(book.value(scope, arm, reader, "money", at) is None for arm in scope.arms):
        return None
    reported = any(book.value(scope, arm, reader, "money_reported", at) is not None for arm in scope.arms)
    reference = book.value(scope, REFERENCE, reader, "money", at)
    columns = [Column("arm", left=True), Column("fitted", "money"), Column("95 %", "money"), Column("ideal", "money")]
    columns += [Column("reported", "money")] if reported else []
    columns += [Column(f"÷ {REFERENCE}", "money")] if reference else []
    columns += [Column("fitted", "cached"), Column("ideal", "cached")]
    rows = []
    for arm in scope.arms:
        fitted, ideal, told = (
            book.value(scope, arm, reader, name, at) for name in ("money", "money_ideal", "money_reported")
        )
        row = [arm, text.money(fitted), _limits(book, scope, arm, reader, at), text.money(ideal)]
        billed = arm == REFERENCE or not whole  # a recorded run was billed for its whole history, whatever the arm
        row += [text.money(told) if billed else text.MISSING] if reported else []
        row += [text.MISSING if fitted is None else f"{fitted / reference:.2f}"] if reference else []
        shares = (book.value(scope, arm, reader, f"cached_share_{name}", at) for name in ("expected", "ideal"))
        rows.append([*row, *map(text.percent, shares)])
    when = "a whole episode" if at is None else f"an episode by step {at}"
    return Block(f"money, {reader}: {when}", grid(columns, rows), [LEGEND])


def _limits(book: Book, scope: Scope, arm: str, reader: str, at: int | None) -> str:
    point = book.at(scope, arm, reader, "money", at)
    if point is None or point.value is None:
        return text.MISSING
    if point.low is None or point.high is None:
        return f"n < {FEWEST}" if point.n < FEWEST else "all equal"
    return f"{text.money(max(point.low, 0.0))}–{text.money(point.high)[1:]}"
