"""Plays back what an agent did in a recorded run; nobody is asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from harness.contract import Environment, Reply, Request, Task, Tool
from harness.contract import Recorded as RecordedRun


@dataclass(frozen=True, slots=True)
class Recorded:
    """A source of playbacks."""

    def open(self, task: Task, environment: Environment, seed: int, strategy_tools: Sequence[Tool] = ()) -> Playback:
        """The playback of one episode. Raises ValueError if the environment recorded no replies."""
        if not isinstance(environment, RecordedRun):
            kind = f"{type(environment).__module__}.{type(environment).__name__}"
            raise ValueError(f"{kind} has no recorded replies to play back: set model=scripted, or task=replay")
        return Playback(environment)


class Playback:
    """A `contract.Model` that gives the recorded replies in order, whatever the view says.

    It counts its calls. An environment that counts the replies it was given (`played`) knows better: a resumed episode
    steps it over what the record holds without asking the model.
    """

    def __init__(self, run: RecordedRun) -> None:
        self.run = run
        self.replies = tuple(run.replies)
        self.given = 0

    def complete(self, request: Request) -> Reply:
        """The next reply. Raises LookupError when all were given: the environment should have been done by then."""
        position = getattr(self.run, "played", self.given)
        if position >= len(self.replies):
            raise LookupError(f"no recorded reply after number {position}: the environment must be done with the last")
        self.given = position + 1
        return self.replies[position]
