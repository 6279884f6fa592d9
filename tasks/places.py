"""Where facts are told: owners with free fields, and steps at the law's distance."""

from __future__ import annotations

import random
from collections.abc import Set

from tasks.borders import titles
from tasks.dials import Dials, Law, delays, distances
from tasks.family import Lexicon
from tasks.names import names
from tasks.plan import subtask
from tasks.strands import Strands


class Places:
    """The owners of each place (a subtask, or a step), and how full the steps are."""

    def __init__(self, lexicon: Lexicon, dials: Dials, strands: Strands, rng: random.Random, seed: int) -> None:
        self.lexicon, self.dials, self.strands, self.rng = lexicon, dials, strands, rng
        laws = dict.fromkeys((dials.law, *dials.laws.values()))
        self.back = {law: distances(dials, law, rng) for law in laws}
        self.ahead = {law: delays(dials, law, rng) for law in laws}
        self.groups = self._groups()
        self.load = [0] * (dials.horizon + 1)
        self.titles, self.parts = titles(lexicon.part, dials, seed)
        places = dials.horizon + 1 if lexicon.place == "step" else dials.subtasks + 1
        suffixes = ("",) if lexicon.branches else lexicon.suffixes  # a branch is an owner's suffix
        self.names = names(rng, lexicon.nouns, suffixes, places * lexicon.hosts)
        self.twins: list[list[str]] = [[] for _ in range(places)]  # by visit: names that all branches have
        self.works = [next(self.names) for _ in range(dials.subtasks + 1)] if lexicon.running else []
        self.owners: list[list[tuple[str, set[str]]]] = []
        for place in range(places):
            self.owners.append([])
            for _ in range(lexicon.hosts):
                self.owners[place].append((self.owner(place), set()))

    def _groups(self) -> dict[str, tuple[Law, tuple[str, ...]]]:
        """For each field with values of its own, the law of its kind and all fields under the same law."""
        dials, words = self.dials, self.lexicon
        law = {name: dials.laws.get(words.kinds.get(name, "code"), dials.law) for name in words.codes}
        return {name: (law[name], tuple(n for n in words.codes if law[n] == law[name])) for name in words.codes}

    def group(self) -> tuple[Law, tuple[str, ...]]:
        """Fields under one law, the likelier the more there are."""
        _, first = next(iter(self.groups.values()))
        return self.groups[first[0] if len(first) == len(self.groups) else self.rng.choice(self.lexicon.codes)]

    def part(self, step: int) -> int:
        return subtask(step, self.dials.horizon, self.dials.subtasks)

    def target(self, step: int) -> str:
        """What the instruction of a step is about."""
        if self.lexicon.place == "step":
            return self.owners[step][0][0]
        if self.works:
            return self.works[self.part(step)]
        if self.lexicon.branches:
            strand = self.strands.of[step]
            return f"{self.lexicon.branches[strand]}_{strand + 1:02d}"
        return self.titles[step]

    def owner(self, place: int) -> str:
        """The next owner of a place. On branches the owners of a visit are twins: the same files, as they are there."""
        if not self.lexicon.branches:
            return next(self.names)
        twins, number = self.twins[self.strands.visit(place)], len(self.owners[place])
        while len(twins) <= number:
            twins.append(next(self.names))
        return f"{twins[number]}.{self.lexicon.branches[self.strands.parts[place]]}"

    def free_key(self, step: int, fields: tuple[str, ...]) -> tuple[str, str]:
        """An owner of the place where the answer of this step is heard, and a field of it that nothing tells about."""
        place = step if self.lexicon.place == "step" else self.part(min(step + 1, self.dials.horizon))
        owners = self.owners[place]
        owner, used = owners[0] if len(owners) == 1 else self.rng.choice(owners)
        free = [f for f in fields if f not in used] if len(used) < self.lexicon.room else []
        if not free:
            owner, used = self.owner(place), set()
            owners.append((owner, used))
            free = list(fields)
        chosen = self.rng.choice(free)
        used.add(chosen)
        return owner, chosen

    def before(self, step: int, banned: Set[int] = frozenset(), law: Law | None = None) -> int:
        """A step at the law's distance before `step`, never a banned one, and not a crowded one if it can be helped."""
        return self._news(self.strands.of[step], self.clock(step), law, banned)

    def earlier(self, stated: int, law: Law | None = None) -> int:
        """The same for what is told at `stated`: when the strand that hears it may have heard a former version."""
        return self._news(self.strands.heard(stated), self.told_at(stated), law)

    def any_before(self, step: int, law: Law | None = None) -> int:
        """The same, crowded or not."""
        time = self.clock(step)
        return self.strands.told(self.strands.of[step], time - self.back[law or self.dials.law](time))

    def later(self, step: int, law: Law | None = None) -> tuple[int, int] | None:
        """When to tell an update after `step`, and the step from which a goal may ask for it; None if time is up."""
        steps = self.strands.steps[self.strands.of[step]]
        ahead = self.ahead[law or self.dials.law]
        told = self.clock(step) - 1 + ahead(len(steps))
        again = told + ahead(len(steps))
        return (steps[told] - 1, steps[again - 1]) if again <= len(steps) else None

    def clock(self, step: int) -> int:
        """The number of a step in its strand."""
        return self.strands.clock[step]

    def told_at(self, stated: int) -> int:
        """How many steps its strand has made when it hears the answer of step `stated`."""
        return self.strands.clock[stated + 1] - 1

    def _news(self, strand: int, time: int, law: Law | None, banned: Set[int] = frozenset()) -> int:
        back = self.back[law or self.dials.law]
        for _ in range(6):
            chosen = time - back(time)
            told = self.strands.told(strand, chosen)
            if told not in banned and self.load[told] < self.dials.crowd:
                return told
        while (told := self.strands.told(strand, chosen)) in banned:
            chosen = (chosen + 1) % time
        return told
