"""Actions done again: what a resumed episode does with an environment whose answers never come out the same twice."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from harness.codec import event_from, event_to, message_from
from harness.contract import Environment, Event, Leaves, Turn, Volatile
from harness.journal import Diverged, Journal

COMPARED = "ran"  # the kind of the events that must come out the same


def taken(environment: Environment, turn: Turn, journal: Journal) -> Turn:
    """The turn as it goes into the history: as it came, or as recorded where this episode has been here before.

    Raises Diverged where what was done now did something else.
    """
    if not (isinstance(environment, Volatile) and environment.volatile and journal.replaying):
        return turn
    row = journal.next()
    if row["row"] != "answer":
        return turn
    events = tuple(event_from(event) for event in row.get("events", ()))
    now, then = _compared(turn.events), _compared(events)
    if now != then:
        raise Diverged(f"{journal.part}: the same actions came to something else: recorded {then}, now {now}")
    answers = {m.answers: m for m in map(message_from, row["messages"]) if m.answers is not None}
    messages = tuple(
        replace(m, content=answers[m.answers].content) if m.answers in answers else m for m in turn.messages
    )
    return replace(turn, messages=messages, events=events, seconds=row.get("seconds", 0.0))


def remains(environment: Environment) -> Mapping[str, str]:
    """What the episode leaves behind; {} where it leaves nothing."""
    return environment.left() if isinstance(environment, Leaves) else {}


def _compared(events: tuple[Event, ...]) -> list[Any]:
    return [event_to(event) for event in events if event.kind == COMPARED]
