"""A strategy in another process, as the episode sees it."""

from __future__ import annotations

import weakref
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from harness.codec import call_to, message_to, reply_to
from harness.contract import Brief, Call, History, Kit, Message, Request, Shared, Strategy, Tool
from harness.remote.channel import Frame
from harness.remote.frames import Items, Log, Offers, brief_to, offers_from, request_from
from harness.remote.process import Process, start

OPTIONAL = ("tools", "answer", "calls_in", "find", "export", "unlimited")


class Link:
    """The talk with a strategy's process, which starts with the first word. `seconds`: its longest silence."""

    def __init__(self, config: Mapping[str, Any], seconds: float) -> None:
        self._config = config
        self._seconds = seconds
        self._process: Process | None = None
        self._kit: Kit | None = None
        self._history: Log = ()
        self._told = 0  # messages of the history that the process has
        self._last: Message | None = None
        self._items = Items()

    def make(self) -> Offers:
        """Start the process and build the strategy. Raises what its constructor raises."""
        self._process = start(self._seconds)
        return offers_from(self._process.ask({"do": "make", "config": dict(self._config)}, self._serve)["done"])

    def reset(self, kit: Kit, brief: Brief, saved: bytes | None) -> Offers:
        self._kit = kit
        state = None if saved is None else b64encode(saved).decode()
        # The state of the generator, not its seed. Nothing is drawn from it on this side.
        return offers_from(self._ask("reset", brief=brief_to(brief), saved=state, rng=kit.rng.getstate()))

    def compose(self, history: History, budget: int) -> list[Message]:
        return self._read(self._ask("compose", budget=budget, **self._news(history)))

    def answer(self, call: Call) -> Message:
        message: Message = self._read([self._ask("answer", call=call_to(call))])[0]
        return message

    def calls_in(self, text: str) -> list[Call]:
        return [Call(*row) for row in self._ask("calls_in", text=text)]

    def find(self, key: str) -> list[Message]:
        return self._read(self._ask("find", key=key))

    def export(self) -> bytes:
        return b64decode(self._ask("export"))

    def close(self) -> None:
        if self._process is not None:
            self._process.close()

    def _ask(self, what: str, **words: Any) -> Any:
        if self._process is None:
            self.make()
        assert self._process is not None
        answer = self._process.ask({"do": what, **words}, self._serve)
        for kind, trigger, sources in answer.get("events", ()):
            assert self._kit is not None
            self._kit.event(kind, trigger, sources)
        return answer["done"]

    def _news(self, history: History) -> Frame:
        """What the process does not know of the history yet, each message with its count; all of another history."""
        told = self._told
        same = history is self._history and told <= len(history) and (not told or history[told - 1] is self._last)
        fresh = history[told if same else 0 :]
        self._history, self._told, self._last = history, len(history), history[-1]
        assert self._kit is not None
        return {
            "anew": not same,
            "new": [message_to(message) for message in fresh],
            "counts": [self._kit.count((message,)) for message in fresh],
            "pinned": self._items.write(history.pinned, history),
        }

    def _serve(self, frame: Frame) -> Any:
        """What a strategy may need of its kit: everything but its generator, which it has."""
        kit = self._kit
        assert kit is not None
        match frame["need"]:
            case "count":
                return [kit.count((message,)) for message in self._read(frame["messages"])]
            case "embed":
                return [list(map(float, vector)) for vector in kit.embed(frame["texts"])]
            case "shared":
                return _shared(kit.shared, frame["do"], frame["words"])
            case "queue":
                return kit.queue()
            case "clock":
                return kit.clock()
            case "poll":
                reply = kit.poll(frame["ticket"])
                return None if reply is None else reply_to(reply)
            case "later":
                return kit.ask_later(self._request(frame["request"]), frame["priority"])
            case "all":
                return [reply_to(reply) for reply in kit.ask_all([self._request(row) for row in frame["requests"]])]
            case _:
                return reply_to(kit.ask(self._request(frame["request"])))

    def _request(self, row: Sequence[Any]) -> Request:
        return request_from(row, self._read(row[0]))

    def _read(self, items: Sequence[Any]) -> list[Any]:
        return self._items.read(items, self._history)


def _shared(shared: Shared, do: str, words: Sequence[Any]) -> Any:
    if do == "keys":
        return list(shared.keys())
    entry = shared.get(*words) if do == "get" else shared.put(*words)
    return None if entry is None else [entry.value, entry.version, entry.author, entry.conflict]


class RemoteStrategy:
    """A `contract.Strategy`; also `MemoryTools`, `Persistent`, `Unlimited` when the one in the process is."""

    # These exist only when they are offered, so that the protocols are found as on the strategy itself. They are the
    # link's own methods: with methods of this object it would refer to itself, and outlive the episode.
    tools: tuple[Tool, ...]
    unlimited: bool
    answer: Callable[[Call], Message]
    calls_in: Callable[[str], Sequence[Call]]
    find: Callable[[str], Sequence[Message]]
    export: Callable[[], bytes]

    def __init__(self, link: Link, offers: Offers) -> None:
        self._link = link
        self._offer(offers)

    def reset(self, kit: Kit, brief: Brief, saved: bytes | None = None) -> None:
        self._offer(self._link.reset(kit, brief, saved))

    def compose(self, history: History, budget: int) -> Sequence[Message]:
        return self._link.compose(history, budget)

    def close(self) -> None:
        """End the process. What is not closed ends with this object."""
        self._link.close()

    def _offer(self, offers: Offers) -> None:
        for name in OPTIONAL:
            self.__dict__.pop(name, None)
        link = self._link
        if offers.tools is not None:
            self.tools, self.answer, self.calls_in, self.find = offers.tools, link.answer, link.calls_in, link.find
        if offers.persistent:
            self.export = link.export
        if offers.unlimited is not None:
            self.unlimited = offers.unlimited


def remote(config: Mapping[str, Any], seconds: float) -> Callable[[], RemoteStrategy]:
    """What makes strategies of this config, each in a process of its own. Raises what the constructor raises."""
    first = Link(config, seconds)
    try:
        offers = first.make()
    finally:
        first.close()
    return lambda: RemoteStrategy(Link(config, seconds), offers)


@contextmanager
def ending(make: Callable[[], Strategy]) -> Iterator[Callable[[], Strategy]]:
    """`make`, with the processes of all that it makes ended on leaving, however the episode ended."""
    made: weakref.WeakSet[RemoteStrategy] = weakref.WeakSet()

    def noted() -> Strategy:
        strategy = make()
        if isinstance(strategy, RemoteStrategy):
            made.add(strategy)
        return strategy

    try:
        yield noted
    finally:
        for strategy in list(made):
            strategy.close()
