"""Where facts are told: owners with free fields, and steps at the law's distance."""

from __future__ import annotations

import random
from collections.abc import Set

from tasks.dials import Dials, distances
from tasks.family import Lexicon
from tasks.names import names
from tasks.plan import subtask


class Places:
    """The owners of each place (a subtask, or a step), and how full the steps are."""

    def __init__(self, lexicon: Lexicon, dials: Dials, rng: random.Random) -> None:
        self.lexicon, self.dials, self.rng = lexicon, dials, rng
        self.back = distances(dials, rng)
        self.load = [0] * (dials.horizon + 1)
        places = dials.horizon + 1 if lexicon.place == "step" else dials.subtasks + 1
        self.names = names(rng, lexicon.nouns, lexicon.suffixes, places * lexicon.hosts)
        self.owners: list[list[tuple[str, set[str]]]] = [
            [(next(self.names), set()) for _ in range(lexicon.hosts)] for _ in range(places)
        ]

    def part(self, step: int) -> int:
        return subtask(step, self.dials.horizon, self.dials.subtasks)

    def target(self, step: int) -> str:
        """What the instruction of a step is about."""
        if self.lexicon.place == "step":
            return self.owners[step][0][0]
        return f"{self.lexicon.part}_{self.part(step):02d}"

    def free_key(self, step: int, fields: tuple[str, ...]) -> tuple[str, str]:
        """An owner of this step's place and a field of it about which nothing was or will be told."""
        owners = self.owners[step if self.lexicon.place == "step" else self.part(step)]
        owner, used = owners[0] if len(owners) == 1 else self.rng.choice(owners)
        free = [f for f in fields if f not in used] if len(used) < self.lexicon.room else []
        if not free:
            owner, used = next(self.names), set()
            owners.append((owner, used))
            free = list(fields)
        chosen = self.rng.choice(free)
        used.add(chosen)
        return owner, chosen

    def before(self, step: int, banned: Set[int] = frozenset()) -> int:
        """A step at the law's distance before `step`, never a banned one, and not a crowded one if it can be helped."""
        for _ in range(6):
            chosen = step - self.back(step)
            if chosen not in banned and self.load[chosen] < self.dials.crowd:
                return chosen
        while chosen in banned:
            chosen = (chosen + 1) % step
        return chosen
