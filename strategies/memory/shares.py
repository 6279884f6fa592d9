"""How the budget is shared: forced, retrieved, current interaction (seed, section 3.2: 20/40/40)."""

from __future__ import annotations

from dataclasses import dataclass

LEAST = 0.1  # of the room beside the pinned text, where that alone fills the forced share (ours)
NOW = 0.25  # of the forced room: for the open subtask and the last steps (ours)


@dataclass(frozen=True, slots=True)
class Shares:
    """Tokens. room: all but the pinned text. forced: beside the goal itself, which is pinned and counts in. standing:
    what of it is for what holds throughout; the rest is kept free for the open subtask and the last steps. Both may
    also take from `retrieved`, which shrinks first.
    """

    room: int
    forced: int
    retrieved: int
    current: int

    @property
    def standing(self) -> int:
        return self.forced - int(NOW * self.forced)

    def binding(self, raw: int) -> int:
        """What goals and constraints may take at most, beside blocks of `raw` tokens. The same from turn to turn as
        long as those keep to their share, so that a list which does not fit is not cut differently each turn."""
        free = self.room - max(raw, self.current) - (self.forced - self.standing)
        return max(self.standing, min(free, self.standing + self.retrieved))


def shared(budget: int, pinned: int, forced: float, retrieved: float, current: float, injection: bool) -> Shares:
    """The parts of a budget whose pinned text has `pinned` tokens."""
    room = max(0, budget - pinned)
    beside = max(int(forced * budget) - pinned, int(LEAST * room)) if injection else 0
    return Shares(room, beside, int(retrieved * budget), int(current * budget))
