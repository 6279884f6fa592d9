"""Blocks: what a view keeps or drops as one.

An assistant message with the answers to its calls is one block; each other message is a block of its own. A turn is
an assistant message with all that follows it up to the next one: just before that, the strategy composes.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from harness.contract import Message

Count = Callable[[Sequence[Message]], int]


@dataclass(frozen=True, slots=True)
class Block:
    """`tokens`: of its messages. `turn`: 0 before the first assistant message, then 1, 2, … `start`: place of its first
    message in the history. `settled`: a rule has rewritten it, or has looked at it and left it as it is.
    """

    messages: tuple[Message, ...]
    tokens: int
    turn: int
    start: int
    settled: bool = False

    @property
    def user(self) -> bool:
        return self.messages[0].role == "user"

    @property
    def ids(self) -> tuple[str, ...]:
        """Ids of the history messages in it, also where a made message stands for one."""
        return tuple(name for message in self.messages for name in message.sources or (message.id,))


def by_turn(messages: Iterable[Message]) -> Iterator[list[Message]]:
    """Cut messages before each assistant message: one list for each compose that saw them for the first time."""
    turn: list[Message] = []
    for message in messages:
        if message.role == "assistant" and turn:
            yield turn
            turn = []
        turn.append(message)
    if turn:
        yield turn


def split(turn: Sequence[Message], number: int, start: int, count: Count, pinned: Collection[str] = ()) -> list[Block]:
    """The blocks of one turn, whose first message stands at `start` in the history.

    System messages and those with a `pinned` id belong to no block.

    Raises ValueError for an answer that does not stand directly after the message of its call.
    """
    groups: list[tuple[int, list[Message]]] = []
    for place, message in enumerate(turn, start):
        if message.role == "system" or message.id in pinned:
            continue
        if message.role != "tool":
            groups.append((place, [message]))
        elif groups and groups[-1][1][0].role == "assistant":
            groups[-1][1].append(message)
        else:
            raise ValueError(
                f"message {message.id} answers {message.answers!r}, but stands after no assistant message: "
                "answers belong directly after the message with their call"
            )
    return [Block(tuple(own), count(own), number, place) for place, own in groups]


def size(blocks: Iterable[Block]) -> int:
    return sum(block.tokens for block in blocks)


def oldest_first(blocks: Sequence[Block], tokens: int) -> Sequence[Block]:
    """The longest run of blocks from the oldest on that has at most `tokens`."""
    for place, block in enumerate(blocks):
        tokens -= block.tokens
        if tokens < 0:
            return blocks[:place]
    return blocks


def newest_first(blocks: Sequence[Block], tokens: int) -> Sequence[Block]:
    """The longest run of blocks from the newest back that has at most `tokens`."""
    for place in range(len(blocks) - 1, -1, -1):
        tokens -= blocks[place].tokens
        if tokens < 0:
            return blocks[place + 1 :]
    return blocks
