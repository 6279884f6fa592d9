"""The overall table: means over the families, and each arm against one reference arm."""

from __future__ import annotations

from collections.abc import Sequence

from harness.report import text
from harness.report.across import ALL, Against
from harness.report.block import Block
from harness.report.book import Book, Scope
from harness.report.grid import Column, grid


def block(book: Book, scope: Scope, tests: Sequence[Against], reference: str | None, families: int, primary: bool) -> Block:
    """tests: of this scope's budget. primary: whether the budget is that of the primary endpoint."""
    last, first = book.checkpoints[-1], scope.readers[0]
    heads = [f"@{k}" for k in book.checkpoints]
    columns = [Column("arm", left=True)]
    for reader in scope.readers:
        group = f"success (simulated), {reader}" if book.simulated(reader) else f"success, {reader}"
        columns += [*(Column(head, group) for head in heads), Column(f"95 % @{last}", group)]
    columns += [Column(head, f"retention, {first}") for head in heads]
    rows = []
    for arm in scope.arms:
        row = [arm]
        for reader in scope.readers:
            row += [text.share(book.value(scope, arm, reader, "success", k)) for k in book.checkpoints]
            row.append(text.interval(book.at(scope, arm, reader, "success", last)))
        rows.append([*row, *(text.mean(book.at(scope, arm, first, "retention", k)) for k in book.checkpoints)])
    of = "1 family" if families == 1 else f"{families} families, each counting the same"
    head = f"{ALL} · budget {scope.budget:,} tokens · on these families ({of})" if scope.budget is not None else ALL
    return Block(head, grid(columns, rows), () if tests else (f"no test: `{reference}` has no result here",), main=True)


def differences(tests: Sequence[Against], reference: str, last: int, primary: str) -> Block | None:
    """primary: the reader whose tests are corrected together; the other columns are exploratory."""
    readers = list(dict.fromkeys(t.reader for t in tests))
    arms = list(dict.fromkeys(t.arm for t in tests))
    if not arms:
        return None
    columns = [Column("arm", left=True)]
    for reader in readers:
        name = f"{reader} (primary)" if reader == primary and any(t.holm is not None for t in tests) else f"{reader} (exploratory)"
        columns += [Column("diff.", name), Column("95 %", name), Column("p", name)]
        columns += [Column("p Holm", name), Column("detectable", name)] if name.endswith("(primary)") else []
    rows = []
    for arm in arms:
        row = [arm]
        for index, reader in enumerate(readers):
            test = next((t for t in tests if t.arm == arm and t.reader == reader), None)
            row += _test(test, f"{reader} (primary)" in {c.group for c in columns})
        rows.append(row)
    notes = [f"sign-flip tests on the common instances: {next((t.test for t in tests), '')}; detectable: with 80 % power, without correction"]
    return Block(f"success@{last}: arm minus {reference}", grid(columns, rows), notes)


def _test(test: Against | None, primary: bool) -> list[str]:
    if test is None or test.estimate.mean is None:
        return [text.MISSING] * (5 if primary else 3)
    found = test.estimate
    row = [f"{found.mean:+.2f}", text.limits(found.low, found.high, found.method, signed=True), p_value(test.p)]
    return [*row, p_value(test.holm), text.share(test.detectable)] if primary else row


def p_value(p: float | None) -> str:
    return text.MISSING if p is None else "<.001" if p < 0.001 else f"{p:.3f}".replace("0.", ".", 1)
