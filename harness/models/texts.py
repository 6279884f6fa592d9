"""What one text says: claims, own notes, a question. Parsed once, whatever view it stands in."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from harness.contract import Claim, Grammar, Question

_NOTE = re.compile(r"\bnote: (\S[^\n=]*?) = (\S+)(?: \(was (\S+)\))?")
_NEXT = re.compile(r"\bnext: (.+)", re.DOTALL)
_FAILED = re.compile(r"\s*\W?(error|failed)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Text:
    """claims: in their order, notes last. next: the question of an instruction that was written down to go on with.

    failed: the text begins as an answer to a failed call does.
    """

    claims: tuple[Claim, ...]
    keys: frozenset[str]
    question: Question | None
    next: Question | None
    failed: bool


def note(claim: Claim) -> str:
    """The line by which a reader writes a fact down."""
    was = f" (was {claim.replaces})" if claim.replaces else ""
    return f"note: {claim.key} = {claim.value}{was}"


def notes(text: str) -> tuple[Claim, ...]:
    """The facts written down in a text, wherever it was copied to."""
    if "note: " not in text:
        return ()
    return tuple(Claim(key, value, was or None) for key, value, was in _NOTE.findall(text))


def parse(grammar: Grammar, text: str) -> Text:
    noted = notes(text)  # they also keep what a fact replaced, which a grammar may not see in them
    known = {(claim.key, claim.value) for claim in noted}
    claims = (*(claim for claim in grammar.claims(text) if (claim.key, claim.value) not in known), *noted)
    ahead = _NEXT.search(text) if "next: " in text else None
    return Text(
        claims=claims,
        keys=frozenset(claim.key for claim in claims),
        question=grammar.question(text),
        next=grammar.question(ahead[1]) if ahead else None,
        failed=_FAILED.match(text) is not None,
    )


def instruction(grammar: Grammar, text: str) -> str:
    """The shortest ending of the text, in whole lines, that asks the same question."""
    question, lines = grammar.question(text), text.splitlines()
    endings: Iterable[str] = ("\n".join(lines[start:]) for start in range(len(lines) - 1, 0, -1))
    return next((ending for ending in endings if grammar.question(ending) == question), text)
