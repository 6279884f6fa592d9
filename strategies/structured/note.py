"""The strategy's own words below the system text: what the lines mean, and what earlier sessions left."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby

from harness.contract import Message
from strategies.focus_texts import MARKER
from strategies.made import digest
from strategies.structured.entries import Entry
from strategies.structured.placeholders import Style, explained, range_line

MOST = 0.25  # of the room beside the pinned text; a note that is longer is left out (ours)


class Note:
    """earlier: the entries of earlier sessions, one line a subtask, or one for all where that is too long."""

    def __init__(
        self, count: Callable[[Sequence[Message]], int], fetch: bool, search: bool, style: Style, owners: int
    ) -> None:
        self.earlier: list[Entry] = []
        self._count = count
        self._words = explained(fetch, search)
        self._style: Style = style
        self._most = owners
        self._known: tuple[Message, int] | None = None
        self._made: Message | None = None

    def put(self, pinned: tuple[Message, Message], budget: int) -> Message:
        """The system message with the longest note that fits; the same as long as text and budget are."""
        system, _ = pinned
        if self._made is None or self._known != (system, budget):
            self._known, self._made = (system, budget), self._longest(pinned, budget)
        return self._made

    def _longest(self, pinned: tuple[Message, Message], budget: int) -> Message:
        system, task = pinned
        bare = self._count((system, task))
        for text in self._texts():
            content = f"{system.content}{MARKER}{text}"
            made = Message(f"structured:{digest(content, ())}", "system", content)
            if self._count((made, task)) - bare <= MOST * (budget - bare):
                return made
        return system

    def _texts(self) -> Iterator[str]:
        if self.earlier:
            head = f"{self._words}\nFrom earlier sessions:"
            parts = [list(own) for _, own in groupby(self.earlier, key=lambda entry: entry.part)]
            yield "\n".join((head, *(range_line(own, self._style, self._most) for own in parts)))
            yield f"{head}\n{range_line(self.earlier, self._style, self._most)}"
        yield self._words
