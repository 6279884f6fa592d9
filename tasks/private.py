"""A private wording of a family, from a secret salt: other names, fields, openers, filler and paraphrases.

Whoever has read the public texts has learned none of these names, and not which of the paraphrases will come up. How facts
are told and asked for, in what number and at what distance, is the same as in public.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TypeVar

from tasks.family import Family, Forms, Lexicon
from tasks.pool import AMOUNT, CHANGE, CHATTER, OPENERS, PLAIN, WORDS

V = TypeVar("V")
_NOUN = 20  # characters of a name's word at most


def fingerprint(salt: str) -> str:
    """What may be written of a salt: "sha256:" and eight digits. Too few to find the salt by, enough to tell two apart."""
    return f"sha256:{hashlib.sha256(salt.encode()).hexdigest()[:8]}"


def private(family: Family, salt: str) -> Family:
    """The family in the wording of this salt: a pure function of both."""
    rng = random.Random(hashlib.sha256(f"{family.name} {salt}".encode()).digest())
    words = _words(family.lexicon, rng)
    prose = family.forms.get("prose")
    forms = family.forms if prose is None else {**family.forms, "prose": _prose(prose, rng)}
    return replace(
        family,
        lexicon=words,
        forms=forms,
        openers=("", "", *rng.sample((*OPENERS, *filter(None, family.openers)), 8)),
        chatter=tuple(rng.sample((*CHATTER, *family.chatter), 14)),
        subjects=tuple(_compound(rng, family.subjects)),
    )


def _words(lexicon: Lexicon, rng: random.Random) -> Lexicon:
    """Every noun and every field gets a word before it: orders -> westorders, delimiter -> inner_delimiter."""
    fields = lexicon.fields
    new = {name: f"{word}_{name}" for name, word in zip(fields, rng.choices(WORDS, k=len(fields)), strict=True)}

    def renamed(names: Iterable[str]) -> tuple[str, ...]:
        return tuple(new[name] for name in names)

    def keyed(values: Mapping[str, V]) -> dict[str, V]:
        return {new[name]: value for name, value in values.items()}

    return replace(
        lexicon,
        nouns=tuple(_compound(rng, lexicon.nouns)),
        codes=renamed(lexicon.codes),
        modes=renamed(lexicon.modes),
        tallies=renamed(lexicon.tallies),
        rules=renamed(lexicon.rules),
        running=renamed(lexicon.running),
        kinds=keyed(lexicon.kinds),
        frames=keyed(lexicon.frames),
        ban=None if lexicon.ban is None else replace(lexicon.ban, fields=renamed(lexicon.ban.fields)),
    )


def _compound(rng: random.Random, nouns: Iterable[str]) -> Iterable[str]:
    return (f"{rng.choice(WORDS)}{noun}"[-_NOUN:] for noun in nouns)


def _prose(forms: Forms, rng: random.Random) -> Forms:
    """As many paraphrases as in public, drawn from the family's own and a pool that public texts never use."""

    def drawn(own: tuple[str, ...], pool: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(rng.sample(list(dict.fromkeys((*own, *pool))), max(5, len(own)))) if own else ()

    return replace(
        forms,
        plain=drawn(forms.plain, PLAIN),
        change=drawn(forms.change, CHANGE),
        amount=drawn(forms.amount, AMOUNT),
    )
