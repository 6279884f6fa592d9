"""What sharing the slots came to in one cell: how much got done, how long calls waited, and what was done without."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from harness.record import Record
from harness.serving.log import Log, Served

HOUR = 3600.0


@dataclass(frozen=True, slots=True)
class Figures:
    """Seconds and hours are simulated. None = there was nothing of the kind.

    episodes, steps: an hour, of one world after the other. seconds: of an episode. stall: of an episode, the agent
    waiting for its strategy's own model. busy: share of the slots' time. length: calls that wait for a slot, over the
    time. wait: of a call until it has a slot, seconds. p95: not exceeded for 95 % of the time, or by 95 % of the calls.
    calls: an episode. unanswered: share of the calls in the background whose episode ended before the answer came.
    summaries, used: asked for beside the agent, an episode, and the share that came into the view. open: of an episode,
    seconds while a breaker was open, of all its agents. resorts: turns of an episode in which the last resort cut.
    """

    episodes: float
    steps: float
    seconds: float
    stall: float
    busy: float
    length: float
    length_p95: float
    length_most: int
    wait: float | None
    wait_p95: float | None
    calls: float
    unanswered: float | None
    summaries: float | None
    used: float | None
    open: float
    resorts: float


def figures(logs: Sequence[Log], records: Sequence[Record]) -> Figures:
    """logs: of all groups of a cell, at least one; records: of all their episodes."""
    hours = sum(_span(log) for log in logs) / HOUR
    calls = [call for log in logs for call in log.calls]
    waits = [call.started - call.asked for call in calls if call.started is not None]
    late = [_late(call, log) for log in logs for call in log.calls if not call.standing]
    submitted, compacted = (sum(_events(record, kind) for record in records) for kind in ("submit", "compact"))
    ends = [end for log in logs for end in log.ends.values()]
    count = len(records)
    return Figures(
        episodes=count / hours,
        steps=sum(record.steps for record in records) / hours,
        seconds=sum(ends) / len(ends),
        stall=sum(turn.time[0] for record in records for turn in record.turns if turn.time) / count,
        busy=sum(map(_busy, logs)) / sum(log.slots * _span(log) for log in logs),
        length=_mean_length(logs),
        length_p95=_length_quantile(logs, 0.95),
        length_most=max(waiting for log in logs for waiting, seconds in lengths(log) if seconds > 0),
        wait=float(np.mean(waits)) if waits else None,
        wait_p95=float(np.quantile(waits, 0.95)) if waits else None,
        calls=len(calls) / count,
        unanswered=sum(late) / len(late) if late else None,
        summaries=submitted / count if submitted else None,
        used=compacted / submitted if submitted else None,
        open=sum(map(opened, records)) / count,
        resorts=sum(turn.overflowed for record in records for turn in record.turns) / count,
    )


def opened(record: Record) -> float:
    """Seconds while a breaker was open: to its next change, or to the end of the episode."""
    now, total = 0.0, 0.0
    since: dict[str | None, float] = {}
    for turn in record.turns:
        agent = record.segments[turn.segment].agent
        stalled, called = turn.time if turn.time is not None else (0.0, 0.0)
        for kind, trigger, _ in turn.noted:
            if kind == "breaker":
                total += now - since.pop(agent, now)
                if trigger.startswith("open"):
                    since[agent] = now
        now += stalled + called + turn.seconds
    return total + sum(now - began for began in since.values())


def lengths(log: Log) -> list[tuple[int, float]]:
    """How many calls waited, and for how many seconds they did, piece by piece up to the end of the last episode."""
    changes = [(call.asked, 1) for call in log.calls] + [(_left(call, log), -1) for call in log.calls]
    found, waiting, since = [], 0, 0.0
    for at, change in [*sorted(changes), (_span(log), 0)]:
        found.append((waiting, at - since))
        waiting, since = waiting + change, at
    return found


def _mean_length(logs: Sequence[Log]) -> float:
    pieces = [piece for log in logs for piece in lengths(log)]
    return sum(waiting * seconds for waiting, seconds in pieces) / sum(seconds for _, seconds in pieces)


def _length_quantile(logs: Sequence[Log], share: float) -> float:
    """The length that is not exceeded for that share of the time."""
    pieces = sorted(piece for log in logs for piece in lengths(log))
    until = np.cumsum([seconds for _, seconds in pieces])
    return float(pieces[int(np.searchsorted(until, share * until[-1]))][0])


def _span(log: Log) -> float:
    """From the common beginning to the end of the last episode."""
    return max(log.ends.values())


def _left(call: Served, log: Log) -> float:
    """When it left the queue."""
    return call.started if call.started is not None else log.ends[call.owner]


def _late(call: Served, log: Log) -> bool:
    return call.started is None or call.started + call.seconds > log.ends[call.owner]


def _busy(log: Log) -> float:
    started = [(call.started, call.seconds) for call in log.calls if call.started is not None]
    return sum(min(seconds, _span(log) - at) for at, seconds in started)


def _events(record: Record, kind: str) -> int:
    return sum(noted == kind for turn in record.turns for noted, _, _ in turn.noted)
