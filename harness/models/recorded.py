"""Plays back what an agent did in a recorded run; nobody is asked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from harness.contract import Environment, Reply, Request, Task
from harness.contract import Recorded as RecordedRun


@dataclass(frozen=True, slots=True)
class Recorded:
    """A source of playbacks."""

    speaks: ClassVar[bool] = False

    def open(self, task: Task, environment: Environment, seed: int) -> Playback:
        """The playback of one episode. Raises ValueError if the environment recorded no replies."""
        if not isinstance(environment, RecordedRun):
            kind = f"{type(environment).__module__}.{type(environment).__name__}"
            raise ValueError(f"{kind} has no recorded replies to play back: set model=scripted, or task=replay")
        return Playback(environment)


class Playback:
    """A `contract.Model` that gives the recorded replies in order, whatever the view says.

    The environment counts what was played: a resumed episode steps it over what its record holds, and asks nobody.
    """

    def __init__(self, run: RecordedRun) -> None:
        self.run = run

    def complete(self, request: Request) -> Reply:
        """The next reply. Raises LookupError when all were given: the environment should have been done by then."""
        if self.run.played >= len(self.run.replies):
            raise LookupError(
                f"no recorded reply after number {self.run.played}: the run ends there, and so must the task"
            )
        return self.run.replies[self.run.played]
