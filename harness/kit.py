"""What a strategy is lent for one episode.

Answers of its own model and its events are recorded; embeddings are computed anew.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable, Sequence
from typing import Protocol

from harness.contract import Event, Message, Reply, Request
from harness.shared import Entries, SharedStore
from harness.text import clean
from harness.tokens import Counter


class Embedder(Protocol):
    """Texts to vectors of one length."""

    name: str

    def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]: ...


def luck(name: str) -> random.Random:
    """A generator seeded with a digest: who works back from its state to the seed does not read the name there."""
    return random.Random(int.from_bytes(hashlib.sha256(name.encode()).digest(), "big"))


class EpisodeKit:
    """A `contract.Kit`. `ask` and `embedder` may be absent: using one then is an error that says how to set it.

    entries: what the agents of the episode share. agent: whose kit this is.
    """

    def __init__(
        self,
        counter: Counter,
        rng: random.Random,
        ask: Callable[[Request], Reply] | None = None,
        embedder: Embedder | None = None,
        entries: Entries | None = None,
        agent: str | None = None,
    ) -> None:
        self.rng = rng
        self.shared = SharedStore({} if entries is None else entries, agent)
        self._counter = counter
        self._ask = ask
        self._embedder = embedder
        self._events: list[Event] = []

    def count(self, messages: Sequence[Message]) -> int:
        return self._counter.messages(messages)

    def ask(self, request: Request) -> Reply:
        if self._ask is None:
            raise RuntimeError("the strategy asked a model of its own, but none is configured: set compactor=…")
        return self._ask(request)

    def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        if self._embedder is None:
            raise RuntimeError("the strategy asked for embeddings, but none are configured: set embedder=wordllama")
        return self._embedder.embed(texts)

    def event(self, kind: str, trigger: str, sources: Sequence[str] = ()) -> None:
        self._events.append(Event(clean(kind), {"trigger": clean(trigger), "sources": list(sources)}))

    def drain(self) -> tuple[Event, ...]:
        """The events since the last call, for the record."""
        events, self._events = tuple(self._events), []
        return events
