"""A task made of generated instances: a family's words, the dials, and how many."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any

from harness.contract import Grammar, Instance
from tasks.dials import Dials
from tasks.family import Family, Style
from tasks.grammar import TextGrammar
from tasks.pages import Pages
from tasks.schedule import draw
from tasks.wording import STYLES
from tasks.world import World


class Generated:
    """`instances` problems of a family, from seeds that derive from `seed` and the family's name.

    noise_tokens, styles, user_share: see `Pages`. coupling: see `World`. dials: see `Dials`.
    The schedule depends on the instance and the dials alone; the seed given to `open` changes only the wording.
    """

    grammar: Grammar | None

    def __init__(
        self,
        family: Family,
        dials: Dials,
        instances: int = 20,
        seed: int = 0,
        noise_tokens: int = 60,
        styles: Sequence[Style] = STYLES,
        user_share: float = 0.15,
        coupling: int = 0,
    ) -> None:
        self.family, self.dials = family, dials
        self.count, self.seed = instances, seed
        self.noise_tokens, self.styles, self.user_share, self.coupling = noise_tokens, styles, user_share, coupling
        self.grammar = TextGrammar(family)

    def instances(self) -> Sequence[Instance]:
        name = self.family.name
        digests = (hashlib.sha256(f"{name} {self.seed} {n}".encode()).digest() for n in range(self.count))
        return [Instance(f"{name}-{n:03d}", int.from_bytes(d[:6], "big")) for n, d in enumerate(digests)]

    def open(self, instance: Instance, seed: int) -> World:
        plan = draw(self.family.lexicon, self.dials, instance.seed)
        wording = f"{instance.seed} {seed}"
        pages = Pages(self.family, plan, wording, self.noise_tokens, tuple(self.styles), self.user_share)
        return World(self.family, plan, pages, self.coupling)
