"""The table of what changing the view cost: the totals of the ledger by arm."""

from __future__ import annotations

from harness.report import text
from harness.report.block import Block
from harness.report.book import Book, Scope
from harness.report.grid import Column, grid

LEGEND = (
    "an episode: turns whose events changed the view; of the requests before them, tokens behind the first difference "
    "(lost) and old text sent anew (rewritten)",
    "net of a change: saved until the next one against going on without it, less the strategy's own calls; "
    "paid back: changes that came out even before the next",
)
OWN = ("asked", "own_money", "own_money_ideal", "stall")
NET = ("net_money", "net_money_ideal", "paid_back")


def block(book: Book, scope: Scope, reader: str) -> Block | None:
    """Means over whole episodes; None where no arm changed its view."""

    def value(arm: str, measure: str) -> float | None:
        return book.value(scope, arm, reader, measure)

    arms = [arm for arm in scope.arms if value(arm, "changes")]
    if not arms:
        return None
    own = any(value(arm, "asked") for arm in arms)
    net = any(value(arm, "net_money") is not None for arm in arms)
    columns = [Column("arm", left=True), Column("changes"), Column("lost", "prefix"), Column("rewritten", "prefix")]
    columns += [Column(head, "own model") for head in ("tokens", "fitted", "ideal", "stall")] if own else []
    columns += [Column(head, "net of a change") for head in ("fitted", "ideal", "paid back")] if net else []
    rows = []
    for arm in arms:
        row = [arm, text.number(value(arm, "changes"))]
        row += [text.tokens(value(arm, name)) for name in ("prefix_lost", "rewritten")]
        if own:
            asked, fitted, ideal, stall = (value(arm, name) for name in OWN)
            row += [text.tokens(asked), text.money(fitted), text.money(ideal)]
            row += [text.MISSING if stall is None else f"{stall:,.0f} s"]
        if net:
            fitted, ideal, paid = (value(arm, name) for name in NET)
            row += [text.money(fitted, signed=True), text.money(ideal, signed=True), text.percent(paid)]
        rows.append(row)
    notes = [LEGEND[0], *(LEGEND[1:] if net else ()), *(("stall: simulated seconds",) if own else ())]
    return Block(f"what changing the view cost, {reader}", grid(columns, rows), notes)
