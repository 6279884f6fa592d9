"""The kit of a strategy that lives in a process of its own."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any

from harness.codec import reply_from
from harness.contract import Entry, Message, Reply, Request
from harness.remote.channel import Channel, Frame
from harness.remote.frames import Items, error_from, request_to


class RemoteKit:
    """A `contract.Kit`, for use while the strategy is asked something.

    The other side's counter counts: this one only remembers what that one remembers too, so that both sides agree on
    every count and on how much text was encoded. `history`: the messages that both sides have.
    """

    def __init__(self, channel: Channel, items: Items, history: Sequence[Message], state: Sequence[Any]) -> None:
        version, inner, gauss = state
        self.rng = random.Random()
        self.rng.setstate((version, tuple(inner), gauss))
        self._channel = channel
        self._items = items
        self.history = history
        self._counts: dict[str, tuple[Message, int]] = {}
        self._events: list[list[Any]] = []

    def count(self, messages: Sequence[Message]) -> int:
        total = 0
        for message in messages:
            known = self._counts.get(message.id)
            if known is None or (known[0] is not message and known[0] != message):
                found = self._ask({"need": "count", "messages": self._items.write((message,), self.history)})
                known = self._counts[message.id] = message, found[0]
            total += known[1]
        return total

    def ask(self, request: Request) -> Reply:
        view = self._items.write(request.view, self.history)
        return reply_from(self._ask({"need": "ask", "request": request_to(request, view)}))

    def ask_all(self, requests: Sequence[Request]) -> Sequence[Reply]:
        rows = [request_to(r, self._items.write(r.view, self.history)) for r in requests]
        return [reply_from(row) for row in self._ask({"need": "all", "requests": rows})]

    def ask_later(self, request: Request, priority: float = 0.0) -> int:
        view = self._items.write(request.view, self.history)
        ticket: int = self._ask({"need": "later", "request": request_to(request, view), "priority": priority})
        return ticket

    def poll(self, ticket: int) -> Reply | None:
        found = self._ask({"need": "poll", "ticket": ticket})
        return None if found is None else reply_from(found)

    def queue(self) -> int:
        calls: int = self._ask({"need": "queue"})
        return calls

    def clock(self) -> float:
        seconds: float = self._ask({"need": "clock"})
        return seconds

    def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        vectors: list[list[float]] = self._ask({"need": "embed", "texts": list(texts)})
        return vectors

    @property
    def shared(self) -> RemoteShared:
        return RemoteShared(self._ask)

    def event(self, kind: str, trigger: str, sources: Sequence[str] = ()) -> None:
        self._events.append([kind, trigger, list(sources)])

    def drain(self) -> list[list[Any]]:
        """The events since the last call."""
        events, self._events = self._events, []
        return events

    def learn(self, message: Message, count: int) -> None:
        self._counts[message.id] = message, count

    def shown(self, view: Sequence[Any]) -> None:
        """The other side will count these: what was counted under an id that one of them has is void."""
        for message in view:
            known = self._counts.get(message.id) if isinstance(message, Message) else None
            if known is not None and known[0] is not message and known[0] != message:
                del self._counts[message.id]

    def _ask(self, frame: Frame) -> Any:
        self._channel.send(frame)
        answer = self._channel.receive()
        if "error" in answer:
            raise error_from(answer["error"])
        return answer["done"]


class RemoteShared:
    """A `contract.Shared` whose entries are on the other side."""

    def __init__(self, ask: Callable[[Frame], Any]) -> None:
        self._ask = ask

    def keys(self) -> tuple[str, ...]:
        return tuple(self._ask({"need": "shared", "do": "keys", "words": []}))

    def get(self, key: str) -> Entry | None:
        found = self._ask({"need": "shared", "do": "get", "words": [key]})
        return None if found is None else Entry(*found)

    def put(self, key: str, value: str, base: int) -> Entry:
        return Entry(*self._ask({"need": "shared", "do": "put", "words": [key, value, base]}))
