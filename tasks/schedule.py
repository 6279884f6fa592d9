"""Draws what is told and asked in an instance, before any text is worded.

Every goal is drawn 1 + lookalikes times by the same procedure, into as many layers; only the goals of one layer
are ever asked. So a statement that nobody will need has the same kinds, shapes, places, updates and files as a needed
one by construction. The work per step is constant.
"""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import chain

from harness.contract import Fact, Goal, Schedule
from tasks.bans import Bans
from tasks.borders import said, starts
from tasks.dials import Dials
from tasks.family import Lexicon
from tasks.goals import Goals
from tasks.layers import Item, Layer
from tasks.places import Places
from tasks.plan import Need, Plan, Told, subtask
from tasks.reports import Reports
from tasks.running import Running
from tasks.strands import draw_strands
from tasks.telling import Telling


def draw(lexicon: Lexicon, dials: Dials, seed: int) -> Plan:
    """The plan of an instance: a pure function of its arguments. Raises ValueError for dials that cannot be met."""
    dials.check(len(lexicon.rules))
    rng = random.Random(f"plan {seed}")
    subtasks = [subtask(step, dials.horizon, dials.subtasks) for step in range(dials.horizon + 1)]
    strands = draw_strands(subtasks, dials.strands, random.Random(f"strands {seed}"))
    places = Places(lexicon, dials, strands, rng, seed)
    telling = Telling(places, rng)
    layers = [Layer(asked=n == 0) for n in range(1 + dials.lookalikes)]
    telling.rules(layers)
    bans = Bans(lexicon.ban, telling, rng) if lexicon.ban is not None and dials.bans else None
    if bans is not None:
        bans.tell(layers)
    running = Running(telling, rng) if lexicon.running and dials.running else None
    if running is not None:
        running.tell(layers)
    reports = Reports(telling, rng) if lexicon.agents and dials.strands > 1 else None
    needs = _needs(Goals(telling, bans, running, reports, rng), layers, dials, rng)
    needs = _on_producers(needs, telling.items) if lexicon.place == "step" else _in_turn(needs, places)
    told = tuple(map(tuple, telling.told))
    targets = tuple(places.target(step) for step in range(dials.horizon + 1))
    goals = tuple(Goal(need.step, need.op, need.facts) for need in needs.values())
    schedule = Schedule(_facts(telling.items, lexicon), goals)
    handed = frozenset(step for step in needs if reports is not None and reports.due(step))
    return Plan(
        dials.horizon, dials.subtasks, told, needs, targets, _files(told), _values(told), schedule, strands,
        handed, said(dials, seed), starts(dials),
    )


def _needs(goals: Goals, layers: list[Layer], dials: Dials, rng: random.Random) -> dict[int, Need]:
    """Goals at the steps where the number due passes a whole number: as even as can be, or ever denser (`late`).

    What is reported is a goal of its own, whatever is due.
    """
    needs: dict[int, Need] = {}
    phase = rng.random()

    def due(step: int) -> int:
        return int(step * dials.goal_share * (step / dials.horizon) ** dials.late + phase)

    for step in range(1, dials.horizon + 1):
        if due(step) == due(step - 1) and not goals.reported(step):
            continue
        # no layer may always choose first: early choices find emptier steps
        for layer in rng.sample(layers, len(layers)):
            need = goals.need(layer, step)
            if layer.asked:
                needs[step] = need
    return needs


def _in_turn(needs: dict[int, Need], places: Places) -> dict[int, Need]:
    """Each goal builds on the one before it in its subtask."""
    built: dict[int, Need] = {}
    last: dict[int, int] = {}
    for step, need in needs.items():
        part = places.part(step)
        built[step] = replace(need, base=(last[part],) if part in last else ())
        last[part] = step
    return built


def _on_producers(needs: dict[int, Need], items: list[Item]) -> dict[int, Need]:
    """Each goal builds on the goals of the steps that told its facts."""
    stated = {item.id: item.stated for item in items}
    return {
        step: replace(need, base=tuple(sorted({stated[f] for f in need.facts if stated[f] in needs})))
        for step, need in needs.items()
    }


def _facts(items: list[Item], lexicon: Lexicon) -> tuple[Fact, ...]:
    return tuple(
        Fact(i.id, i.key, i.value, lexicon.kinds.get(i.field, i.kind), i.stated, i.superseded, i.source)
        for i in sorted(items, key=lambda i: i.stated)
    )


def _files(told: tuple[tuple[Told, ...], ...]) -> dict[str, list[tuple[int, Told]]]:
    files: dict[str, list[tuple[int, Told]]] = {}
    for step, rows in enumerate(told):
        for row in rows:
            if row.source is not None:
                files.setdefault(row.source, []).append((step, row))
    return files


def _values(told: tuple[tuple[Told, ...], ...]) -> dict[str, str]:
    """The key of each value that belongs to one key alone."""
    keys: dict[str, set[str]] = {}
    for row in chain.from_iterable(told):
        keys.setdefault(row.value, set()).add(f"{row.owner}/{row.field}")
    return {value: key for value, (key, *others) in keys.items() if not others}
