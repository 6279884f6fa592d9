"""The dials of a generated task and its distance laws."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from harness.contract import Op

Law = Literal["uniform", "geometric", "power", "periodic"]
OPS: Mapping[Op, int] = {
    "value": 6, "join": 4, "first": 1, "last": 2, "absent": 2, "except": 2, "count": 1, "sum": 2,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Dials:
    """What a plan is drawn from.

    horizon: steps. subtasks: parts of equal length. goal_share: share of the steps that have a goal, spread evenly.
    ops: cards of each op in the deck from which goals are dealt. law, reach, mean, exponent, period: how many steps lie
    between a statement and the goal that needs it (`distances`). fan_in: most keys of a join (at least 2). choices: keys
    among which order, absence, negation and count choose. chain: most amounts of a sum. lookalikes: statements of
    the same making, never asked for, per needed one. reuse: chance that a need takes a fact that is there already. updates: chance
    that a fact is superseded. reread: chance that a fact looked up alone stands in a file that can be read again.
    rules: standing rules told in the first steps; rule_share: share of look-ups and joins that ask for one; temporary: chance
    that a rule is replaced for one subtask. crowd: most statements in a step before others are looked for.
    """

    horizon: int = 80
    subtasks: int = 12
    goal_share: float = 0.68
    ops: Mapping[Op, int] = field(default_factory=lambda: dict(OPS))
    law: Law = "uniform"
    reach: int = 70
    mean: float = 15.0
    exponent: float = 1.5
    period: int = 12
    fan_in: int = 3
    choices: int = 3
    chain: int = 3
    lookalikes: int = 3
    reuse: float = 0.35
    updates: float = 0.2
    reread: float = 0.4
    rules: int = 0
    rule_share: float = 0.0
    temporary: float = 0.0
    crowd: int = 8


def distances(dials: Dials, rng: random.Random) -> Callable[[int], int]:
    """A function from a step to a distance back from it, 1 <= distance <= step.

    uniform: each of 1..reach · geometric: with `mean` · power: P(d) ~ d^-exponent on 1..reach, as in the
    independent-reference traces of caching studies · periodic: multiples of `period` up to `reach`.
    Distances beyond the start are drawn again, and at last wrapped into what there is.
    """
    reach, law = dials.reach, dials.law

    def one() -> int:
        u = rng.random()
        if law == "uniform":
            return 1 + int(u * reach)
        if law == "geometric":
            return 1 + int(math.log(1 - u) / math.log(1 - 1 / dials.mean)) if dials.mean > 1 else 1
        if law == "power":
            tail = 1 - dials.exponent
            if abs(tail) < 1e-9:
                return min(reach, int((reach + 1) ** u))
            return min(reach, int((1 + u * ((reach + 1) ** tail - 1)) ** (1 / tail)))
        if law == "periodic":
            return dials.period * (1 + int(u * max(1, reach // dials.period)))
        raise ValueError(f"dial law={law!r}: choose uniform, geometric, power or periodic")

    def back(step: int) -> int:
        for _ in range(4):
            if (d := one()) <= step:
                return d
        return 1 + (d - 1) % step

    return back
