"""The Knowledge block: what closed focuses left, and how it is made smaller where it would fill the budget."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from strategies.focus_tools import Closing, said


@dataclass(frozen=True, slots=True)
class Entry:
    """What one focus left. sources: ids of the messages that opened and closed it. cut: times it was made smaller."""

    number: int
    description: str
    goal: str
    attempted: str
    learnings: str
    outcome: str
    sources: tuple[str, ...]
    cut: int = 0

    @property
    def text(self) -> str:
        lines = [f"[{self.number}] {self.description} ({self.outcome})"]
        if self.goal:
            lines.append(f"goal: {self.goal}")
        if self.attempted:
            lines.append(f"attempted: {self.attempted}")
        older = " (older ones left out)" if self.cut > 1 else ""
        return "\n".join([*lines, f"learned{older}:", self.learnings])

    def smaller(self) -> Entry | None:
        """First without goal and attempts; then the newer half of its learnings, by lines; None when none is left."""
        if self.cut == 0:
            return replace(self, goal="", attempted="", cut=1)
        lines = self.learnings.splitlines()
        if len(lines) < 2:
            return None
        return replace(self, learnings="\n".join(lines[(len(lines) + 1) // 2 :]), cut=self.cut + 1)


def entry(number: int, closing: Closing, message: str) -> Entry:
    """message: id of the one that closed it."""
    begun, call = closing.begun, closing.call
    told = (said(begun.call, "description"), said(begun.call, "goal"), said(call, "attempted"), said(call, "learnings"))
    return Entry(number, *told, closing.outcome, tuple(dict.fromkeys((begun.message, message))))


class Knowledge:
    """Entries, oldest first. added: how many there ever were."""

    def __init__(self) -> None:
        self.entries: list[Entry] = []
        self.added = 0

    def add(self, closing: Closing, message: str) -> Entry:
        self.added += 1
        self.entries.append(entry(self.added, closing, message))
        return self.entries[-1]

    @property
    def text(self) -> str:
        """All entries below a title that says how many are missing; "" without entries."""
        if not self.entries:
            return ""
        missing = self.added - len(self.entries)
        title = f"Knowledge (the oldest {missing} of {self.added} left out)" if missing else "Knowledge"
        return "\n".join([f"{title}:", *(known.text for known in self.entries)])

    @property
    def sources(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(source for known in self.entries for source in known.sources))

    def shrink(self, fits: Callable[[], bool]) -> tuple[list[Entry], list[Entry]]:
        """Until it fits or nothing is left: all entries lose goal and attempts, oldest first; then the oldest lose
        their learnings. Returns the entries that were shortened and those that were dropped, as they were before.
        """
        shortened: dict[int, Entry] = {}
        dropped: list[Entry] = []
        while self.entries and not fits():
            place = next((n for n, known in enumerate(self.entries) if known.cut == 0), 0)
            old = self.entries[place]
            new = old.smaller()
            if new is None:
                dropped.append(shortened.pop(old.number, old))
                del self.entries[place]
            else:
                shortened.setdefault(old.number, old)
                self.entries[place] = new
        return list(shortened.values()), dropped
