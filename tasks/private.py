"""A private wording of a family, from a secret salt: other names, fields, openers, filler and paraphrases.

Whoever has read the public texts has learned none of these names, and not which of the paraphrases will come up. How
facts are told and asked for, in what number and at what distance, is the same as in public, and so is the length of the
texts but for a few per cent. Words that sentences of their own belong to (a promise, a refuted theory, the reason of a
decision) stay.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterable, Mapping, Set
from dataclasses import replace
from typing import TypeVar

from tasks.family import Family, Forms
from tasks.pool import AMOUNT, CHANGE, CHATTER, FIELDS, NOUNS, OPENERS, PLAIN

V = TypeVar("V")


def fingerprint(salt: str) -> str:
    """What may be written of a salt: "sha256:" and eight digits: too few to find the salt, enough to tell two apart."""
    return f"sha256:{hashlib.sha256(salt.encode()).hexdigest()[:8]}"


def private(family: Family, salt: str) -> Family:
    """The family in the wording of this salt: a pure function of both."""
    rng = random.Random(hashlib.sha256(f"{family.name} {salt}".encode()).digest())
    lexicon, prose = family.lexicon, family.forms.get("prose")
    public = {*lexicon.fields, *lexicon.nouns}
    new = _fields(family, public, rng)

    def renamed(names: Iterable[str]) -> tuple[str, ...]:
        return tuple(new[name] for name in names)

    def keyed(values: Mapping[str, V]) -> dict[str, V]:
        return {new[name]: value for name, value in values.items()}

    return replace(
        family,
        lexicon=replace(
            lexicon,
            nouns=tuple(rng.sample([word for word in NOUNS if word not in public], len(lexicon.nouns))),
            codes=renamed(lexicon.codes),
            modes=renamed(lexicon.modes),
            tallies=renamed(lexicon.tallies),
            rules=renamed(lexicon.rules),
            running=renamed(lexicon.running),
            kinds=keyed(lexicon.kinds),
            frames=keyed(lexicon.frames),
        ),
        forms=family.forms if prose is None else {**family.forms, "prose": _prose(prose, rng)},
        openers=("", "", *rng.sample((*OPENERS, *filter(None, family.openers)), max(5, len(family.openers) - 2))),
        chatter=tuple(rng.sample((*CHATTER, *family.chatter), len(family.chatter))),
    )


def _fields(family: Family, public: Set[str], rng: random.Random) -> dict[str, str]:
    """A new word for every field that has no sentences of its own; each word once."""
    words = family.lexicon
    own = {kind for forms in family.forms.values() for kind in forms.kinds}
    kept = {name for name in words.fields if words.kinds.get(name) in own} | set(words.ban.fields if words.ban else ())
    free = [word for word in FIELDS if word not in public]
    drawn = iter(rng.sample(free, len(words.fields)))
    return {name: name if name in kept else next(drawn) for name in words.fields}


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
