"""What stands in the view, in order: entries as they are, and lines for those that were evicted."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace

from harness.contract import Message
from strategies.structured.entries import Entry


@dataclass(frozen=True, slots=True)
class Item:
    """One entry as it is (`raw`), or a run of evicted ones with the line for them, if it has one."""

    entries: tuple[Entry, ...]
    messages: tuple[Message, ...]
    raw: bool
    tokens: int

    @property
    def entry(self) -> Entry:
        return self.entries[0]

    @property
    def start(self) -> int:
        return self.entries[0].start


class Page:
    """write: the message for a run of evicted entries. size: tokens of a message."""

    def __init__(self, write: Callable[[Sequence[Entry]], Message | None], size: Callable[[Message], int]) -> None:
        self.items: list[Item] = []
        self.tokens = 0
        self._write = write
        self._size = size

    def add(self, entry: Entry, messages: Sequence[Message]) -> None:
        """In its place: only a former task message does not come last."""
        place = bisect_left(self.items, entry.start, key=lambda item: item.start)
        self.items.insert(place, Item((entry,), tuple(messages), True, entry.tokens))
        self.tokens += entry.tokens

    def append(self, entry: Entry, messages: Sequence[Message]) -> None:
        """At the end."""
        self._put(len(self.items), len(self.items), [Item((entry,), tuple(messages), True, entry.tokens)])

    def append_line(self, entries: Sequence[Entry], shown: bool) -> None:
        item = self.line(entries)
        self._put(len(self.items), len(self.items), [item if shown else replace(item, messages=(), tokens=0)])

    @property
    def raw(self) -> list[Item]:
        return [item for item in self.items if item.raw]

    @property
    def lines(self) -> int:
        """Tokens of the lines."""
        return sum(item.tokens for item in self.items if not item.raw)

    def evict(self, entry: Entry) -> None:
        """Put a line in its place. What the strategy's own tools said leaves none: its original has one."""
        place = self._place(entry)
        self._put(place, place + 1, [] if entry.own else [self.line((entry,))])

    def line(self, entries: Sequence[Entry]) -> Item:
        message = self._write(entries)
        messages = () if message is None else (message,)
        return Item(tuple(entries), messages, False, sum(map(self._size, messages)))

    def merge(self, target: int) -> bool:
        """Merge lines that stand side by side into ranges, until all have at most `target` tokens, or merging saves
        nothing: always the two that stand for the fewest entries, of equal ones the oldest. Returns whether any were.
        """
        merged, apart = False, set[tuple[int, int]]()
        while self.lines > target and (place := self._mergeable(apart)) is not None:
            one, two = self.items[place : place + 2]
            item = self.line((*one.entries, *two.entries))
            if item.messages and item.tokens < one.tokens + two.tokens:
                self._put(place, place + 2, [item])
                merged = True
            else:
                apart.add((one.entry.ref, two.entry.ref))
        return merged

    def _mergeable(self, apart: Collection[tuple[int, int]]) -> int | None:
        pairs = zip(self.items, self.items[1:], strict=False)
        found = (
            (len(one.entries) + len(two.entries), place)
            for place, (one, two) in enumerate(pairs)
            if not (one.raw or two.raw) and (one.entry.ref, two.entry.ref) not in apart
        )
        return min(found, default=(0, None))[1]

    def hide(self, item: Item) -> None:
        """Take the words of a line away."""
        place = self.items.index(item)
        self._put(place, place + 1, [replace(item, messages=(), tokens=0)])

    def _place(self, entry: Entry) -> int:
        place = bisect_left(self.items, entry.start, key=lambda item: item.start)
        return next(n for n in range(place, len(self.items)) if self.items[n].entry.ref == entry.ref)

    def _put(self, start: int, stop: int, items: Sequence[Item]) -> None:
        self.tokens += sum(i.tokens for i in items) - sum(i.tokens for i in self.items[start:stop])
        self.items[start:stop] = items
