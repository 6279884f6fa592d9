"""Words of a text, the names in it, and what it is about."""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache

from strategies.memory.statements import statements

_WORD = re.compile(r"\w+(?:[.-]\w+)*")
# Id-like tokens with a letter: with a digit, an underscore, a dot or an inner capital. Marks that join values part
# them.
_NAME = re.compile(r"(?=[\w.-]*[\d_]|\w+\.\w|\w*[a-z][A-Z])\w+(?:[.-]\w+)*")
_TOKEN = re.compile(r"(?=[\w.-]*[\d_])\w+(?:[.-]\w+)*")  # with a digit or an underscore: names and values, not words
_LETTER = re.compile(r"[^\W\d_]")


@lru_cache(8192)
def words(text: str) -> frozenset[str]:
    return frozenset(word.lower() for word in _WORD.findall(text))


def overlap(query: str, text: str) -> int:
    """How many of the query's words the text has."""
    return len(words(query) & words(text))


@lru_cache(8192)
def names(text: str) -> tuple[str, ...]:
    """The id-like tokens with a letter, each once, in their order. Numbers are none: they agree by chance."""
    return tuple(dict.fromkeys(name for name in _NAME.findall(text) if _LETTER.search(name)))


def owners(text: str) -> tuple[str, ...]:
    """The first id-like token of each statement in which another one or a number follows; the most frequent first."""
    found: Counter[str] = Counter()
    for statement in statements(text):
        tokens = _TOKEN.findall(statement)
        start = next((place for place, token in enumerate(tokens) if _LETTER.search(token)), len(tokens))
        if start + 1 < len(tokens):
            found[tokens[start]] += 1
    return tuple(owner for owner, _ in found.most_common())
