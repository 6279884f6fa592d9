"""The tables of cost and behaviour: what an arm sent, how often it fired, how its episodes ended, what was repeated."""

from __future__ import annotations

from collections.abc import Sequence

from harness.report import text
from harness.report.block import Block
from harness.report.book import Book, Scope
from harness.report.grid import Column, grid
from harness.report.tally import COMPLETED, ENDING, LOST

SHARES = {"stale": "used_stale", "wrong": "used_wrong", "abstained": "used_abstained"}
REPEATS = (
    ("reads", "repeated_reads"),
    ("excess", "repeated_reads, excess"),
    ("actions", "repeated_actions"),
    ("excess", "repeated_actions, excess"),
)
HALF = 0.5
LEGEND = (
    "view: tokens at the last checkpoint reached; * ideal: longest common prefix; providers cache in blocks, and miss",
    "repeated calls: same tool and arguments as before, an episode; excess: over `full` on the same instance",
)
ASKED = ("asked: input and output of the strategy's own model, beside the agent's",)


def cost(book: Book, scope: Scope, reader: str, legend: bool = True) -> Block:
    """Tokens, turns and repeats: means over whole episodes."""
    used = any(book.has(scope, name) for name in SHARES.values())
    asks = any(book.value(scope, arm, reader, "asked") for arm in scope.arms)
    columns = [
        Column("arm", left=True),
        *(Column(head, "tokens") for head in ("view", "input", "cached*", *(("asked",) if asks else ()))),
        *(Column(head, "of turns") for head in ("fired", "overflow")),
        Column("early end"),
        *([Column(name, "of facts used") for name in SHARES] if used else []),
        Column("re-reads"),
        *(Column(name, "repeated calls") for name, _ in REPEATS),
    ]
    rows = [_row(book, scope, arm, reader, used, asks) for arm in scope.arms]
    notes = [*_early(book, scope, reader), *_rare(book, scope, reader)]
    notes += [*LEGEND, *(ASKED if asks else ())] if legend else []
    return Block(f"cost and behaviour, {reader}", grid(columns, rows), notes)


def _row(book: Book, scope: Scope, arm: str, reader: str, used: bool, asks: bool) -> list[str]:
    def value(measure: str) -> float | None:
        return book.value(scope, arm, reader, measure)

    return [
        arm,
        text.tokens(_view(book, scope, arm, reader)),
        text.tokens(value("input")),
        text.percent(value("cached_share_ideal")),
        *([text.tokens(value("asked"))] if asks else []),
        *(text.percent(value(name)) for name in ("fired_share", "overflow_share")),
        _ended(book, scope, arm, reader),
        *([text.percent(value(name)) for name in SHARES.values()] if used else []),
        text.number(value("rereads")),
        *(text.number(value(name)) for _, name in REPEATS),
    ]


def _ended(book: Book, scope: Scope, arm: str, reader: str) -> str:
    """Episodes that did not come to their end, of all."""
    found = book.named(scope, arm, reader, ENDING)
    return f"{sum(int(p.value or 0) for p in found if p.measure != COMPLETED)}/{found[0].n}" if found else text.MISSING


def _rare(book: Book, scope: Scope, reader: str) -> list[str]:
    """Arms that changed the view in under half of the episodes: the table says little of them."""
    shares = {arm: book.at(scope, arm, reader, "fired") for arm in scope.arms}
    rare = [
        f"{arm} {'never' if p.value == 0 else f'{p.value * p.n:.0f}/{p.n}'}"
        for arm, p in shares.items()
        if p is not None and p.value is not None and p.value < HALF
    ]
    return [f"fired in under half of the episodes: {', '.join(rare)}"] if rare else []


def _early(book: Book, scope: Scope, reader: str) -> list[str]:
    """ "context_overflow: none 8; …": every ending but the good one, with the arms that met it."""
    kinds: dict[str, list[str]] = {}
    for arm in scope.arms:
        for p in book.named(scope, arm, reader, ENDING):
            if p.measure != COMPLETED:
                kinds.setdefault(p.measure.removeprefix(ENDING), []).append(f"{arm} {p.value or 0:.0f}")
    lines = []
    for kind, arms in kinds.items():
        counts = {name.rsplit(" ", 1)[1] for name in arms}
        alike = len(arms) == len(scope.arms) > 1 and len(counts) == 1
        lines.append(f"{kind}: {f'{counts.pop()} in every arm' if alike else ', '.join(arms)}")
    return [f"ended early: {'; '.join(lines)}"] if lines else []


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
    values = [book.value(scope, arm, reader, "view_tokens", k) for k in reversed(scope.checkpoints)]
    return next((value for value in values if value is not None), None)
