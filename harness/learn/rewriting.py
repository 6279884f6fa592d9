"""The printed report of a strategy that writes texts of its own: what it meets beside others, for no bound is its."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from harness.learn.outcomes import EVEN, LEARNED, WINDOW, Arm, Outcomes
from harness.learn.ratio import Ratio, ratio
from harness.learn.table import STEP_BY_STEP, Cells, common, limits
from harness.report.block import Block
from harness.report.grid import Column, grid
from harness.report.text import percent, share

NOTES = (
    "met: needs met ÷ needs, in the view by an original or by a made text that stands for observations",
    "over window: met minus that of the window at its best, low_water 1; learned over: met by learned minus that of "
    "the arm at the same low_water; 95 %: studentised bootstrap over instances",
    "÷ full: money of the arm, its own model's calls at the agent's prices included, ÷ money of `full`",
    "even: the strategy with the same chance for every name and the policy that the search began with",
)
_COLUMNS = [
    Column("budget"), Column("arm", left=True), Column("low"), Column("n"), Column("met"),
    *(Column(head, group) for group in ("over window", "learned over") for head in ("more", "95 %")),
    *(Column(head, "money ÷ full") for head in ("fitted", "95 %", "ideal")), Column("changing"), Column("overflow"),
]  # fmt: skip


def blocks(
    title: str, found: Outcomes, beside: Sequence[str], groups: bool, notes: Sequence[str] = ()
) -> Iterator[Block]:
    """One table of all instances, and one of each group where there are several."""
    arms = (WINDOW, *beside, EVEN, LEARNED)
    yield Block(title, grid(_COLUMNS, list(_rows(found, arms))), [*notes, *NOTES], main=True)
    if groups:
        heads = [Column("budget"), Column("group", left=True), Column("low"), *map(Column, ("n", "needs", *arms))]
        yield Block("needs met by group", grid(heads, list(_by_group(found, arms))))


def _rows(found: Outcomes, names: Sequence[str]) -> Iterator[list[str] | None]:
    for number, (budget, lows) in enumerate(_budgets(found)):
        if number:
            yield None
        for name in names:
            own = sorted({STEP_BY_STEP, *lows}, reverse=True) if name == WINDOW else lows
            yield from (_row(found, (name, low, budget)) for low in own if (name, low, budget) in found.arms)


def _row(found: Outcomes, arm: Arm) -> list[str]:
    name, low, budget = arm
    cells, learned = found.arms[arm], found.arms.get((LEARNED, low, budget), {})
    ids = [i for i in common(found, budget) if i in cells]
    needs, paid = [found.references[i].needs for i in ids], [found.references[i].money for i in ids]
    over = _more(cells, found.arms[WINDOW, STEP_BY_STEP, budget], ids, needs)
    ahead = _more(learned, cells, ids, needs) if name != LEARNED and learned else Ratio(None)
    fitted = ratio([cells[i].money.fitted for i in ids], [one.fitted for one in paid])
    ideal = ratio([cells[i].money.ideal for i in ids], [one.ideal for one in paid])
    shares = (sum(getattr(cells[i], part) for i in ids) / max(1, len(ids)) for part in ("fired", "overflow"))
    met = sum(cells[i].met for i in ids) / sum(needs) if sum(needs) else None
    return [
        str(budget), name, share(low), str(len(ids)), share(met), share(over.value), limits(over),
        share(ahead.value), limits(ahead), share(fitted.value), limits(fitted), share(ideal.value),
        *map(percent, shares),
    ]  # fmt: skip


def _more(cells: Cells, other: Cells, ids: Sequence[str], needs: Sequence[int]) -> Ratio:
    """Met by the one and not by the other, as a share of all needs."""
    return ratio([cells[i].met - other[i].met for i in ids], needs)


def _by_group(found: Outcomes, names: Sequence[str]) -> Iterator[list[str] | None]:
    for number, (budget, lows) in enumerate(_budgets(found)):
        if number:
            yield None
        for group in dict.fromkeys(one.group for one in found.references.values()):
            ids = [i for i in common(found, budget) if found.references[i].group == group]
            if not ids:
                continue
            for low in lows:
                met = [sum(found.arms[name, low, budget][i].met for i in ids) for name in names]
                needs = sum(found.references[i].needs for i in ids)
                yield [str(budget), group, share(low), str(len(ids)), str(needs), *(f"{one:.0f}" for one in met)]


def _budgets(found: Outcomes) -> Iterator[tuple[int, list[float]]]:
    """Budgets with the values of low_water at which the strategy was played, the highest first."""
    for budget in sorted({budget for _, _, budget in found.arms}):
        yield budget, sorted({low for name, low, at in found.arms if name == LEARNED and at == budget}, reverse=True)
