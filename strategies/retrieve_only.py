"""Nothing old stays in view; what is like the newest text comes back from a vector index."""

from __future__ import annotations

import hashlib
import heapq
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from harness.contract import Brief, Call, History, Kit, Message, Tool
from strategies import settings
from strategies.blocks import Block
from strategies.eviction import Eviction
from strategies.kept import Kept, Room
from strategies.overflow import Overflow

SEARCH = "search_memory"
HEAD = "From earlier, what is nearest to the newest text:"


@dataclass(frozen=True, slots=True)
class Chunk:
    """Some lines of a message, with their vector (of unit length)."""

    text: str
    source: str
    vector: npt.NDArray[np.float64]


class RetrieveOnly:
    """Keeps the newest turns; all before them is cut into chunks, embedded, and retrieved by likeness.

    newest: turns kept whole, those that only searched not counted. when: every_turn = the best chunks for the newest text stand in every view; on_call = the
    model asks by a tool. top: most chunks; share: part of the room that they may take. lines: of a chunk. overflow: as
    in `window`.

    Source: retrieval in place of a context, the control of retrieval-augmented memories; sizes are ours.
    """

    _eviction: Eviction
    _kit: Kit

    def __init__(
        self,
        newest: int = 1,
        when: Literal["every_turn", "on_call"] = "every_turn",
        top: int = 12,
        share: float = 0.8,
        lines: int = 4,
        low_water: float = 1.0,
        overflow: Overflow = "window",
    ) -> None:
        self.newest = newest
        self.when = when
        self.top = top
        self.share = share
        self.lines = lines
        self.low_water = low_water
        self.overflow = overflow

    @property
    def tools(self) -> tuple[Tool, ...]:
        if self.when == "every_turn":
            return ()
        schema = {"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]}
        return (Tool(SEARCH, "Find what was said or done earlier, by words.", schema, "retrieve"),)

    def reset(self, kit: Kit, brief: Brief, saved: bytes | None = None) -> None:
        """Raises ValueError for settings out of range."""
        settings.at_least("newest", self.newest, 1)
        settings.at_least("top", self.top, 1)
        settings.at_least("lines", self.lines, 1)
        settings.share("share", self.share)
        settings.one_of("when", self.when, ("every_turn", "on_call"))
        settings.eviction(self.low_water, self.overflow)
        self._kit = kit
        self._most = 0
        self._chunks: list[Chunk] = []
        self._shown: tuple[str, ...] = ()
        self._eviction = Eviction(kit, self._evict, self.low_water, self.overflow, self._begin)

    def compose(self, history: History, budget: int) -> Sequence[Message]:
        self._eviction.settle(history, budget)
        kept, room = self._eviction.kept, self._eviction.room
        self._store(kept.take_gone())  # what left after the rule was applied
        view = self._eviction.view(history, budget)
        self._most = int(self.share * max(0, room.limit - kept.tokens))
        if self.when == "on_call" or not kept.blocks:
            return view
        made = self._found(self._nearest(kept.blocks[-1].messages[-1].content), self._most)
        ids = tuple(message.id for message in made)
        if ids != self._shown:
            self._kit.event("retrieve", "every_turn", made[0].sources if made else ())
            self._shown = ids
        return [*view, *made]

    def answer(self, call: Call) -> Message:
        found = self._found(self._nearest(str(call.arguments.get("query", ""))), self._most)
        return found[0] if found else Message("", "tool", "nothing is stored that is like it")

    def calls_in(self, text: str) -> Sequence[Call]:
        return ()

    def find(self, key: str) -> Sequence[Message]:
        parts = key.split("/")
        return [Message("", "tool", c.text) for c in self._chunks if all(part in c.text for part in parts)]

    def _begin(self) -> None:
        self._chunks, self._shown = [], ()

    def _evict(self, kept: Kept, room: Room) -> None:
        first = self._first(kept)
        kept.retain([block for block in kept.blocks if block.turn >= first], "turns")
        self._store(kept.take_gone())

    def _first(self, kept: Kept) -> int:
        """The first turn that stays. One that only searched counts for nothing: it must not push out what it is for."""
        left = self.newest
        for block in reversed(kept.blocks):
            calls = block.messages[0].calls
            if block.turn and not block.user and not (calls and all(call.name == SEARCH for call in calls)):
                left -= 1
            if left == 0:
                return block.turn
        return 0

    def _store(self, blocks: Iterable[Block]) -> None:
        """What the strategy itself once gave back is not stored again."""
        new = [
            (text, message.id)
            for block in blocks
            for message in block.messages
            if message.author is None and not message.sources
            for text in self._cut(message.content)
        ]
        if new:
            vectors = self._kit.embed([text for text, _ in new])
            self._chunks += [Chunk(text, s, np.asarray(v)) for (text, s), v in zip(new, vectors, strict=True)]

    def _cut(self, text: str) -> Iterator[str]:
        lines = [line for line in text.splitlines() if line.strip()]
        for start in range(0, len(lines), self.lines):
            yield "\n".join(lines[start : start + self.lines])

    def _nearest(self, query: str) -> list[Chunk]:
        """The best chunks, the best first; of equal texts the newest."""
        if not self._chunks or not query.strip():
            return []
        (wanted,) = self._kit.embed([query])
        likeness = np.asarray([chunk.vector for chunk in self._chunks]) @ np.asarray(wanted)
        best = heapq.nlargest(2 * self.top, zip(likeness.tolist(), range(len(self._chunks)), strict=True))
        texts = {self._chunks[n].text: self._chunks[n] for _, n in reversed(best)}
        return list(reversed(texts.values()))[: self.top]

    def _found(self, chunks: Sequence[Chunk], room: int) -> tuple[Message, ...]:
        """As one message of at most `room` tokens, in the order of the history."""
        order = {id(chunk): n for n, chunk in enumerate(self._chunks)}
        for number in range(len(chunks), 0, -1):
            chosen = sorted(chunks[:number], key=lambda chunk: order[id(chunk)])
            text = "\n".join((HEAD, *(chunk.text for chunk in chosen)))
            sources = tuple(dict.fromkeys(chunk.source for chunk in chosen))
            name = hashlib.sha256("\n".join((text, *sources)).encode("utf-8", "surrogatepass")).hexdigest()[:16]
            message = Message(f"retrieved:{name}", "user", text, sources=sources)
            if self._kit.count((message,)) <= room:
                return (message,)
        return ()
