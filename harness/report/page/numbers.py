"""The numbers of the page: the lines of the summary that it shows, packed as short rows, and the headlines."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from harness.report import across, ceiling, style, text
from harness.report.book import Book, Scope
from harness.report.estimates import Point
from harness.report.frames import Results
from harness.stats import FEWEST

SHOWN = (
    "success", "retention", "hit_ratio", "hit_observation", "turns", "tokens_spent", "input", "output", "asked",
    "money", "money_ideal", "cached_share_ideal", "cached_share_expected", "fired_share", "fired", "overflow_share",
    "history_tokens", "changes", "prefix_lost", "rewritten", "own_money", "own_money_ideal", "net_money",
    "net_money_ideal", "paid_back", "stall", "rereads", "unbroken",
)  # fmt: skip
NAMED = ("retention by ", "ending: ", "unmet need: ")
COVERAGE = 0.8  # of the planned instances: under it there is no headline
BOUNDS = tuple(name for name, _ in ceiling.BOUNDS.values())


def numbers(results: Results, found: Sequence[Point], notes: Sequence[str]) -> dict[str, Any]:
    """points: [family, arm, reader, budget, checkpoint (0 = the whole episode), measure, value, low, high, n, planned],
    the first six as places in the lists beside them."""
    arms = list(dict.fromkeys(cell.label.arm for cell in results.cells))
    book = Book(found)
    points = [p for p in found if p.measure in SHOWN or p.measure.startswith(NAMED)]
    families = list(dict.fromkeys(p.family for p in points))
    readers = list(dict.fromkeys(book.who(p) for p in points))
    budgets = sorted({p.budget for p in points if p.budget is not None})
    measures = list(dict.fromkeys(p.measure for p in points))
    names = [*arms, *BOUNDS]
    looks = style.looks(arms)
    rows = [
        [
            families.index(p.family), names.index(p.arm), readers.index(book.who(p)),
            budgets.index(p.budget) if p.budget is not None else -1, p.checkpoint or 0, measures.index(p.measure),
            _short(p.value), _short(p.low), _short(p.high), p.n, p.planned,
        ]
        for p in points
    ]  # fmt: skip
    scopes = list(book.scopes(arms))
    return {
        "name": results.folder.name,
        "arms": names,
        "own": len(arms),
        "looks": [[looks[arm].colour, looks[arm].line, looks[arm].marker] for arm in arms],
        "families": families,
        "readers": readers,
        "several": book.several,
        "simulated": [book.simulated(reader) for reader in readers],
        "budgets": budgets,
        "measures": measures,
        "points": rows,
        "free": sorted(ceiling.unlimited(results)),
        "fewest": FEWEST,
        "headlines": [line for scope in scopes if (line := headline(book, scope, ceiling.unlimited(results)))],
        "notes": [*results.notes, *notes],
    }


def headline(book: Book, scope: Scope, free: frozenset[str]) -> tuple[str, str] | None:
    """Where, and in a sentence the best arm within the budget, or why none is named. None for a scope without success.

    free: the arms that are not held to the budget.
    """
    reader, last = scope.readers[0], scope.checkpoints[-1]
    measure = "success" if book.has(scope, "success") else "hit_observation"
    lines = {arm: p for arm in scope.arms if (p := book.at(scope, arm, reader, measure, last)) and p.value is not None}
    own = {arm: p for arm, p in lines.items() if arm not in free}
    if not own:
        return None
    pooled = across.is_pooled(scope.family)
    best = max(own, key=lambda arm: own[arm].value or 0.0)
    p = own[best]
    where = [_capital("on these families" if pooled else scope.family)]
    where += [] if scope.budget is None else [f"{scope.budget:,} tokens"]
    where += [f"{reader} reader"] if book.simulated(reader) else []
    return " · ".join([*where, f"n = {p.n}"]), _said(own, lines, best, pooled, _measured(book, measure, reader, last))


def _measured(book: Book, measure: str, reader: str, last: int) -> str:
    simulated = " (simulated)" if measure == "success" and book.simulated(reader) else ""
    what = "success" if measure == "success" else "needs met by an observation"
    return _capital(f"{what}{simulated} at step {last}")


def _said(own: Mapping[str, Point], lines: Mapping[str, Point], best: str, pooled: bool, what: str) -> str:
    p = own[best]
    thin = [arm for arm, q in own.items() if q.planned and q.n / q.planned < COVERAGE]
    if thin and not pooled:
        return f"No headline: under {COVERAGE:.0%} of the planned instances have a result in {thin[0]}."
    if p.n < FEWEST and not pooled:
        return f"No headline: n = {p.n} instances are under {FEWEST}."
    said = f"{what}: {best} leads with {text.share(p.value)}"
    if p.low is not None and p.high is not None:
        said += f" (95 % {text.interval(p)})"
        rivals = [arm for arm, q in own.items() if arm != best and q.high is not None and q.high >= p.low]
        more = f" and {len(rivals) - 2} more" if len(rivals) > 2 else ""
        said += f"; {', '.join(rivals[:2])}{more} overlap" if rivals else ""
    free = [f"{arm} {text.share(q.value)}" for arm, q in lines.items() if arm not in own]
    return said + (f"; without a budget {', '.join(free)}" if free else "") + "."


def _capital(words: str) -> str:
    return words[:1].upper() + words[1:]



def _short(value: float | None) -> float | None:
    return None if value is None or math.isnan(value) else float(f"{value:.5g}")
