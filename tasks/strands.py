"""Which line of work each step belongs to: the branches that one agent works on in turn, or the agents of a team.

What the answer of a step states is addressed to the strand of the step after it: whoever comes next sees it first.
A strand has a clock of its own, its steps counted from 1, and the distance laws count by it; with one strand it is
the clock of the run.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Strands:
    """parts[p]: the strand of subtask p (parts[0] = that of the first). of[s]: of step s. steps[b]: those of strand b.

    clock[s]: the number of step s in its strand.
    """

    parts: tuple[int, ...]
    of: tuple[int, ...]
    steps: tuple[tuple[int, ...], ...]
    clock: tuple[int, ...]

    def heard(self, stated: int) -> int:
        """The strand that hears first what the answer of a step states."""
        return self.of[min(stated + 1, len(self.of) - 1)]

    def told(self, strand: int, time: int) -> int:
        """The step whose answer is the strand's news after `time` of its own steps."""
        return self.steps[strand][time] - 1

    def begins(self, step: int) -> bool:
        """Whether a strand is taken up at this step."""
        return 1 <= step < len(self.of) and (step == 1 or self.of[step] != self.of[step - 1])

    def begin(self, step: int) -> int:
        """The step at which the visit of `step` began."""
        return next(s for s in range(step, 0, -1) if self.begins(s))

    def end(self, step: int) -> int:
        """The last step of the visit that `step` belongs to."""
        return next((s - 1 for s in range(step + 1, len(self.of)) if self.begins(s)), len(self.of) - 1)

    def returns(self, step: int) -> bool:
        """Whether a strand is taken up again at this step."""
        return self.begins(step) and self.clock[step] > 1

    def visit(self, part: int) -> int:
        """How many subtasks of the same strand came before this one."""
        return self.parts[1:part].count(self.parts[part])


def draw_strands(subtask_of: Sequence[int], strands: int, rng: random.Random) -> Strands:
    """Subtasks go to the strands in rounds, each in an order of its own, and never twice in a row to the same.

    subtask_of: the subtask of each step, that of step 0 being the first.
    """
    subtasks = subtask_of[-1]
    parts: list[int] = []
    while len(parts) < subtasks:
        order = rng.sample(range(strands), strands)
        if parts and strands > 1 and order[0] == parts[-1]:
            order.append(order.pop(0))
        parts += order
    parts = [parts[0], *parts[:subtasks]]
    of = [parts[subtask] for subtask in subtask_of]
    steps: list[list[int]] = [[] for _ in range(strands)]
    clock = [0]
    for step in range(1, len(of)):
        steps[of[step]].append(step)
        clock.append(len(steps[of[step]]))
    return Strands(tuple(parts), tuple(of), tuple(map(tuple, steps)), tuple(clock))
