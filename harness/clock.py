"""Simulated time: one discrete-event clock an episode, on which the agent's calls and background calls take turns.

Nothing here is random: the same calls take the same time, to the bit. `Wall` stands for real time.
"""

from __future__ import annotations

import heapq
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Rates:
    """How fast a scripted model is taken to be.

    prefill, cached, decode: tokens a second of uncached input, input with a cached prefix, output. overhead: seconds a
    call. contention: by which share a running background call slows the agent's own (1 = it stands still meanwhile).
    slots: background calls that run at once. compactor_speed: the strategy's own model against the agent's.
    """

    prefill: float = 4000.0
    cached: float = 40_000.0
    decode: float = 80.0
    overhead: float = 0.6
    contention: float = 0.0
    slots: int = 1
    compactor_speed: float = 1.0

    def check(self) -> None:
        """Raise ValueError for a rate with which no time passes, or runs backwards."""
        for name in ("prefill", "cached", "decode", "compactor_speed"):
            if not getattr(self, name) > 0:
                raise ValueError(f"clock.{name} is {getattr(self, name)!r}; give a rate above 0")
        if self.overhead < 0 or not 0 <= self.contention <= 1:
            raise ValueError(
                f"clock: overhead {self.overhead!r}, contention {self.contention!r}; "
                "give overhead >= 0 seconds, and contention from 0 to 1"
            )
        if isinstance(self.slots, bool) or not isinstance(self.slots, int) or self.slots < 1:
            raise ValueError(f"clock.slots is {self.slots!r}; give a whole number of at least 1")

    def seconds(self, uncached: int, cached: int, output: int, speed: float = 1.0) -> float:
        """How long a call takes that nothing slows."""
        return self.overhead + (uncached / self.prefill + cached / self.cached + output / self.decode) / speed


@dataclass(frozen=True, slots=True)
class Wall:
    """Real time: nothing is simulated, and background calls run in threads."""

    slots: int = 1

    def check(self) -> None:
        """Nothing can be wrong."""


@dataclass(order=True, slots=True)
class _Waiting:
    rank: tuple[float, int]
    seconds: float = field(compare=False)


class Slots:
    """Background calls on a number of slots: who waits is served by priority, then in order.

    Times never go back: `advance` first.
    """

    def __init__(self, count: int) -> None:
        self._count = count
        self._submitted = 0
        self._running: list[tuple[float, int]] = []  # (finish, ticket)
        self._waiting: list[_Waiting] = []
        self.started: dict[int, float] = {}
        self.finished: dict[int, float] = {}

    def submit(self, now: float, seconds: float, priority: float) -> int:
        """The ticket of a call that takes so many seconds once it runs."""
        self.advance(now)
        ticket, self._submitted = self._submitted, self._submitted + 1
        heapq.heappush(self._waiting, _Waiting((-priority, ticket), seconds))
        self._start(now)
        return ticket

    def advance(self, now: float) -> None:
        """Let everything happen that happens until then."""
        while self._running and self._running[0][0] <= now:
            finish, ticket = heapq.heappop(self._running)
            self.finished[ticket] = finish
            self._start(finish)

    def withdraw(self, tickets: Collection[int]) -> None:
        """Those of them that still wait leave the queue; what runs keeps its slot to the end."""
        self._waiting = [one for one in self._waiting if one.rank[1] not in tickets]
        heapq.heapify(self._waiting)

    def next_finish(self) -> float | None:
        """When the first of the running calls ends; None when none runs."""
        return self._running[0][0] if self._running else None

    @property
    def waiting(self) -> int:
        return len(self._waiting)

    def _start(self, now: float) -> None:
        while self._waiting and len(self._running) < self._count:
            one = heapq.heappop(self._waiting)
            self.started[one.rank[1]] = now
            heapq.heappush(self._running, (now + one.seconds, one.rank[1]))


class Time(Protocol):
    """Simulated seconds of an episode: its own (`Clock`), or time that it shares with others (harness/serving)."""

    @property
    def rates(self) -> Rates: ...
    @property
    def now(self) -> float: ...
    @property
    def waiting(self) -> int:
        """Calls that wait for a slot."""
        ...

    def wait(self, seconds: float) -> None: ...
    def work(self, seconds: float) -> float: ...
    def stand(self, calls: Sequence[float]) -> float: ...
    def submit(self, seconds: float, priority: float) -> int: ...
    def done(self, ticket: int) -> bool: ...


class Clock:
    """The time of one episode, in simulated seconds from its beginning."""

    def __init__(self, rates: Rates, slots: Slots | None = None) -> None:
        self.now = 0.0
        self.rates = rates
        self.slots = slots if slots is not None else Slots(rates.slots)

    @property
    def waiting(self) -> int:
        return self.slots.waiting

    def wait(self, seconds: float) -> None:
        """Time that nothing slows: of tools, and of the strategy's own model while the agent waits for it."""
        self.now += seconds
        self.slots.advance(self.now)

    def work(self, seconds: float) -> float:
        """The agent's own call, slowed while background calls run. Returns how long it took."""
        started, left = self.now, seconds
        while left > 0:
            self.slots.advance(self.now)
            finish = self.slots.next_finish()
            rate = 1.0 if finish is None else 1.0 - self.rates.contention
            if finish is None or (rate > 0 and left <= (finish - self.now) * rate):
                self.now += left / rate
                break
            left -= (finish - self.now) * rate
            self.now = finish
        self.slots.advance(self.now)
        return self.now - started

    def stand(self, calls: Sequence[float]) -> float:
        """Stand still for calls of the strategy's own model that take so many seconds each, made at once: they share
        the slots. Returns how long it took.
        """
        free = [0.0] * self.rates.slots
        for seconds in calls:
            heapq.heapreplace(free, free[0] + seconds)
        self.wait(max(free))
        return max(free)

    def submit(self, seconds: float, priority: float) -> int:
        return self.slots.submit(self.now, seconds, priority)

    def done(self, ticket: int) -> bool:
        self.slots.advance(self.now)
        return ticket in self.slots.finished
