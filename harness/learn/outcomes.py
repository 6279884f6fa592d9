"""What arms met and cost on the instances of a source, at several budgets."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.cost.money import Money, by_turn
from harness.cost.prices import Tariff, named
from harness.cost.sent import sent
from harness.learn.ceiling import Ceiling, ceiling
from harness.learn.plan import Plan, Source
from harness.learn.samples import played
from harness.measures import measure
from harness.parts import Parts
from harness.record import Record

WINDOW, EVEN, LEARNED = "window", "even", "learned"


@dataclass(frozen=True, slots=True)
class Outcome:
    """met: needs met, under the headline reading. fired, overflow: turns that evicted, by the last resort, ÷ turns."""

    met: float
    money: Money
    fired: float
    overflow: float


@dataclass(frozen=True, slots=True)
class Reference:
    """An instance under `full`: its needs, its money and the ceilings by budget (None: infeasible there)."""

    group: str
    needs: int
    money: Money
    ceilings: Mapping[int, Ceiling | None]


Arm = tuple[str, float, int]  # name, low_water, budget


@dataclass(frozen=True, slots=True)
class Outcomes:
    """By instance; an instance is missing where it is infeasible."""

    references: Mapping[str, Reference]
    arms: Mapping[Arm, Mapping[str, Outcome]]


Weights = Mapping[str, Any]


def evaluated(plan: Plan, source: Source, weights: Mapping[str, Weights], even: Weights) -> Outcomes:
    """weights: for each group those that its instances are played with. even: weights that tell nothing."""
    budgets = plan.budgets["recorded" if source.is_recorded else "generated"]
    arms: dict[Arm, dict[str, Outcome]] = {}
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        references = _references(plan, source, budgets, folder)
        files = {group: _file(folder, f"{group}.json", own) for group, own in weights.items()}
        blank = _file(folder, "even.json", even)
        for budget in budgets:
            if plan.rewrites:  # the window at its best, to measure from
                step = source.parts("strategy=window", f"budget={budget}", "strategy.low_water=1.0")
                arms[WINDOW, 1.0, budget] = dict(_outcomes(plan, step, folder))
            for low in plan.low_water:
                own = (f"budget={budget}", f"strategy.low_water={low}")
                windows = source.parts("strategy=window", *own)
                arms[WINDOW, low, budget] = dict(_outcomes(plan, windows, folder))
                given = [f"strategy={plan.strategy}", "strategy.digest=null", *own]
                untaught = source.parts(*given, f"strategy.model='{blank}'")
                arms[EVEN, low, budget] = dict(_outcomes(plan, untaught, folder))
                for name in plan.beside:
                    arms[name, low, budget] = dict(_outcomes(plan, source.parts(f"strategy={name}", *own), folder))
                found = arms[LEARNED, low, budget] = {}
                for group, file in files.items():
                    ids = [i for i, one in references.items() if one.group == group]
                    found |= _outcomes(plan, source.parts(*given, f"strategy.model='{file}'"), folder, ids)
    return Outcomes(references, arms)


def _references(plan: Plan, source: Source, budgets: Sequence[int], folder: Path) -> dict[str, Reference]:
    built, tariff = source.parts("strategy=full", f"budget={max(budgets)}"), Tariff(named(plan.prices))
    grammar, repositories = built.task.grammar, getattr(built.task, "repositories", ())
    found = {}
    for record in played(built, folder):
        if record.turns:
            ceilings = {budget: ceiling(record, grammar, repositories, budget) for budget in budgets}
            needs = measure(record, grammar, (), repositories=repositories).outcome["needs_due"]
            found[record.instance] = Reference(source.group(record.instance), needs, _money(record, tariff), ceilings)
    return found


def _outcomes(
    plan: Plan, built: Parts, folder: Path, only: Collection[str] | None = None
) -> Iterator[tuple[str, Outcome]]:
    tariff, repositories = Tariff(named(plan.prices)), getattr(built.task, "repositories", ())
    for record in played(built, folder, only):
        if record.turns:
            outcome = measure(record, built.task.grammar, (), repositories=repositories).outcome
            turns = len(record.turns)
            shares = (outcome[key] / turns for key in ("fired_turns", "overflow_turns"))
            yield record.instance, Outcome(outcome["needs_met"], _money(record, tariff), *shares)


def _money(record: Record, tariff: Tariff) -> Money:
    return sum(by_turn(sent(record), tariff).values(), Money())


def _file(folder: Path, name: str, weights: Mapping[str, Any]) -> Path:
    path = folder / name
    path.write_text(json.dumps(weights))
    return path
