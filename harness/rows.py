"""The rows of an episode's record; harness/record.py reads them back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from harness.codec import event_to, message_to, reply_to
from harness.context import Checked
from harness.contract import Event, Message, Reply, Schedule, Turn
from harness.journal import FORMAT
from harness.ranges import pack, pack_ids
from harness.seat import Seat
from harness.setup import Setup

Row = dict[str, Any]


def head(setup: Setup) -> Row:
    return {"row": "head", "format": FORMAT, "instance": setup.instance.id, "seed": setup.seed, "budget": setup.budget}


def schedule(known: Schedule) -> Row:
    facts = [[f.id, f.key, f.value, f.kind, f.stated, f.superseded, f.source] for f in known.facts]
    return {"row": "schedule", "facts": facts, "goals": [[g.step, g.op, list(g.facts)] for g in known.goals]}


def enter(seat: Seat, begun: Sequence[Message], told_: Sequence[Message], session: int | None) -> Row:
    """The seat's agent acts next. begun: what its brief put into the history; session: None where no brief begins."""
    row: Row = {"row": "enter", "agent": seat.brief.agent, **told(seat, [*begun, *told_])}
    if session is not None:
        row |= {"session": session, "begins": "history" if begun[0].role == "system" else "task"}
    return row


def turn(
    seat: Seat, n: int, step: int, checked: Checked, reply: Reply, time: tuple[float, float] | None = None
) -> Row:
    """A view and the reply to it. Made messages are written whole when they are first shown.

    time: simulated seconds that the agent waited for the strategy's own model, and that its call took.
    """
    fresh = [message for message in checked.made if message.id not in seat.shown]
    row: Row = {"row": "turn", "n": n, "step": step}
    if seat.brief.agent is not None:
        row["agent"] = seat.brief.agent
    output = seat.counter.message(reply.message)
    row |= {"view": pack(checked.places), "tokens": checked.tokens, "overhead": seat.overhead, "output": output}
    if fresh:
        row["made"] = [message_to(message) for message in fresh]
        row["made_tokens"] = [seat.counter.message(message) for message in fresh]
    if events := noted(seat.kit.drain()):
        row["noted"] = events
    if time is not None:
        row["time"] = [round(seconds, 6) for seconds in time]
    return {**row, "reply": reply_to(reply)}


def answer(seat: Seat, messages: Sequence[Message], acted: int, came: Turn) -> Row:
    """What followed a reply. acted: how many steps it took."""
    row: Row = {"row": "answer", "acted": acted, **told(seat, messages)}
    if came.events:
        row["events"] = [event_to(event) for event in came.events]
    if events := noted(seat.kit.drain()):
        row["noted"] = events
    if came.seconds:
        row["seconds"] = came.seconds
    return row


def left(texts: Mapping[str, str]) -> Row:
    """What the episode leaves behind."""
    return {"row": "left", "texts": dict(texts)}


def told(seat: Seat, messages: Sequence[Message]) -> Row:
    """Messages, each once, with their tokens."""
    return {"messages": [message_to(m) for m in messages], "tokens": [seat.counter.message(m) for m in messages]}


def noted(events: Sequence[Event]) -> list[Any]:
    """A strategy's events, their sources packed."""
    return [[event.kind, event.detail["trigger"], pack_ids(event.detail["sources"])] for event in events]
