"""The printed report: how much of the gap from `window` to `bound_keep` was closed, and at what price."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from harness.learn.outcomes import EVEN, LEARNED, WINDOW, Arm, Outcome, Outcomes
from harness.learn.ratio import Ratio, ratio
from harness.report.block import Block
from harness.report.grid import Column, grid
from harness.report.text import MISSING, percent, share

STEP_BY_STEP = 1.0  # low_water of the window that the gap is measured from: the one that meets most
NOTES = (
    "met: needs met ÷ needs. gap: (arm - window at low_water 1) ÷ (bound_keep - window at low_water 1), sums over "
    "instances; intervals: 95 %, studentised bootstrap over instances",
    "÷ newest: the same with the most that can be met while each block is shown in the turn in which it arrives",
    "÷ full: money of the arm ÷ money of `full` on the same instances, with the cache as fitted and as an ideal prefix",
    "even: the same rule with the same chance for every name, nothing learned; over even: (arm - even at the same "
    "low_water) ÷ (bound_keep - window at low_water 1)",
)
Cells = Mapping[str, Outcome]


def blocks(title: str, found: Outcomes, groups: bool, notes: Sequence[str] = ()) -> Iterator[Block]:
    """One table of all instances, and one of each group where there are several."""
    yield Block(title, grid(_COLUMNS, list(_rows(found))), [*notes, *NOTES], main=True)
    if groups:
        yield Block("needs met by group", grid(_GROUPS, list(_by_group(found))))


_COLUMNS = [
    Column("budget"), Column("arm", left=True), Column("low"), Column("n"), Column("met"),
    *(Column(head, "gap") for head in ("closed", "95 %", "over even", "95 %", "÷ newest")),
    *(Column(head, "money ÷ full") for head in ("fitted", "95 %", "ideal")), Column("evicting"), Column("overflow"),
]  # fmt: skip
_GROUPS = [
    Column("budget"), Column("group", left=True), *map(Column, ("n", "needs", "window", "even", "learned", "low")),
    *map(Column, ("newest", "bound_keep", "closed")),
]  # fmt: skip


def _rows(found: Outcomes) -> Iterator[list[str] | None]:
    budgets = sorted({budget for _, _, budget in found.arms})
    for number, budget in enumerate(budgets):
        if number:
            yield None
        for name in (WINDOW, EVEN, LEARNED):
            for low in sorted({low for _, low, _ in found.arms}, reverse=True):
                yield [str(budget), name, share(low), *_row(found, (name, low, budget))]


def _row(found: Outcomes, arm: Arm) -> list[str]:
    name, low, budget = arm
    cells, base = found.arms[arm], found.arms[WINDOW, STEP_BY_STEP, budget]
    ids = [i for i in common(found, budget) if i in cells]
    met, needs = sum(cells[i].met for i in ids), sum(found.references[i].needs for i in ids)
    closed = gap(found, budget, ids, cells, base)
    taught = gap(found, budget, ids, cells, found.arms[EVEN, low, budget]) if name == LEARNED else Ratio(None)
    newest = gap(found, budget, ids, cells, base, newest=True)
    paid = [found.references[i].money for i in ids]
    fitted = ratio([cells[i].money.fitted for i in ids], [one.fitted for one in paid])
    ideal = ratio([cells[i].money.ideal for i in ids], [one.ideal for one in paid])
    shares = (sum(getattr(cells[i], part) for i in ids) / max(1, len(ids)) for part in ("fired", "overflow"))
    return [
        str(len(ids)), share(met / needs if needs else None), share(closed.value), limits(closed),
        share(taught.value), limits(taught), share(newest.value),
        share(fitted.value), limits(fitted), share(ideal.value), *map(percent, shares),
    ]  # fmt: skip


def common(found: Outcomes, budget: int) -> list[str]:
    """Instances that are feasible at the budget, in order."""
    return [i for i, one in found.references.items() if one.ceilings[budget] is not None]


def gap(found: Outcomes, budget: int, ids: Sequence[str], cells: Cells, other: Cells, newest: bool = False) -> Ratio:
    """What `cells` meet more than `other`, as a share of the way from the window to a ceiling."""
    window = found.arms[WINDOW, STEP_BY_STEP, budget]
    ceilings = [found.references[i].ceilings[budget] for i in ids]
    most = [(one.newest if newest else one.keep) if one else 0.0 for one in ceilings]
    above = [cells[i].met - other[i].met for i in ids]
    return ratio(above, [high - window[i].met for i, high in zip(ids, most, strict=True)])


def _by_group(found: Outcomes) -> Iterator[list[str] | None]:
    low = max((low for name, low, _ in found.arms if name == LEARNED and low < STEP_BY_STEP), default=STEP_BY_STEP)
    for number, budget in enumerate(sorted({budget for _, _, budget in found.arms})):
        if number:
            yield None
        base = found.arms[WINDOW, STEP_BY_STEP, budget]
        even, learned = (found.arms[name, low, budget] for name in (EVEN, LEARNED))
        for group in dict.fromkeys(one.group for one in found.references.values()):
            ids = [i for i in common(found, budget) if found.references[i].group == group and i in learned]
            if not ids:
                continue
            ceilings = [one for one in (found.references[i].ceilings[budget] for i in ids) if one]
            sums = [sum(cells[i].met for i in ids) for cells in (base, even, learned)]
            yield [
                str(budget), group, str(len(ids)), str(sum(found.references[i].needs for i in ids)),
                *(f"{value:.0f}" for value in sums), share(low),
                f"{sum(one.newest for one in ceilings):.0f}", f"{sum(one.keep for one in ceilings):.0f}",
                share(gap(found, budget, ids, learned, base).value),
            ]  # fmt: skip


def limits(one: Ratio) -> str:
    return MISSING if one.low is None or one.high is None else f"{share(one.low)}–{share(one.high)}"
