"""The dials of a generated task and its distance laws."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal, get_args

from harness.contract import Op

Law = Literal["uniform", "geometric", "power", "periodic", "early", "recent"]
RECENT = 3  # steps
Borders = Literal["announced", "hidden", "noisy"]
OPS: Mapping[Op, int] = {
    "value": 6, "join": 4, "first": 1, "last": 2, "absent": 2, "except": 2, "count": 1, "sum": 2,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Dials:
    """What a plan is drawn from.

    horizon: steps. subtasks: parts of equal length. goal_share: share of the steps that have a goal, spread evenly.
    ops: cards of each op in the deck from which goals are dealt.
    law, reach, mean, exponent, period, early: steps between a statement and the goal that needs it (`distances`).
    laws: by kind of fact, a law of its own.
    fan_in: most keys of a join (at least 2). choices: keys among which order, absence, negation and count choose.
    chain: most amounts of a sum. lookalikes: statements of the same making, never asked for, per needed one.
    reuse: chance that a need looks for a fact that is there already. updates: chance that a fact is superseded.
    reread: chance that a fact with a value of its own stands in a file that can be read again.
    rules: standing rules told in the first steps. rule_share: share of look-ups and joins that ask for one.
    temporary: chance that a rule is replaced for one subtask.
    bans: statements that rule something out, told in the first `ban_steps` answers (`tasks.bans`). ban_share: share of
    the goals that put some to the test. lifted: chance that one is replaced later. suggested: chance that an
    instruction suggests what is ruled out.
    late: how much goals crowd towards the end: those due by a share x of the run are x^(1 + late) of all.
    strands: lines of work that take turns from subtask to subtask (branches, agents); 1 = a single one.
    report, shared, conflicts: in a team, facts that each report hands over, share of the looked-up facts that are
    others' results, and chance that a reported fact replaces what another agent reported.
    running, churn, exploring: values of a layer that a subtask's file has and changes all the time, the chance that a
    step changes one, and the share of the goals that ask for something else.
    crowd: statements in a step from which on another step is looked for.
    borders, border_noise: whether instructions say which subtask they belong to (`borders.said`).
    sessions: histories in which the episode is played; all but the first begin at a subtask border.
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
    early: int = 16
    laws: Mapping[str, Law] = field(default_factory=dict)
    fan_in: int = 3
    choices: int = 3
    chain: int = 3
    lookalikes: int = 3
    reuse: float = 0.45
    updates: float = 0.2
    reread: float = 0.4
    rules: int = 0
    rule_share: float = 0.0
    temporary: float = 0.0
    bans: int = 0
    ban_steps: int = 12
    ban_share: float = 0.0
    lifted: float = 0.0
    suggested: float = 0.6
    late: float = 0.0
    strands: int = 1
    report: int = 1
    shared: float = 0.0
    conflicts: float = 0.0
    running: int = 0
    churn: float = 0.5
    exploring: float = 1.0
    crowd: int = 14
    borders: Borders = "announced"
    border_noise: float = 0.3
    sessions: int = 1

    def check(self, rule_words: int) -> None:
        """Raises ValueError for dials that cannot be met. rule_words: rules that the family has words for."""
        if not 1 <= self.subtasks <= self.horizon:
            raise ValueError(f"dial subtasks={self.subtasks}: choose 1 to horizon={self.horizon}")
        if not 0 < self.goal_share <= 1:
            raise ValueError(f"dial goal_share={self.goal_share}: choose above 0, up to 1")
        if self.late < 0 or self.goal_share * (1 + self.late) > 1 + 1e-9:
            most = 1 / self.goal_share - 1
            raise ValueError(f"dial late={self.late}: choose 0 to {most:.2f}, as goal_share={self.goal_share} allows")
        if unknown := {self.law, *self.laws.values()} - set(get_args(Law)):
            raise ValueError(f"dial law={min(unknown)!r}: choose one of {', '.join(get_args(Law))}")
        for name in ("reach", "period", "early", "ban_steps", "choices", "fan_in", "chain"):
            if getattr(self, name) < (least := 2 if name in ("choices", "fan_in", "chain") else 1):
                raise ValueError(f"dial {name}={getattr(self, name)}: choose {least} or more")
        if self.borders not in get_args(Borders) or not 0 <= self.border_noise <= 1:
            raise ValueError(
                f"dials borders={self.borders}, border_noise={self.border_noise}: "
                f"choose one of {', '.join(get_args(Borders))}, and a share of borders"
            )
        if not 1 <= self.sessions <= self.subtasks:
            raise ValueError(f"dial sessions={self.sessions}: choose 1 to subtasks={self.subtasks}")
        if not any(self.ops.values()) or not set(self.ops) <= set(OPS) or min(self.ops.values()) < 0:
            raise ValueError(f"dial ops={dict(self.ops)}: choose numbers of cards for any of {', '.join(OPS)}")
        if self.lookalikes < 0 or not 0 <= self.rules * (1 + self.lookalikes) <= rule_words:
            raise ValueError(
                f"dials rules={self.rules}, lookalikes={self.lookalikes}: rules * (1 + lookalikes) may be "
                f"0 to {rule_words}, the rules that this family has words for"
            )


def distances(dials: Dials, law: Law, rng: random.Random) -> Callable[[int], int]:
    """A function from a step to a distance back from it, 1 <= distance <= step.

    uniform: each of 1..reach · geometric: with `mean` · power: P(d) ~ d^-exponent on 1..reach, as in the
    independent-reference traces of caching studies · periodic: multiples of `period` up to `reach` · recent: 1 to 3 ·
    early: back to one of the first `early` steps.
    Distances beyond the start are drawn again, and at last wrapped into what there is.
    """
    reach = dials.reach

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
        return 1 + int(u * RECENT)

    def back(step: int) -> int:
        for _ in range(4):
            if (d := one()) <= step:
                return d
        return 1 + (d - 1) % step

    def early(step: int) -> int:
        return step - int(rng.random() * min(dials.early, step))

    return early if law == "early" else back


def delays(dials: Dials, law: Law, rng: random.Random) -> Callable[[int], int]:
    """A function from the length of the run to the steps from a goal to an update, and from there to the next goal.

    As the distances; where these only reach back to the beginning, any delay up to half the run.
    """
    return (lambda steps: 1 + int(rng.random() * (steps // 2))) if law == "early" else distances(dials, law, rng)
