"""A circuit breaker: when background calls fail, are slow or pile up, none is made for a while, then one as a trial."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

State = Literal["closed", "open", "half-open"]


@dataclass(slots=True)
class Breaker:
    """failures: in a row. latency: seconds from asking to the answer. queue: waiting calls. Any of them over its limit
    opens it; after `cool` seconds one trial is let through, and closes it or opens it again.
    """

    failures: int
    latency: float
    queue: int
    cool: float
    state: State = "closed"
    changes: list[tuple[State, str]] = field(default_factory=list)
    failed: int = 0
    opened: float = 0.0

    def allows(self, now: float, waiting: int) -> bool:
        """Whether a call may be made now."""
        if self.state == "open" and now - self.opened >= self.cool:
            self._to("half-open", "cooled down")
        if self.state == "closed" and waiting > self.queue:
            self._open(now, "queue")
        return self.state != "open"

    def answered(self, now: float, seconds: float, ok: bool) -> None:
        """A call came back after so many seconds, or failed."""
        self.failed = 0 if ok else self.failed + 1
        if not ok and (self.failed >= self.failures or self.state == "half-open"):
            self._open(now, "failures")
        elif seconds > self.latency:
            self._open(now, "latency")
        elif ok and self.state == "half-open":
            self._to("closed", "trial")

    def take_changes(self) -> list[tuple[State, str]]:
        changes, self.changes = self.changes, []
        return changes

    def plain(self) -> dict[str, Any]:
        return {"state": self.state, "failed": self.failed, "opened": self.opened}

    def restore(self, plain: dict[str, Any]) -> None:
        self.state, self.failed, self.opened = plain["state"], plain["failed"], plain["opened"]

    def _open(self, now: float, why: str) -> None:
        self.opened = now
        self._to("open", why)

    def _to(self, state: State, why: str) -> None:
        if state != self.state:
            self.changes.append((state, why))
        self.state = state
