"""The process in which a strategy lives: `python -m harness.remote.worker`, started by harness/remote/process.py.

It is told everything over the socket that it finds as its standard input, one request at a time.
"""

from __future__ import annotations

import os
import select
import signal
import socket
import threading
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from importlib import import_module
from operator import attrgetter
from typing import Any, overload

from harness.codec import call_to, message_from
from harness.contract import Brief, Call, MemoryTools, Message, Persistent, Strategy, Unlimited
from harness.remote.channel import Channel, Closed, Frame
from harness.remote.frames import Items, Offers, brief_from, error_to, offers_to
from harness.remote.kit import RemoteKit
from harness.sources import module_of
from harness.text import clean_message


class Copy(Sequence[Message]):
    """The history as far as it was told."""

    def __init__(self) -> None:
        self.messages: list[Message] = []
        self.pinned: tuple[Message, Message]

    def __len__(self) -> int:
        return len(self.messages)

    @overload
    def __getitem__(self, index: int, /) -> Message: ...
    @overload
    def __getitem__(self, index: slice, /) -> Sequence[Message]: ...
    def __getitem__(self, index: int | slice, /) -> Message | Sequence[Message]:
        return self.messages[index]

    def __iter__(self) -> Iterator[Message]:
        return iter(self.messages)


class Worker:
    """Does what it is told, until the other side is gone."""

    def __init__(self, channel: Channel) -> None:
        self._channel = channel
        self._items = Items()
        self._history = Copy()
        self._strategy: Any = None
        self._kit: RemoteKit | None = None

    def serve(self) -> None:
        while True:
            frame = self._channel.receive()
            do: Callable[[Frame], Any] = getattr(self, f"_{frame['do']}")
            try:
                answer: Frame = {"done": do(frame)}
                if self._kit is not None and (events := self._kit.drain()):
                    answer["events"] = events
                self._channel.send(answer)
            except Closed:
                raise
            except Exception as error:  # the strategy's, or what it gave cannot be sent
                self._channel.send({"error": error_to(error)})

    def _make(self, frame: Frame) -> list[Any]:
        self._strategy = _built(frame["config"])
        return offers_to(_offers(self._strategy))

    def _reset(self, frame: Frame) -> list[Any]:
        brief: Brief = brief_from(frame["brief"])
        saved = None if frame["saved"] is None else b64decode(frame["saved"])
        self._kit = RemoteKit(self._channel, self._items, self._history, frame["rng"])
        self._strategy.reset(self._kit, brief, saved)
        return offers_to(_offers(self._strategy))

    def _compose(self, frame: Frame) -> list[Any]:
        assert self._kit is not None
        if frame["anew"]:
            self._history = self._kit.history = Copy()
        for row, count in zip(frame["new"], frame["counts"], strict=True):
            message = message_from(row)
            self._history.messages.append(message)
            self._kit.learn(message, count)
        system, task = self._items.read(frame["pinned"], self._history)
        self._history.pinned = system, task
        view = tuple(self._strategy.compose(self._history, frame["budget"]))
        self._kit.shown(view)
        return self._write(view)

    def _answer(self, frame: Frame) -> Any:
        return self._write([clean_message(self._strategy.answer(Call(*frame["call"])))])[0]

    def _calls_in(self, frame: Frame) -> list[Any]:
        return [call_to(call) for call in self._strategy.calls_in(frame["text"])]

    def _find(self, frame: Frame) -> list[Any]:
        return self._write(self._strategy.find(frame["key"]))

    def _export(self, frame: Frame) -> str:
        return b64encode(self._strategy.export()).decode()

    def _write(self, messages: Sequence[Any]) -> list[Any]:
        return self._items.write(messages, self._history)


def _built(config: Mapping[str, Any]) -> Any:
    """What Hydra makes of the settings. Plain ones do not need it: its import takes longer than all else."""
    settings = {name: value for name, value in config.items() if name != "_target_"}
    if all(_plain(name, value) for name, value in settings.items()):
        target: str = config["_target_"]
        module = module_of(target)
        return attrgetter(target.removeprefix(f"{module}."))(import_module(module))(**settings)
    from hydra.utils import instantiate

    try:
        return instantiate(config)
    except Exception as error:
        raise (error.__cause__ or error) from None


def _plain(name: str, value: Any) -> bool:
    """Whether Hydra would hand this on as it is."""
    if isinstance(value, str):
        return not name.startswith("_") and "${" not in value and value != "???"
    return not name.startswith("_") and (value is None or isinstance(value, (bool, int, float)))


def _offers(strategy: Strategy) -> Offers:
    return Offers(
        tuple(strategy.tools) if isinstance(strategy, MemoryTools) else None,
        isinstance(strategy, Persistent),
        bool(strategy.unlimited) if isinstance(strategy, Unlimited) else None,
    )


def main() -> None:
    channel = Channel(socket.socket(fileno=os.dup(0)))
    watch = threading.Thread(target=_end_with, args=(os.dup(0), os.getcwd()), daemon=True)
    watch.start()
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)  # for a strategy that reads its input
    os.close(nothing)
    try:
        Worker(channel).serve()
    except Closed:
        # The watch sees the same end, clears up and ends the whole group: leaving before it would leave things behind.
        watch.join(5)
        os._exit(0)


def _end_with(descriptor: int, folder: str) -> None:
    """The other side may be killed while the strategy is busy: then nobody waits for it, and it ends."""
    poller = select.poll()
    poller.register(descriptor, 0)  # nothing is read: only that the other end was closed
    poller.poll()
    with suppress(OSError):
        os.rmdir(folder)
    os.killpg(0, signal.SIGKILL)  # with all that the strategy started


if __name__ == "__main__":
    main()
