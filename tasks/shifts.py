"""Who acts when several agents take turns, and what waits for those who do not.

What the answer of a step states is for whoever acts next. An agent that takes over is told first what the others have
reported since it left, then what came in for it. With one agent nothing ever waits.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from harness.contract import Event
from tasks.board import Board
from tasks.strands import Strands

_NOTHING = frozenset({"", "unknown", "none", "n/a", "?"})


class Shifts:
    """agents: their names, by strand; () = one nameless agent does it all."""

    def __init__(self, agents: Sequence[str], strands: Strands) -> None:
        self.agents, self.strands = agents, strands
        self.board = Board()
        self.acting = self.of(1)
        self.briefed = {self.acting}
        self.left: dict[str | None, int] = {}  # the last step before each agent's absence
        self.waiting: dict[str | None, list[str]] = {}

    def of(self, step: int) -> str | None:
        """The agent whose step it is."""
        return self.agents[self.strands.of[step]] if self.agents else None

    def hears(self, step: int) -> bool:
        """Whether the acting agent is told what the answer of a step states."""
        return not self.agents or self.agents[self.strands.heard(step)] == self.acting

    def keep(self, step: int, texts: Sequence[str]) -> None:
        """Put what the answer of a step states by, for the agent that is to hear it."""
        self.waiting.setdefault(self.agents[self.strands.heard(step)], []).extend(filter(None, texts))

    def report(self, step: int, keys: Sequence[str], values: Sequence[str]) -> list[Event]:
        """Merge a report. What its agent did not know is left out, and so is a record of another length."""
        if len(keys) != len(values):
            return []
        record = {k: v.strip() for k, v in zip(keys, values, strict=True) if v.strip().lower() not in _NOTHING}
        return self.board.merge(str(self.acting), step, record) if record else []

    def change(self, step: int) -> tuple[bool, Mapping[str, str], list[str]]:
        """Let the agent of `step` take over: whether it is new, what others reported, and what waited for it."""
        self.left[self.acting] = step - 1
        self.acting = self.of(step)
        new = self.acting not in self.briefed
        self.briefed.add(self.acting)
        news = self.board.news(str(self.acting), self.left.get(self.acting, 0))
        return new, {entry.key: entry.value for entry in news}, self.waiting.pop(self.acting, [])
