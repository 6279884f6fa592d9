"""Words of a text and of a query."""

from __future__ import annotations

import re
from functools import lru_cache

_WORD = re.compile(r"\w+(?:[.-]\w+)*")


@lru_cache(8192)
def words(text: str) -> frozenset[str]:
    return frozenset(word.lower() for word in _WORD.findall(text))


def overlap(query: str, text: str) -> int:
    """How many of the query's words the text has."""
    return len(words(query) & words(text))
