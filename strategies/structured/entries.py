"""Blocks of the history as structured eviction keeps them: what each was, and the text that a handle brings back."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from harness.contract import Message
from strategies.structured.nodes import Kind, Tier
from strategies.structured.words import overlap, words

_QUOTED = re.compile(r"^\[ref(\d+), step \d+\]$")  # the line above what a search found in an entry
SHORT = 24  # characters of an argument in a placeholder


@dataclass(frozen=True, slots=True)
class Entry:
    """A block, numbered in the order of the run, over all of its sessions; `handle` names it. ref 0: pinned text.

    node: the graph's number of its first message. ids, start: its messages, and where they stand, in the history of its
    session. part: number of the subtask. tool, arguments: what was called. names: all that occur. owners: those of the
    values that it gives, the most frequent first. own: nothing but calls of the strategy's tools. copies: refs that it
    fetched.
    """

    ref: int
    kind: Kind
    tier: Tier
    session: int
    start: int
    ids: tuple[str, ...]
    node: int
    turn: int
    step: int
    part: int
    tokens: int
    tool: str
    arguments: str
    lines: int
    names: tuple[str, ...]
    owners: tuple[str, ...]
    text: str
    core: bool = False
    own: bool = False
    copies: tuple[int, ...] = ()

    @property
    def handle(self) -> str:
        return f"ref{self.ref}"

    @property
    def nodes(self) -> range:
        return range(self.node, self.node + len(self.ids))

    @property
    def like(self) -> str:
        """What it is like, as far as fetching it back tells something of others: its kind and its tool."""
        return f"{self.kind}/{self.tool}" if self.tool else self.kind

    def dump(self) -> dict[str, Any]:
        return asdict(self)

    @staticmethod
    def load(state: dict[str, Any]) -> Entry:
        return Entry(**{**state, **{name: tuple(state[name]) for name in ("ids", "names", "owners", "copies")}})


def written(messages: Sequence[Message]) -> str:
    """A block as one text: the calls as they were made, what was answered word for word."""
    told: list[str] = []
    for message in messages:
        told += [message.content] if message.content.strip() else []
        told += [f"{call.name} {json.dumps(dict(call.arguments), ensure_ascii=False)}" for call in message.calls]
    return "\n".join(told)


def arguments(message: Message) -> str:
    """The arguments of its calls, long ones cut."""
    values = (str(value) for call in message.calls for value in call.arguments.values())
    return ", ".join(" ".join(v.split()) if len(v) <= SHORT else " ".join(v[:SHORT].split()) + "…" for v in values)


def quoting(answer: str, query: str) -> Iterator[int]:
    """Refs of the entries of which the answer of a search quotes a line with every word of the query."""
    ref = None
    for text in answer.splitlines():
        if (match := _QUOTED.match(text)) is not None:
            ref = int(match[1])
        elif ref is not None and query.strip() and overlap(query, text) == len(words(query)):
            yield ref
