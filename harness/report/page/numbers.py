"""The numbers of the page: the lines of the summary that it shows, packed as short rows, and the headline sentence."""

from __future__ import annotations

import math
from collections.abc import Sequence
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
        "simulated": [book.simulated(reader) for reader in readers],
        "budgets": budgets,
        "measures": measures,
        "points": rows,
        "free": sorted(ceiling.unlimited(results)),
        "fewest": FEWEST,
        "headlines": [line for scope in scopes if (line := headline(book, scope, ceiling.unlimited(results)))],
        "notes": [*results.notes, *notes],
    }


def headline(book: Book, scope: Scope, free: frozenset[str]) -> str | None:
    """The best arm within the budget, in a sentence; or why there is no headline. None for a scope without success."""
    reader, last = scope.readers[0], scope.checkpoints[-1]
    measure = "success" if book.has(scope, "success") else "hit_observation"
    lines = {arm: p for arm in scope.arms if (p := book.at(scope, arm, reader, measure, last)) and p.value is not None}
    own = {arm: p for arm, p in lines.items() if arm not in free}
    budget = "" if scope.budget is None else f" at {scope.budget:,} tokens"
    name = f"{scope.family} (on these families)" if across.is_pooled(scope.family) else scope.family
    where = f"{name}{budget}, {reader} reader" if book.simulated(reader) else f"{name}{budget}"
    if not own:
        return None
    what = "success (simulated)" if measure == "success" and book.simulated(reader) else measure.replace("_", " ")
    thin = [arm for arm, p in own.items() if p.planned and p.n / p.planned < COVERAGE]
    if thin and not across.is_pooled(scope.family):
        return f"{where}: no headline, for under {COVERAGE:.0%} of the planned instances have a result in {thin[0]}."
    best = max(own, key=lambda arm: own[arm].value or 0.0)
    p = own[best]
    if not across.is_pooled(scope.family) and p.n < FEWEST:
        return f"{where}: no headline, for n = {p.n} instances are under {FEWEST}."
    said = f"{where}: at step {last} {best} leads the arms within the budget with {what} {text.share(p.value)}"
    if p.low is not None and p.high is not None:
        rivals = [arm for arm, q in own.items() if arm != best and q.high is not None and q.high >= p.low]
        said += f" (95 % {text.interval(p)}, n = {p.n})"
        said += f"; the intervals of {', '.join(rivals[:3])} overlap its own" if rivals else ""
    free_lines = [f"{arm} {text.share(q.value)}" for arm, q in lines.items() if arm in free]
    return said + (f"; without a budget: {', '.join(free_lines)}" if free_lines else "") + "."


def _short(value: float | None) -> float | None:
    return None if value is None or math.isnan(value) else float(f"{value:.5g}")
