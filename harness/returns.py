"""Turns from the return to a branch to the first right step there (MECHANISMS F)."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

from harness.record import TurnRow


class Returns:
    """Feed it each turn once, in order; `lags` holds what is known so far, in turns, overhead turns included.

    A return is due when a goal falls into the visit, steps `step` to `until` of its event. A visit without a right step
    counts with all its turns, a lower bound of what it would have taken. A visit that the episode's end cuts short
    before a right step has no lag.
    """

    def __init__(self, goals: Sequence[int]) -> None:
        self.lags: list[int] = []
        self._goals = sorted(goals)
        self._open: tuple[int, int, int] | None = None  # turn of the return, first and last step of the visit

    def take(self, turn: TurnRow) -> None:
        for event in turn.events:
            if event.kind == "returned":
                self._close(turn.n)
                first, last = event.detail["step"], event.detail["until"]
                at = bisect_left(self._goals, first)
                if at < len(self._goals) and self._goals[at] <= last:
                    self._open = (turn.n, first, last)
            elif event.kind == "goal" and event.detail["met"] and self._within(event.detail["step"]):
                self._close(turn.n)
        if self._open is not None and turn.step + turn.acted > self._open[2]:
            self._close(turn.n)

    @property
    def mean(self) -> float | None:
        return sum(self.lags) / len(self.lags) if self.lags else None

    def _within(self, step: int) -> bool:
        return self._open is not None and self._open[1] <= step <= self._open[2]

    def _close(self, turn: int) -> None:
        if self._open is not None:
            self.lags.append(turn - self._open[0])
            self._open = None
