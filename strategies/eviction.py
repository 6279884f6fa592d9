"""Runs an eviction rule over the turns of a history, each message read once.

The state is a function of the history, its pinned text and the budget: the rule is applied at each turn's end in order,
whether the turns come one by one or all at once, so a fresh instance reaches the same view as one that saw every turn.
A turn costs what is new plus the view, however long the history is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from harness.contract import History, Kit, Message
from strategies.blocks import by_turn, split
from strategies.kept import Kept, Note, Room
from strategies.overflow import Overflow, last_resort

# Drops or rewrites blocks, so that as far as the rule can do it room.limit holds; called once a turn.
Rule = Callable[[Kept, Room], None]


class Eviction:
    """`rule` is applied at each turn's end; `begin` is called when the history is read anew from its start.

    Anew means: another history, another task message (a chain of instances) or another budget. Then events tell only of
    messages that were not reported before.
    """

    def __init__(
        self, kit: Kit, rule: Rule, low_water: float, overflow: Overflow, begin: Callable[[], None] = lambda: None
    ) -> None:
        self._kit = kit
        self._rule = rule
        self._low_water = low_water
        self._overflow = overflow
        self._begin = begin
        self._reported: set[str] = set()
        self._budget: int | None = None
        self._pinned: tuple[Message, ...] = ()
        self._last: Message | None = None
        self._read = 0
        self._task_at = 0
        self.room = Room(0, 0)
        self.kept = Kept()

    def view(self, history: History, budget: int, made: Sequence[Message] = ()) -> list[Message]:
        """Pinned text and kept blocks in the order of the history, `made` directly after the task message."""
        self.settle(history, budget)
        system, task = self._pinned
        before = [m for b in self.kept.blocks if b.start < self._task_at for m in b.messages]
        after = [m for b in self.kept.blocks if b.start > self._task_at for m in b.messages]
        return [system, *before, task, *made, *after]

    def settle(self, history: History, budget: int) -> None:
        """Read the turns that are new and apply the rule after each."""
        if self._moved(history, budget):
            self._restart(history, budget)
        fresh = history[self._read :]
        for turn in by_turn(fresh):
            self._take(turn)
        if fresh:
            self._last = fresh[-1]

    def _moved(self, history: History, budget: int) -> bool:
        if budget != self._budget or history.pinned != self._pinned or len(history) < self._read:
            return True
        if self._read and history[self._read - 1] != self._last:
            return True
        # The last compose was not followed by a reply: no turn ended there, so it must leave no trace.
        return 0 < self._read < len(history) and history[self._read].role != "assistant"

    def _restart(self, history: History, budget: int) -> None:
        self._budget, self._pinned, self._last, self._read = budget, history.pinned, None, 0
        self._task_at = len(history)  # until it is read: what comes before stands before it
        pinned = self._kit.count(self._pinned)
        self.room = Room(budget - pinned, int(self._low_water * budget) - pinned)
        self.kept = Kept()
        self._begin()

    def _take(self, turn: Sequence[Message]) -> None:
        kept, room, last_resorts = self.kept, self.room, self._overflow == "window"
        pinned = {message.id for message in self._pinned}
        self._task_at = next((n for n, m in enumerate(turn, self._read) if m.id == self._pinned[1].id), self._task_at)
        if turn[0].role == "assistant":
            kept.turn += 1
        for block in split(turn, kept.turn, self._read, self._kit.count, pinned):
            if last_resorts and block.tokens > room.limit:
                kept.refuse(block, "oversize")
            else:
                kept.add(block)
        self._read += len(turn)
        self._rule(kept, room)
        kept.take_gone()  # what the rule did not want
        if last_resorts and kept.tokens > room.limit:
            kept.retain(last_resort(kept.blocks, room.limit, room.target), "budget", "overflow")
        self._start_with_user()
        for note in kept.take_notes():
            self._report(note)

    def _start_with_user(self) -> None:
        """In a chain blocks may stand before the task message; the first of them must be a user message."""
        blocks = self.kept.blocks
        first = next((n for n, b in enumerate(blocks) if b.user or b.start > self._task_at), len(blocks))
        if first:
            self.kept.retain(blocks[first:], "role")

    def _report(self, note: Note) -> None:
        ids = [name for name in note.ids if name not in self._reported]
        if ids:
            self._reported.update(ids)
            self._kit.event(note.kind, note.trigger, ids)
