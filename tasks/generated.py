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
from tasks.labels import MODES, Labelling, Mode
from tasks.pages import Pages
from tasks.private import fingerprint, private
from tasks.schedule import draw
from tasks.suite import FAMILIES, suite
from tasks.wording import STYLES
from tasks.world import World


class Generated:
    """`instances` problems of a family, from seeds that derive from `seed` and the family's name.

    dials: see `Dials`. noise_tokens, styles, user_share: see `Pages`. coupling: see `World`.
    labels, scramble: see `Labelling`. salt: a secret text that makes other instances in another wording (`private`).
    What is told and asked depends on the instance and the dials alone; the seed given to `open` changes the wording.
    """

    grammar: Grammar | None

    def __init__(
        self,
        family: Family,
        dials: Dials,
        instances: int = 20,
        seed: int = 0,
        noise_tokens: int = 40,
        styles: Sequence[Style] = STYLES,
        user_share: float = 0.15,
        coupling: int = 0,
        labels: Mode = "none",
        scramble: int = 0,
        salt: str | None = None,
    ) -> None:
        self.family = family if salt is None else private(family, salt)
        self.dials = dials
        self.count = instances
        self.seed = seed
        self.noise_tokens = noise_tokens
        self.styles = styles
        self.user_share = user_share
        self.coupling = coupling
        self.labels: Mode = labels
        self.scramble = scramble
        self.salt = salt
        self.grammar = TextGrammar(self.family)

    @property
    def horizon(self) -> int:
        return self.dials.horizon

    @property
    def suite(self) -> str | None:
        """The version of the suite that the family belongs to, for the record; None = it belongs to none."""
        return suite() if self.family.name in FAMILIES else None

    def instances(self) -> Sequence[Instance]:
        """Numbered from 0; private ones carry a fingerprint of their salt, never the salt."""
        name, seed = self.family.name, str(self.seed) if self.salt is None else f"{self.seed} {self.salt}"
        mark = "" if self.salt is None else f"{fingerprint(self.salt)[-4:]}-"
        digests = (hashlib.sha256(f"{name} {seed} {n}".encode()).digest() for n in range(self.count))
        return [Instance(f"{name}-{mark}{n:03d}", int.from_bytes(d[:6], "big")) for n, d in enumerate(digests)]

    def open(self, instance: Instance, seed: int) -> World:
        plan = draw(self.family.lexicon, self.dials, instance.seed)
        words = f"{instance.seed} {seed}"
        pages = Pages(self.family, plan, words, self.noise_tokens, tuple(self.styles), self.user_share)
        labelling = Labelling(self.labels, self.scramble, TextGrammar(self.family))
        return World(self.family, plan, pages, self.coupling, labelling)


def build(family: Family, settings: Mapping[str, Any]) -> Generated:
    """The task from flat settings, dials among them.

    Raises TypeError for a setting that there is not, ValueError for one that cannot be met.
    """
    names = {field.name for field in fields(Dials)}
    dials = Dials(**{name: value for name, value in settings.items() if name in names})
    dials.check(len(family.lexicon.rules))
    if not 1 <= dials.strands <= family.lexicon.strands:
        raise ValueError(f"dial strands={dials.strands}: {family.name} has words for 1 to {family.lexicon.strands}")
    if not 0 <= dials.running * (1 + dials.lookalikes) <= len(family.lexicon.running):
        raise ValueError(
            f"dial running={dials.running}: running * (1 + lookalikes) may be 0 to {len(family.lexicon.running)}, the "
            f"fields that {family.name} has words for"
        )
    if dials.sessions > 1 and family.lexicon.agents:
        raise ValueError(
            f"dial sessions={dials.sessions}: the agents of {family.name} have histories of their own, choose 1"
        )
    task = Generated(family, dials, **{name: value for name, value in settings.items() if name not in names})
    if task.coupling not in (0, 1):
        raise ValueError(f"coupling={task.coupling}: choose 0 or 1")
    if task.labels not in MODES:
        raise ValueError(f"labels={task.labels}: choose one of {', '.join(MODES)}")
    if unknown := [style for style in task.styles if style not in family.forms] or not task.styles:
        raise ValueError(f"styles: {unknown} will not do, choose one or more of {', '.join(family.forms)}")
    return task
