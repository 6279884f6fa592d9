"""The overall table: means over the families, and each arm against one reference arm."""

from __future__ import annotations

from collections.abc import Sequence

from harness.report import text
from harness.report.across import Against
from harness.report.block import Block
from harness.report.book import Book, Scope
from harness.report.grid import Column, grid

SEVERAL = 3


def block(book: Book, scope: Scope, families: int) -> Block:
    """families: how many the means are taken over."""
    last, first = scope.checkpoints[-1], scope.readers[0]
    heads = [f"@{k}" for k in scope.checkpoints]
    columns = [Column("arm", left=True)]
    for reader in scope.readers:
        group = f"success (simulated), {reader}" if book.simulated(reader) else f"success, {reader}"
        columns += [*(Column(head, group) for head in heads), Column(f"95 % @{last}", group)]
    columns += [Column(head, f"retention, {first}") for head in heads]
    rows = []
    for arm in scope.arms:
        row = [arm]
        for reader in scope.readers:
            row += [text.share(book.value(scope, arm, reader, "success", k)) for k in scope.checkpoints]
            row.append(text.interval(book.at(scope, arm, reader, "success", last)))
        rows.append([*row, *(text.mean(book.at(scope, arm, first, "retention", k)) for k in scope.checkpoints)])
    of = "1 family" if families == 1 else f"{families} families, each counting the same"
    budget = "" if scope.budget is None else f" · budget {scope.budget:,} tokens"
    head = f"{scope.family}{budget} · on these families ({of})"
    return Block(head, grid(columns, rows), main=True)


def by_family(book: Book, scopes: Sequence[Scope]) -> Block | None:
    """Success of the first reader at the last checkpoint, a column a family. Of two families the own tables say it."""
    if len(scopes) < SEVERAL:
        return None
    reader, last = scopes[0].readers[0], scopes[0].checkpoints[-1]
    arms = list(dict.fromkeys(arm for scope in scopes for arm in scope.arms))
    columns = [Column("arm", left=True), *(Column(scope.family) for scope in scopes)]
    rows = [[arm, *(text.share(book.value(scope, arm, reader, "success", last)) for scope in scopes)] for arm in arms]
    name = "success (simulated)" if book.simulated(reader) else "success"
    return Block(f"{name} at step {last} by family, {reader}", grid(columns, rows))


def differences(tests: Sequence[Against], reference: str, last: int) -> Block | None:
    """The reader whose tests are corrected together comes with the corrected p; the other columns are exploratory."""
    arms = list(dict.fromkeys(test.arm for test in tests))
    if not arms:
        return None
    primary = {test.reader: False for test in tests} | {test.reader: True for test in tests if test.primary}
    columns, rows = [Column("arm", left=True)], [[arm] for arm in arms]
    for reader, corrected in primary.items():
        group = f"{reader} ({'primary' if corrected else 'exploratory'})"
        heads = ["diff.", "95 %", "p", *(["p Holm", "detectable"] if corrected else [])]
        columns += [Column(head, group) for head in heads]
        for arm, row in zip(arms, rows, strict=True):
            row += _test(next((t for t in tests if t.arm == arm and t.reader == reader), None), corrected)
    notes = [
        f"p: {tests[0].test}, on the common instances; detectable: true difference found with 80 % power, uncorrected"
    ]
    return Block(f"success@{last}: arm minus {reference}", grid(columns, rows), notes)


def _test(test: Against | None, primary: bool) -> list[str]:
    if test is None or test.estimate.mean is None:
        return [text.MISSING] * (5 if primary else 3)
    found = test.estimate
    row = [f"{found.mean:+.2f}", text.limits(found.low, found.high, found.method, signed=True), p_value(test.p)]
    return [*row, p_value(test.holm), text.share(test.detectable)] if primary else row


def p_value(p: float | None) -> str:
    return text.MISSING if p is None else "<.001" if p < 0.001 else f"{p:.3f}".replace("0.", ".", 1)
