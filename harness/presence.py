"""Which facts a message holds.

*Bound*: the message binds the fact's key to its value: the task's grammar reads that claim in it, or, in text that a
strategy or the agent wrote, one line holds the value and every part of the key. *Bare*: the value occurs, as a whole.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from harness.contract import Fact, Grammar, Message

_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Holds:
    """Positions (in the fact table) of the facts that a message holds; bound ⊆ bare is not assumed."""

    bound: frozenset[int]
    bare: frozenset[int]


def occurs(value: str, text: str) -> bool:
    """Whether the value stands in the text as a whole: no letter, digit or underscore right before or after it."""
    return next(_places(value, text), None) is not None


def _places(value: str, text: str) -> Iterator[int]:
    """Where the value stands as a whole."""
    start = text.find(value)
    while start >= 0:
        end = start + len(value)
        if not (start and _wordlike(text[start - 1])) and not (end < len(text) and _wordlike(text[end])):
            yield start
        start = text.find(value, start + 1)


class Index:
    """Finds the facts of a text quickly: values are looked up by their first word."""

    def __init__(self, facts: Sequence[Fact], grammar: Grammar | None) -> None:
        self._facts = facts
        self._grammar = grammar
        self._by_word: dict[str, list[int]] = {}
        self._by_claim: dict[tuple[str, str], list[int]] = {}
        for position, fact in enumerate(facts):
            word = _WORD.search(fact.value)
            if word is not None:
                self._by_word.setdefault(word.group(), []).append(position)
            self._by_claim.setdefault((fact.key, fact.value), []).append(position)

    def holds(self, message: Message, written: bool) -> Holds:
        """`written`: by the agent or a strategy, so that no grammar can be relied on."""
        text = message.content
        if message.calls:
            text += "\n" + "\n".join(_argument_text(call.arguments.values()) for call in message.calls)
        bare = self._bare(text)
        return Holds(frozenset(self._bound(message.content, bare, written)), bare)

    def _bare(self, text: str) -> frozenset[int]:
        found: set[int] = set()
        for word in set(_WORD.findall(text)) & self._by_word.keys():
            found.update(p for p in self._by_word[word] if p not in found and occurs(self._facts[p].value, text))
        return frozenset(found)

    def _bound(self, text: str, bare: frozenset[int], written: bool) -> set[int]:
        bound: set[int] = set()
        if self._grammar is None or not bare:
            return bound
        for claim in self._grammar.claims(text):
            bound.update(self._by_claim.get((claim.key, claim.value), ()))
        if written:
            bound.update(p for p in bare - bound if _one_line(self._facts[p], text))
        return bound


def _one_line(fact: Fact, text: str) -> bool:
    """Whether a line that holds the value holds every part of the key."""
    parts = fact.key.split("/")
    for place in _places(fact.value, text):
        end = text.find("\n", place)
        line = text[text.rfind("\n", 0, place) + 1 : end if end >= 0 else len(text)]
        if all(occurs(part, line) for part in parts):
            return True
    return False


def _argument_text(values: Iterable[object]) -> str:
    return "\n".join(value if isinstance(value, str) else repr(value) for value in values)


def _wordlike(character: str) -> bool:
    return character.isalnum() or character == "_"
