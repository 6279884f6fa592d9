"""Summaries that are asked for beside the agent: one at a time, behind a breaker, shallower under load."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from harness.contract import Kit
from strategies.compaction.breaker import Breaker
from strategies.compaction.flight import Flight, Plan, plan_of
from strategies.compaction.layers import Layers, Stage
from strategies.compaction.prompts import Level


class Beside:
    """slow: seconds of an answer from which on only the finest level is asked for, and again all below it.

    Everything is per episode: breakers and limits are not shared.
    """

    def __init__(self, kit: Kit, breaker: Breaker, slow: float) -> None:
        self._kit = kit
        self._breaker = breaker
        self._slow = slow
        self._took = 0.0  # seconds of the last answer
        self._flight: Flight | None = None
        self._saved: dict[str, Any] | None = None  # a flight that is to be brought to its point again

    def free(self) -> bool:
        """Whether a summary may be asked for now: single flight, and the breaker lets it through."""
        if self._flight is not None or self._saved is not None:
            return False
        allowed = self._breaker.allows(self._kit.clock(), self._kit.queue())
        self._tell()
        return allowed

    @property
    def covered(self) -> tuple[int, ...]:
        """Places of the blocks that the summary under way covers."""
        if self._flight is not None:
            return self._flight.plan.starts
        return plan_of(self._saved).starts if self._saved is not None else ()

    def levels(self, every: tuple[Level, ...]) -> tuple[Level, ...] | None:
        """The levels to ask for; None = all. All -> the finest only -> none at all (the breaker)."""
        loaded = self._took > self._slow or self._breaker.state == "half-open"
        return every[:1] if loaded and len(every) > 1 else None

    def start(self, plan: Plan, stage: Stage[Layers], priority: float) -> None:
        """priority: how near the view is to its budget: the nearest goes first where several episodes wait."""
        self._kit.event("submit", f"{plan.trigger}, {'all levels' if plan.deep else 'finest level'}")
        self._flight = Flight(self._kit, plan, stage, priority)
        self._flight.take_off()

    def landed(self, stage: Callable[[Plan], Stage[Layers]]) -> tuple[Plan, Layers] | None:
        """The plan and the new summary, once it is there. stage: makes the stage of a plan anew."""
        if self._saved is not None:
            plan, saved, self._saved = plan_of(self._saved), self._saved, None
            self._flight = Flight(self._kit, plan, stage(plan), saved["priority"])
            self._flight.resume(saved)
        flight = self._flight
        if flight is None or (made := flight.advance()) is None:
            return None
        self._flight = None
        now = self._kit.clock()
        self._took = now - flight.plan.began
        self._breaker.answered(now, self._took, not flight.failed)
        self._tell()
        if flight.failed:  # what stands in for a summary that never came is not worth the original
            self._kit.event("failed", flight.plan.trigger)
            return None
        return flight.plan, made

    def plain(self) -> dict[str, Any]:
        flight = self._saved if self._flight is None else self._flight.plain()
        return {"breaker": self._breaker.plain(), "took": self._took, "flight": flight}

    def restore(self, plain: dict[str, Any]) -> None:
        self._breaker.restore(plain["breaker"])
        self._took, self._saved = plain["took"], plain["flight"]

    def _tell(self) -> None:
        for state, why in self._breaker.take_changes():
            self._kit.event("breaker", f"{state}: {why}")
