"""What must hold of a view, and what it kept, made and dropped.

A view that breaks a rule is a result (the strategy's error), never repaired here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from harness.contract import Message
from harness.history import History, index_of
from harness.text import admitted
from harness.tokens import Counter

# What a strategy adds to the system text stands below this line and is billed to it.
SYSTEM_MARKER = "\n\n[memory]\n"


class ViewError(Exception):
    """A view broke a rule; `reason` is a short, fixed word for tables."""

    def __init__(self, reason: str, text: str) -> None:
        super().__init__(text)
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Checked:
    """A view that holds. tokens: of its messages; places: for each its position in the history, or its id if made."""

    messages: tuple[Message, ...]
    tokens: int
    places: tuple[int | str, ...]
    made: tuple[Message, ...]


def check(
    view: Sequence[Message],
    history: History,
    budget: int | None,
    counter: Counter,
    shown: Mapping[str, Message] | None = None,
) -> Checked:
    """Check a view against the history, the net budget (None = unlimited) and the made messages shown before.

    Raises ViewError: not_messages, text, pinned, edited, order, duplicate, sources, block, role, over_budget.
    """
    messages = tuple(view)
    for message in messages:
        if not isinstance(message, Message):
            raise ViewError("not_messages", f"the view holds {message!r}, which is no Message")
    places = _places(messages, history)
    made = tuple(m for m, place in zip(messages, places, strict=True) if isinstance(place, str))
    for message in made:
        known = shown.get(message.id) if shown else None
        if known is None and admitted(message) is not message:
            raise ViewError("text", f"made message {message.id} is blank, or has a control character or lone surrogate")
        if known is not None and known is not message and known != message:
            raise ViewError("edited", f"made message {message.id} was shown before with another text: give it a new id")
    _check_pinned(messages, history)
    _check_blocks(messages)
    tokens = counter.messages(messages)
    if budget is not None and tokens > budget:
        raise ViewError("over_budget", f"the view has {tokens} tokens, the budget leaves {budget} for messages")
    return Checked(messages, tokens, places, made)


def _places(messages: Sequence[Message], history: History) -> tuple[int | str, ...]:
    """Where each message stands; checks identity, order, ids and sources on the way."""
    places: list[int | str] = []
    made: set[str] = set()
    last = -1
    for message in messages:
        place = history.place(message.id)
        if place is None:
            _check_made(message, made, history)
            made.add(message.id)
            places.append(message.id)
            continue
        own = history[place]
        if own is not message and own != message:
            raise ViewError("edited", f"message {message.id} in the view is not the one in the history")
        if place <= last:
            reason = "duplicate" if place in places else "order"
            raise ViewError(reason, f"message {message.id} stands after m{last}: history messages come once, in order")
        last = place
        places.append(place)
    return tuple(places)


def _check_made(message: Message, made: set[str], history: History) -> None:
    if not message.id or index_of(message.id) is not None:
        raise ViewError("edited", f"{message.id!r} is no id for a made message, nor is it one of the history")
    if message.id in made:
        raise ViewError("duplicate", f"made message {message.id} stands twice in the view")
    for source in message.sources:
        if history.place(source) is None:
            raise ViewError("sources", f"made message {message.id} names {source!r}, which is not in the history")


def _check_pinned(messages: Sequence[Message], history: History) -> None:
    system, task = history.pinned
    if not messages or messages[0].role != "system":
        raise ViewError("pinned", "the view does not start with a system message")
    first = messages[0]
    if first.id != system.id and not (
        first.content == system.content or first.content.startswith(system.content + SYSTEM_MARKER)
    ):
        raise ViewError(
            "pinned", "the system message does not start with the system text and the marker, word for word"
        )
    if not any(m.id == task.id for m in messages):
        raise ViewError("pinned", f"the task message {task.id} is not in the view")
    for message in messages[1:]:
        if message.role == "system":
            raise ViewError("role", f"message {message.id} is a second system message")
    if len(messages) > 1 and messages[1].role != "user":
        raise ViewError("role", f"the first message after the system text is {messages[1].role}, not user")


def _check_blocks(messages: Sequence[Message]) -> None:
    """Each call is answered exactly once, directly after its message; no answer stands alone."""
    waiting: list[str] = []
    for message in messages:
        if message.role == "tool":
            if message.answers not in waiting:
                raise ViewError(
                    "block", f"message {message.id} answers {message.answers!r}, which is no open call before it"
                )
            waiting.remove(message.answers)
            continue
        if waiting:
            raise ViewError("block", f"call {waiting[0]} is not answered before message {message.id}")
        if message.calls and message.role != "assistant":
            raise ViewError("role", f"message {message.id} has calls but role {message.role}")
        waiting = [call.id for call in message.calls]
        if len(set(waiting)) != len(waiting):
            raise ViewError("block", f"message {message.id} has two calls with one id")
    if waiting:
        raise ViewError("block", f"call {waiting[0]} is not answered at the end of the view")
