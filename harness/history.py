"""The append-only log of one agent's episode."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import overload

from harness.contract import Brief, Message


def index_of(identifier: str) -> int | None:
    """Position of a history message from its id ("m12" -> 12); None for the id of a made message."""
    if identifier.startswith("m") and identifier[1:].isdecimal():
        return int(identifier[1:])
    return None


class History(Sequence[Message]):
    """Read-only to everyone but the episode, which alone calls `begin` and `append`.

    Messages get the ids m0, m1, … in order. `pinned` is the system message and the task message of the current brief.
    """

    def __init__(self) -> None:
        self._messages: list[Message] = []
        self._places: dict[str, int] = {}
        self._tasks = [1]  # positions of the task messages; the last is the current one

    def begin(self, brief: Brief) -> tuple[Message, ...]:
        """Start with the brief's system and task messages; later, add the task of the next instance in a chain."""
        if not self._messages:
            system = self.append(Message("", "system", brief.system))
            return system, self.append(Message("", "user", brief.task))
        if brief.system != self._messages[0].content:
            raise ValueError("a chain of instances in one history must keep its system text")
        self._tasks.append(len(self._messages))
        return (self.append(Message("", "user", brief.task)),)

    def append(self, message: Message) -> Message:
        named = replace(message, id=f"m{len(self._messages)}")
        self._places[named.id] = len(self._messages)
        self._messages.append(named)
        return named

    def prefix(self, length: int) -> History:
        """A history of the first messages alone, as an agent saw it then."""
        part = History()
        part._messages = self._messages[:length]
        part._places = {message.id: place for place, message in enumerate(part._messages)}
        part._tasks = [position for position in self._tasks if position < length]
        return part

    @property
    def pinned(self) -> tuple[Message, Message]:
        return self._messages[0], self._messages[self._tasks[-1]]

    def __len__(self) -> int:
        return len(self._messages)

    @overload
    def __getitem__(self, index: int, /) -> Message: ...
    @overload
    def __getitem__(self, index: slice, /) -> Sequence[Message]: ...
    def __getitem__(self, index: int | slice, /) -> Message | Sequence[Message]:
        return self._messages[index]

    def __iter__(self) -> Iterator[Message]:
        return iter(self._messages)

    def place(self, identifier: str) -> int | None:
        """Position of the message with this id; None when it is not one of this history."""
        return self._places.get(identifier)
