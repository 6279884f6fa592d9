"""The tables of cost and behaviour: what an arm sent, how often it fired, how its episodes ended, what was repeated."""

from __future__ import annotations

from collections.abc import Sequence

from harness.report import text
from harness.report.block import Block
from harness.report.book import Book, Scope
from harness.report.grid import Column, grid
from harness.report.tally import ENDING, LOST

SHARES = {"stale": "used_stale", "wrong": "used_wrong", "abstained": "used_abstained"}
REPEATS = {"re-reads": "rereads", "repeated": "repeated_reads", "actions": "repeated_actions"}


def cost(book: Book, scope: Scope, reader: str) -> Block:
    """Tokens, turns and repeats: means over the whole episode; the view's tokens at the last checkpoint it reached."""
    used = any(book.has(scope, name) for name in SHARES.values())
    columns = [
        Column("arm", left=True),
        Column("view", "tokens"),
        Column("input", "tokens"),
        Column("cached*", "tokens"),
        Column("fired", "of turns"),
        Column("overflow", "of turns"),
        *([Column(name, "of facts used") for name in SHARES] if used else []),
        *(Column(name, "repeats an episode") for name in REPEATS),
        Column("ended early", left=True),
    ]
    rows = [
        [
            arm,
            text.tokens(_view(book, scope, arm, reader)),
            text.tokens(book.value(scope, arm, reader, "input")),
            text.percent(book.value(scope, arm, reader, "cached_share_ideal")),
            text.percent(book.value(scope, arm, reader, "fired_share")),
            text.percent(book.value(scope, arm, reader, "overflow_share")),
            *([text.percent(book.value(scope, arm, reader, name)) for name in SHARES.values()] if used else []),
            *(text.number(book.value(scope, arm, reader, name)) for name in REPEATS.values()),
            endings(book, scope, arm, reader),
        ]
        for arm in scope.arms
    ]
    notes = ["* ideal: the longest common prefix with the request before; providers cache in blocks, and miss"]
    return Block(f"cost and behaviour, {reader}", grid(columns, rows), notes)


def endings(book: Book, scope: Scope, arm: str, reader: str) -> str:
    """Every ending but "completed", with its number of episodes."""
    found = [(p.measure.removeprefix(ENDING), p.value or 0) for p in book.named(scope, arm, reader, ENDING)]
    return ", ".join(f"{name} {count:.0f}" for name, count in found if name != "completed")


def causes(book: Book, scope: Scope, reader: str) -> Block | None:
    """What removed the last provider of the needs that were not met."""
    lines = []
    for arm in scope.arms:
        found = sorted(book.named(scope, arm, reader, LOST), key=lambda p: -(p.value or 0))
        if found:
            parts = [f"{p.measure.removeprefix(LOST)} {text.percent((p.value or 0) / p.n)}" for p in found]
            lines.append((arm, f"{found[0].n:,}", ", ".join(parts)))
    if not lines:
        return None
    columns = [Column("arm", left=True), Column("unmet"), Column("last provider removed by", left=True)]
    rows: Sequence[Sequence[str]] = [list(line) for line in lines]
    return Block(f"why needs were not met, {reader}", grid(columns, rows))


def _view(book: Book, scope: Scope, arm: str, reader: str) -> float | None:
    values = [book.value(scope, arm, reader, "view_tokens", k) for k in reversed(book.checkpoints)]
    return next((value for value in values if value is not None), None)
