"""One simulated time for several agents, and the slots on which all their strategies' own calls are answered.

A discrete-event clock: it goes from the end of something to the next such end. Nothing is random, so equal agents take
equal times, to the bit.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from harness.clock import Rates, Slots

STANDING = math.inf  # the priority of a call that its agent stands still for


@dataclass(slots=True)
class Doing:
    """What an agent is at until it goes on: `work` seconds that contention slows, or a wait until a time, or for the
    answers to all `tickets`.
    """

    work: float | None = None
    until: float = math.inf
    tickets: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Asked:
    """A call, by whom and when; its ticket is its place in `World.calls`. seconds: once it runs."""

    owner: str
    seconds: float
    priority: float
    at: float


class World:
    def __init__(self, rates: Rates) -> None:
        self.now = 0.0
        self.rates = rates
        self.slots = Slots(rates.slots)
        self.calls: list[Asked] = []
        self.ends: dict[str, float] = {}  # of the episodes

    def submit(self, owner: str, seconds: float, priority: float) -> int:
        self.calls.append(Asked(owner, seconds, priority, self.now))
        return self.slots.submit(self.now, seconds, priority)

    def leave(self, owner: str) -> None:
        """An episode has ended: its waiting calls make room."""
        self.ends[owner] = self.now
        self.slots.withdraw({ticket for ticket, call in enumerate(self.calls) if call.owner == owner})

    def step(self, doings: Sequence[Doing]) -> list[bool]:
        """Go on to the first end of anything, also of a call, after which agents may be faster. Returns who is done.
        Raises RuntimeError where nothing ever ends.
        """
        finish = self.slots.next_finish()
        rate = 1.0 if finish is None else 1.0 - self.rates.contention
        ends = [self._end(doing, rate) for doing in doings]
        then = min([*ends, math.inf if finish is None else finish])
        if then == math.inf:
            raise RuntimeError(f"nothing ends after {self.now:g} s, and {len(doings)} agents wait")
        for doing in doings:
            if doing.work is not None:
                doing.work = max(0.0, doing.work - (then - self.now) * rate)
        self.now = then
        self.slots.advance(then)
        return [end <= then or self._answered(doing) for doing, end in zip(doings, ends, strict=True)]

    def _end(self, doing: Doing, rate: float) -> float:
        """When it ends, if no call ends before."""
        if doing.work is None:
            return doing.until
        return self.now + doing.work / rate if rate > 0 else math.inf

    def _answered(self, doing: Doing) -> bool:
        return bool(doing.tickets) and all(ticket in self.slots.finished for ticket in doing.tickets)


class Share:
    """A `clock.Time`: what one episode sees of the world. Its tickets count from 0: it learns of no other's calls.

    rest: returns when the agent is done with what it is at; by then the world's time has come so far.
    """

    def __init__(self, world: World, owner: str, rest: Callable[[Doing], None]) -> None:
        self._world = world
        self._owner = owner
        self._rest = rest
        self._tickets: list[int] = []

    @property
    def rates(self) -> Rates:
        return self._world.rates

    @property
    def now(self) -> float:
        return self._world.now

    @property
    def waiting(self) -> int:
        """Calls of all episodes that wait for a slot."""
        return self._world.slots.waiting

    def wait(self, seconds: float) -> None:
        self._rest(Doing(until=self.now + seconds))

    def work(self, seconds: float) -> float:
        started = self.now
        self._rest(Doing(work=seconds))
        return self.now - started

    def stand(self, calls: Sequence[float]) -> float:
        """As others ask too, these calls wait for a slot like those in the background, but go first."""
        started = self.now
        if calls:
            self._rest(Doing(tickets=tuple(self._world.submit(self._owner, one, STANDING) for one in calls)))
        return self.now - started

    def submit(self, seconds: float, priority: float) -> int:
        self._tickets.append(self._world.submit(self._owner, seconds, priority))
        return len(self._tickets) - 1

    def done(self, ticket: int) -> bool:
        return self._tickets[ticket] in self._world.slots.finished
