"""The statements and messages of recorded episodes, each with what a guesser must not see: whether it is needed later.

A strategy decides message by message, and a clever one statement by statement; so there are two units.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from harness.contract import Claim, Goal, Grammar, Message
from harness.record import Record
from harness.walk import ENVIRONMENT, author

EXEMPT = frozenset({"goal", "constraint"})  # kinds of facts that say by their nature that they will matter
_SENTENCE = re.compile(r"(?<=[.!?])\s+")


@dataclass(frozen=True, slots=True)
class Statement:
    """A line or sentence that states something. place: of it among the `of` pieces of its message, from 0."""

    text: str
    place: int
    of: int
    needed: bool
    exempt: bool


@dataclass(frozen=True, slots=True)
class Told:
    """A message that states something. instance: which episode it is of."""

    instance: str
    role: str
    text: str
    statements: tuple[Statement, ...]


def told(record: Record, grammar: Grammar, exempt: Collection[str]) -> Iterator[Told]:
    """The messages of the environment that state something.

    needed: an action that is chosen with this message in its history needs it; so it lies one step ahead at least, and
    what an agent's own history tells is needed by that agent. exempt: fields (last parts of keys) that facts of exempt
    kinds have, see `fields`.
    """
    for number, segment in enumerate(record.segments):
        pinned, last = {0, *segment.tasks}, _last_needed(record, number)
        for position, message in enumerate(segment.messages):
            if position not in pinned and author(message, original=True) == ENVIRONMENT:
                needed = {claim for claim, length in last.items() if position < length}
                statements = tuple(_statements(message, grammar, needed, exempt))
                if statements:
                    yield Told(record.instance, message.role, message.content, statements)


def all_told(records: Sequence[Record], grammar: Grammar) -> list[Told]:
    """Those of several episodes, with the kinds exempt that are EXEMPT."""
    exempt = fields(records)
    return [one for record in records for one in told(record, grammar, exempt)]


def fields(records: Sequence[Record], kinds: Collection[str] = EXEMPT) -> frozenset[str]:
    """The last parts of the keys of facts of these kinds. A look-alike has no kind, but its field tells it."""
    facts = (fact for record in records if record.schedule for fact in record.schedule.facts)
    return frozenset(fact.key.rpartition("/")[2] for fact in facts if fact.kind in kinds)


def pieces(text: str, grammar: Grammar) -> Iterator[tuple[int, int, Sequence[Claim]]]:
    """Start and end of each line or sentence, and what it claims; a line whose sentences claim less is one piece."""
    start = 0
    for line in text.split("\n"):
        whole = grammar.claims(line)
        cuts = [0, *(match.end() for match in _SENTENCE.finditer(line)), len(line)]
        parts = [(a, b, grammar.claims(line[a:b])) for a, b in pairwise(cuts) if a < b]
        if [claim for *_, claims in parts for claim in claims] != list(whole):
            parts = [(0, len(line), whole)]
        yield from ((start + a, start + b, claims) for a, b, claims in parts)
        start += len(line) + 1


def _statements(
    message: Message, grammar: Grammar, needed: Collection[tuple[str, str]], exempt: Collection[str]
) -> Iterator[Statement]:
    found = list(pieces(message.content, grammar))
    for place, (start, end, claims) in enumerate(found):
        if claims:
            text = message.content[start:end].strip()
            hit = any((claim.key, claim.value) in needed for claim in claims)
            free = any(claim.key.rpartition("/")[2] in exempt for claim in claims)
            yield Statement(text, place, len(found), hit, free)


def _last_needed(record: Record, segment: int) -> dict[tuple[str, str], int]:
    """For each key and value how many messages its history had when an action needed it last."""
    if record.schedule is None:
        raise ValueError(f"{record.instance}: the record has no schedule, so nothing tells what is needed")
    facts = {fact.id: (fact.key, fact.value) for fact in record.schedule.facts}
    due: dict[int, list[Goal]] = {}
    for goal in record.schedule.goals:
        due.setdefault(goal.step, []).append(goal)
    last: dict[tuple[str, str], int] = {}
    for turn in record.turns:
        if turn.segment == segment:
            for step in range(turn.step, turn.step + turn.acted):
                last |= {facts[identifier]: turn.length for goal in due.get(step, ()) for identifier in goal.facts}
    return last
