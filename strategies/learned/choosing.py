"""When to summarise and which turns: the scorer says what a turn is worth, the policy what follows from that."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from strategies.blocks import Block, size
from strategies.compaction.layers import Layers
from strategies.compaction.subtasks import Subtasks
from strategies.compaction.triggers import Turns
from strategies.kept import Kept, Room
from strategies.learned.features import LONG_AGO
from strategies.learned.names import Names
from strategies.learned.policy import Policy
from strategies.learned.reading import Floats, Places, Reading
from strategies.learned.scorer import Scorer
from strategies.learned.worth import Worth

LEAST = 1e-4  # expected needs a token: below, a turn is worth nothing


class Choosing:
    """Reads each block ahead of a summary (an `eviction.Rule` that drops nothing); orders turns and says when.

    begin: what was seen of the pinned text. subtasks: read along. keep: newest turns, which go last. floor: used share
    of the budget from which on anything is looked at.
    """

    def __init__(
        self, begin: Callable[[], Reading], scorer: Scorer, policy: Policy, subtasks: Subtasks, keep: int, floor: float
    ) -> None:
        self._begin = begin
        self._scorer = scorer
        self._policy = policy
        self.subtasks = subtasks
        self._keep = keep
        self._floor = floor
        self._names = Names()
        self._kept: Kept | None = None  # nothing read yet

    def _anew(self) -> None:
        self.reading = self._begin()
        self._newest = -1
        self._worth: dict[int, float] = {}  # of each raw turn, by its number, when the order was made
        self.raw: list[Block] = []

    def __call__(self, kept: Kept, room: Room) -> None:
        if kept is not self._kept:  # the history is read anew
            self._anew()
            self._kept = kept
        self.subtasks(kept, room)
        for block in kept.blocks:
            if block.start > self._newest:
                self.reading.take(block)
                self._newest = block.start
        self.raw, self._turn = list(kept.blocks), kept.turn
        self.reading.turn = kept.turn

    def oldest(self, turns: Sequence[list[Block]], now: int, used: float, summary: Layers) -> list[list[Block]]:
        """The turns as they came; what each is worth is taken as in `in_order`."""
        self.in_order(turns, now, used, summary)
        return list(turns)

    def in_order(self, turns: Sequence[list[Block]], now: int, used: float, summary: Layers) -> list[list[Block]]:
        """The turns, one after the other the one that is worth least to keep; the newest ones at the end.

        Features of a turn (policy.KEEP): expected needs that it alone would meet, by token and in all, as logarithms;
        its age, counted from this turn and as a logarithm; its size; whether the user speaks in it. What the summary
        names is met there. Of equals the oldest goes first.
        """
        self._worth = {}
        if used < self._floor or not turns:
            return list(turns)
        blocks = [block for turn in turns for block in turn]
        of = np.repeat(np.arange(len(turns)), [len(turn) for turn in turns])
        held = [block.start for block in self.raw if block.turn == now]
        told = self.reading.known(self._names.of(summary.text()))
        worth = Worth(self.reading, [*(block.start for block in blocks), *held], self._scorer, told)
        each = _by_turn(worth, of, len(turns))
        self._worth = dict(zip((turn[0].turn for turn in turns), each.tolist(), strict=True))
        fixed, tokens = self._fixed(turns, now), np.array([max(1, size(turn)) for turn in turns])
        late = np.array([turn[0].turn > now - self._keep for turn in turns])
        left, found = np.ones(len(turns), bool), list[list[Block]]()
        for _ in turns:
            w = self._policy.keep
            score = w[0] * np.log(each / tokens + LEAST) + w[1] * np.log1p(each) + fixed
            number = int(np.argmin(np.where(left, score + np.where(late, 1e6, 0.0), np.inf)))
            left[number] = False
            found.append(turns[number])
            for place in np.flatnonzero(of == number):
                worth.drop(int(place))
            each = _by_turn(worth, of, len(turns))
        return found

    def fires(self, turns: Turns, going: Turns, used: float) -> bool:
        """Whether it is time. Features (policy.FIRE): used share of the budget; share of the expected needs of the raw
        turns that goes with those that would go; whether another subtask has just begun; logarithm of how many there
        are."""
        if used < self._floor:
            return False
        total = sum(self._worth.values())
        lost = sum(self._worth.get(turn[0].turn, 0.0) for turn in going) / total if total else 0.0
        state = np.array([used, lost, float(self._border()), np.log1p(len(turns)), 1.0])
        return bool(state @ self._policy.fire > 0)

    def _border(self) -> bool:
        """Whether the blocks of the newest turn are the last of a finished subtask, or begin another one."""
        newest = [block for block in self.raw if block.turn == self._turn]
        before = [block for block in self.raw if block.turn < self._turn]
        if not newest or not before:
            return False
        return self.subtasks.ends(newest) or self.subtasks.of(newest[-1]) != self.subtasks.of(before[-1])

    def _fixed(self, turns: Turns, now: int) -> Floats:
        """The part of the scores that does not change while turns go."""
        age = np.array([now - turn[0].turn for turn in turns], float)
        columns = [
            1 / (1 + age),
            np.log1p(age) / np.log1p(LONG_AGO),
            np.log1p([size(turn) for turn in turns]),
            [float(any(block.user for block in turn)) for turn in turns],
        ]
        found: Floats = np.column_stack(columns) @ self._policy.keep[2:]
        return found


def _by_turn(worth: Worth, of: Places, turns: int) -> Floats:
    found: Floats = np.bincount(of, worth.now()[: len(of)], turns).astype(float)
    return found
