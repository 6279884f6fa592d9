"""What a strategy is lent for one episode.

Answers of its own model and its events are recorded; embeddings are computed anew.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable, Sequence
from typing import Protocol

from harness.background import Background
from harness.contract import Event, Message, Reply, Request
from harness.shared import Entries, SharedStore
from harness.text import clean
from harness.tokens import Counter

_LACK = "none is configured: set compactor=extractive"


class Embedder(Protocol):
    """Texts to vectors of one length."""

    name: str

    def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]: ...


def luck(name: str) -> random.Random:
    """A generator seeded with a digest: who works back from its state to the seed does not read the name there."""
    return random.Random(int.from_bytes(hashlib.sha256(name.encode()).digest(), "big"))


class EpisodeKit:
    """A `contract.Kit`. `ask` and `embedder` may be absent: using one then is an error that says how to set it.

    entries: what the agents of the episode share. agent: whose kit this is. background: absent on a fork, where nothing
    arrives any more.
    """

    def __init__(
        self,
        counter: Counter,
        rng: random.Random,
        ask: Callable[[Request], Reply] | None = None,
        embedder: Embedder | None = None,
        entries: Entries | None = None,
        agent: str | None = None,
        background: Background | None = None,
        clock: Callable[[], float] = lambda: 0.0,
        ask_all: Callable[[Sequence[Request]], Sequence[Reply]] | None = None,
    ) -> None:
        self.rng = rng
        self.shared = SharedStore({} if entries is None else entries, agent)
        self._counter = counter
        self._ask = ask
        self._embedder = embedder
        self._background = background
        self._clock = clock
        self._ask_all = ask_all
        self._events: list[Event] = []
        self.embedded = 0  # texts

    def count(self, messages: Sequence[Message]) -> int:
        return self._counter.messages(messages)

    def ask(self, request: Request) -> Reply:
        if self._ask is None:
            raise RuntimeError(f"the strategy asked a model of its own, but {_LACK}")
        return self._ask(request)

    def ask_all(self, requests: Sequence[Request]) -> Sequence[Reply]:
        if self._ask_all is None:
            return [self.ask(request) for request in requests]
        return self._ask_all(requests)

    def ask_later(self, request: Request, priority: float = 0.0) -> int:
        if self._ask is None and self._background is None:
            raise RuntimeError(f"the strategy asked a model of its own, but {_LACK}")
        if self._background is None:
            raise RuntimeError("the strategy asked in the background, but no time passes: set clock=simulated")
        return self._background.submit(request, priority)

    def poll(self, ticket: int) -> Reply | None:
        return self._background.poll(ticket) if self._background is not None else None

    def queue(self) -> int:
        return self._background.waiting() if self._background is not None else 0

    def clock(self) -> float:
        return self._clock()

    def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        if self._embedder is None:
            raise RuntimeError("the strategy asked for embeddings, but none are configured: set embedder=wordllama")
        self.embedded += len(texts)
        return self._embedder.embed(texts)

    def event(self, kind: str, trigger: str, sources: Sequence[str] = ()) -> None:
        self._events.append(Event(clean(kind), {"trigger": clean(trigger), "sources": list(sources)}))

    def drain(self) -> tuple[Event, ...]:
        """The events since the last call, for the record."""
        events, self._events = tuple(self._events), []
        return events
