"""A vector index over the texts of messages: cut into chunks, embedded, found again by likeness."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from harness.contract import Kit, Message
from strategies.made import user_message


@dataclass(frozen=True, slots=True)
class Chunk:
    """Some lines of a message, with their vector (of unit length). place: of the message, and of the lines in it."""

    text: str
    source: str
    place: tuple[int, int]
    vector: npt.NDArray[np.float64]


class Index:
    """lines: of a chunk. Grows with `add`; nothing leaves it. What it finds does not depend on the order of adding."""

    def __init__(self, kit: Kit, lines: int) -> None:
        self.chunks: list[Chunk] = []
        self._kit = kit
        self._lines = lines

    def add(self, messages: Iterable[tuple[int, Message]]) -> None:
        """messages: with their places in the history. What the strategy itself once gave back is not stored again."""
        own = ((place, message) for place, message in messages if message.author is None and not message.sources)
        new = [
            (text, message.id, (place, part))
            for place, message in own
            for part, text in enumerate(self._cut(message.content))
        ]
        if new:
            vectors = self._kit.embed([text for text, _, _ in new])
            self.chunks += [Chunk(*known, np.asarray(v)) for known, v in zip(new, vectors, strict=True)]

    def nearest(self, query: str, top: int) -> list[Chunk]:
        """The best chunks, the best first; of equal texts the newest."""
        if not self.chunks or not query.strip():
            return []
        (wanted,) = self._kit.embed([query])
        likeness = np.asarray([chunk.vector for chunk in self.chunks]) @ np.asarray(wanted)
        # Rounded: the last digits of a vector depend on what it was embedded together with.
        scored = zip(likeness.round(5).tolist(), self.chunks, strict=True)
        best = heapq.nlargest(2 * top, scored, key=lambda one: (one[0], one[1].place))
        texts: dict[str, Chunk] = {}
        for _, chunk in best:
            texts.setdefault(chunk.text, chunk)
        return list(texts.values())[:top]

    def told(self, chunks: Sequence[Chunk], room: int, head: str) -> tuple[Message, ...]:
        """As one user message of at most `room` tokens, in the order of the history; fewer where they are long."""
        for number in range(len(chunks), 0, -1):
            chosen = sorted(chunks[:number], key=lambda chunk: chunk.place)
            text = "\n".join((head, *(chunk.text for chunk in chosen)))
            sources = tuple(dict.fromkeys(chunk.source for chunk in chosen))
            message = user_message("retrieved", text, sources)
            if self._kit.count((message,)) <= room:
                return (message,)
        return ()

    def holding(self, key: str) -> list[Message]:
        """Chunks that hold all parts of a key, to measure what is stored."""
        parts = key.split("/")
        return [Message("", "tool", c.text) for c in self.chunks if all(part in c.text for part in parts)]

    def _cut(self, text: str) -> Iterator[str]:
        lines = [line for line in text.splitlines() if line.strip()]
        for start in range(0, len(lines), self._lines):
            yield "\n".join(lines[start : start + self._lines])
