"""What is told and asked in a generated instance: the result of `tasks.schedule.draw`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from harness.contract import Op, Schedule
from tasks.strands import Strands


class Told(NamedTuple):
    """A statement: `field` of `owner` is `value`. former: the value that it replaces, when the text names it.

    fact: id of the needed fact, None for a look-alike. source: path under which it can be read again.
    """

    owner: str
    field: str
    value: str
    former: str | None
    kind: str
    source: str | None
    fact: str | None


@dataclass(frozen=True, slots=True)
class Need:
    """What the action at `step` must submit.

    parts: the right value, one a fact for a join, else one for all. stale: for each part the answers that
    superseded values give. base: earlier goal steps whose work it builds on (coupling). default: what the instruction
    suggests. barred: arguments that go against what was ruled out.
    """

    step: int
    op: Op
    keys: tuple[str, ...]
    facts: tuple[str, ...]
    parts: tuple[str, ...]
    stale: tuple[frozenset[str], ...]
    operand: str = ""
    joint: str = ""
    source: str | None = None
    base: tuple[int, ...] = ()
    default: str = ""
    barred: frozenset[str] = frozenset()

    @property
    def answer(self) -> str:
        return self.joint.join(self.parts)


@dataclass(frozen=True, slots=True)
class Plan:
    """told[s]: statements of the answer of step s (0 = before the first). targets[s]: what step s works on.

    files: by path, the step and the statement of all that the file comes to hold. values: the key of each value that is
    bound to one key only. reports: the steps at which an agent hands results over to the others. said[s]: the subtask
    that the instruction of step s names. starts: first steps of the sessions after the first.
    """

    horizon: int
    subtasks: int
    told: tuple[tuple[Told, ...], ...]
    needs: dict[int, Need]
    targets: tuple[str, ...]
    files: dict[str, list[tuple[int, Told]]]
    values: dict[str, str]
    schedule: Schedule
    strands: Strands
    reports: frozenset[int]
    said: tuple[int | None, ...]
    starts: tuple[int, ...]

    def session(self, step: int) -> int:
        """Number of the session of a step, from 0."""
        return sum(start <= step for start in self.starts)

    def subtask(self, step: int) -> int:
        """Number of the subtask of a step, from 1."""
        return subtask(step, self.horizon, self.subtasks)


def subtask(step: int, horizon: int, subtasks: int) -> int:
    """Number of the subtask of a step, from 1; step 0 belongs to the first."""
    return 1 + (max(1, step) - 1) * subtasks // horizon


def first_step(part: int, horizon: int, subtasks: int) -> int:
    """The first step of subtask `part`."""
    return 1 - ((1 - part) * horizon // subtasks)
