"""Calls of the strategy's own model that the agent does not wait for.

The turn at which an answer became visible is part of the record, or follows from it: on the simulated clock it is
derived, on the wall it is written down and honoured when the episode is resumed.
"""

from __future__ import annotations

import time
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Protocol

from harness.asking import Asker
from harness.codec import reply_from, reply_to
from harness.contract import Message, Reply, Request
from harness.journal import Journal

FAILED = "failed"  # how a reply finished that never came


class Background(Protocol):
    def submit(self, request: Request, priority: float) -> int: ...
    def poll(self, ticket: int) -> Reply | None: ...
    def waiting(self) -> int: ...
    def close(self) -> None: ...


class Simulated:
    """The answer is known at once, and visible when the clock has come to its end: nothing races."""

    def __init__(self, asker: Asker) -> None:
        self._asker = asker
        self._replies: dict[int, Reply] = {}

    def submit(self, request: Request, priority: float) -> int:
        clock = self._asker.clock
        assert clock is not None
        with self._asker.blamed():
            reply, seconds = self._asker.answered(request, "later")
        ticket = clock.submit(seconds, priority)
        self._replies[ticket] = reply
        return ticket

    def poll(self, ticket: int) -> Reply | None:
        clock = self._asker.clock
        assert clock is not None
        return self._replies[ticket] if clock.done(ticket) else None

    def waiting(self) -> int:
        clock = self._asker.clock
        return clock.waiting if clock is not None else 0

    def close(self) -> None:
        """Nothing runs."""


class Silent:
    """On a fork nothing arrives any more."""

    def submit(self, request: Request, priority: float) -> int:
        return -1

    def poll(self, ticket: int) -> Reply | None:
        return None

    def waiting(self) -> int:
        return 0

    def close(self) -> None:
        """Nothing runs."""


class Threads:
    """Real calls in threads. One that fails is answered as failed: a background call must not end an episode.

    A call that was under way when the episode was killed is made again when it is resumed.
    """

    def __init__(self, asker: Asker, slots: int) -> None:
        self._asker = asker
        self._slots = slots
        self._pool = ThreadPoolExecutor(slots)
        self._requests: list[Request] = []
        self._running: dict[int, Future[Reply]] = {}
        self._seen: dict[int, Reply] = {}

    def submit(self, request: Request, priority: float) -> int:
        """Priorities do not matter here: threads serve in order."""
        self._requests.append(request)
        ticket = len(self._requests) - 1
        self._asker.journal.write({"row": "later", "ticket": ticket})
        self._start(ticket)
        return ticket

    def poll(self, ticket: int) -> Reply | None:
        if ticket not in self._seen:
            reply = self._arrived(ticket)
            if reply is None:
                return None
            billed, _ = self._asker.cost(self._requests[ticket], reply)
            self._asker.tokens += billed["tokens"]
            row = {"row": "arrived", "ticket": ticket, **billed, "reply": reply_to(reply)}
            self._asker.journal.write(row)
            self._seen[ticket] = reply
        return self._seen[ticket]

    def waiting(self) -> int:
        """Of what was submitted, as much as was not seen yet and is more than the slots: a function of the record."""
        return max(0, len(self._requests) - len(self._seen) - self._slots)

    def close(self) -> None:
        self._pool.shutdown(wait=False, cancel_futures=True)

    def _arrived(self, ticket: int) -> Reply | None:
        journal = self._asker.journal
        if journal.replaying:
            row = journal.next()
            return reply_from(row["reply"]) if (row["row"], row.get("ticket")) == ("arrived", ticket) else None
        self._start(ticket)
        running = self._running[ticket]
        return running.result() if running.done() else None

    def _start(self, ticket: int) -> None:
        if ticket not in self._running and not self._asker.journal.replaying:
            self._running[ticket] = self._pool.submit(self._answer, self._requests[ticket])

    def _answer(self, request: Request) -> Reply:
        try:
            return self._asker.live(request)
        except Exception as error:
            return Reply(Message("", "assistant", f"{type(error).__name__}: {error}"), finish=FAILED)


class Watch:
    """Real time since the episode began; each look is recorded, for a strategy may act on it."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._offset = 0.0
        self._started: float | None = None

    def __call__(self) -> float:
        row = self._journal.recall("clock")
        if row is not None:
            at: float = row["at"]
            self._offset = at  # a resumed episode goes on from the last look
        else:
            if self._started is None:
                self._started = time.monotonic()
            at = round(self._offset + time.monotonic() - self._started, 6)
        self._journal.write({"row": "clock", "at": at})
        return at
