"""What a text is about, to name it in a line: the owners of the values that it gives."""

from __future__ import annotations

import re
from collections import Counter

from strategies.memory.statements import statements

# With a digit or an underscore: names and values, not words.
_TOKEN = re.compile(r"(?=[\w.-]*[\d_])\w+(?:[.-]\w+)*")


def owners(text: str) -> tuple[str, ...]:
    """The first id-like token of each statement in which another one or a number follows; the most frequent first."""
    found: Counter[str] = Counter()
    for statement in statements(text):
        tokens = _TOKEN.findall(statement)
        start = next((place for place, token in enumerate(tokens) if any(c.isalpha() for c in token)), len(tokens))
        if start + 1 < len(tokens):
            found[tokens[start]] += 1
    return tuple(owner for owner, _ in found.most_common())
