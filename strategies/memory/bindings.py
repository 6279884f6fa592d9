"""Which name a statement gives a value: subject, attribute, value.

By rules on word order, not by a grammar of any task: the subject is the first id-like string, a value is an id-like
string or a number after it, the attribute is the plain word next to the value. A statement with several values is
read as a change, where it has exactly two. Where no attribute is found there is no binding: then nothing is ever taken
for superseded.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from strategies.memory.statements import statements

_TOKEN = re.compile(r"->|\+=|[^\W_][\w]*(?:[./@#+-]+\w+)*|_\w+")
_CALLED = re.compile(r"(?<![\w.])[\w.]++\(")
_PLAIN = re.compile(r"[a-z]{3,}")
_AMOUNT = re.compile(r"[\d.,]+")
# Words that name no attribute: function words, and verbs that only link a thing with what is said of it.
_EMPTY = frozenset((
    "a", "about", "add", "added", "adds", "again", "also", "an", "another", "any", "are", "as", "at", "be",
    "been", "belongs", "but", "by", "called", "calls", "came", "come", "comes", "concerned", "counts", "does",
    "far", "field", "file", "filed", "for", "found", "from", "further", "gave", "get", "gets", "give", "given",
    "gives", "go", "goes", "going", "got", "had", "has", "have", "he", "her", "his", "in", "info", "instead",
    "into", "is", "it", "its", "just", "listed", "lists", "long", "longer", "me", "more", "my", "name", "named",
    "names", "new", "no", "not", "now", "of", "off", "old", "on", "one", "only", "or", "our", "out", "put",
    "read", "record", "refers", "replaced", "replaces", "said", "say", "says", "scanned", "set", "settles",
    "she", "should", "show", "shown", "shows", "stands", "stated", "states", "still", "take", "taken", "than",
    "that", "the", "their", "then", "there", "they", "this", "time", "to", "under", "update", "updated", "use",
    "used", "uses", "value", "was", "we", "were", "what", "when", "where", "which", "who", "whose", "will",
    "with", "you", "your",
))  # fmt: skip
_AFTER = frozenset(("as", "for", "under"))  # V as its <attribute>
_FORMER = frozenset(("was", "not", "from", "old", "before", "than", "longer", "of"))  # the word before a former value


@dataclass(frozen=True, slots=True)
class Binding:
    """name: subject/attribute. amount: the value is a number, and numbers may be a series: none replaces another."""

    name: str
    value: str
    amount: bool


@lru_cache(16384)
def binding(statement: str) -> Binding | None:
    tokens = _TOKEN.findall(_CALLED.sub(" ", statement))  # the function of a call is no subject
    start = next((place for place, token in enumerate(tokens) if _is_name(token)), None)
    if start is None:
        return None
    values = [p for p in range(start + 1, len(tokens)) if _is_name(tokens[p]) or _AMOUNT.fullmatch(tokens[p])]
    if not 1 <= len(values) <= 2:
        return None
    newest, former = _newest(tokens, values)
    value = tokens[newest]
    if "/" in tokens[start]:
        name = tokens[start]
    else:
        attribute = _attribute(tokens, newest, start) or (_attribute(tokens, former, start) if former else None)
        if attribute is None:
            return None
        name = f"{tokens[start]}/{attribute}"
    return Binding(name, value, _AMOUNT.fullmatch(value) is not None)


@lru_cache(4096)
def bindings(text: str) -> tuple[Binding, ...]:
    return tuple(found for statement in statements(text) if (found := binding(statement)) is not None)


def _is_name(token: str) -> bool:
    return any(c.isalpha() for c in token) and any(c.isdigit() or c in "_./" for c in token)


def _newest(tokens: Sequence[str], values: Sequence[int]) -> tuple[int, int | None]:
    """Places of the value that holds now and of the former one: the last one, unless a word marks it as the former."""
    if len(values) == 1:
        return values[0], None
    first, last = values
    return (first, last) if tokens[last - 1].lower() in _FORMER else (last, first)


def _attribute(tokens: Sequence[str], value: int, start: int) -> str | None:
    """`V as its attribute`, else the last plain word before the value, else the first one after it."""
    after = tokens[value + 1 :]
    if after and after[0].lower() in _AFTER:
        return next((token for token in after[1:5] if _names_something(token)), None)
    before = reversed(tokens[start + 1 : value])
    found = next((token for token in before if _names_something(token)), None)
    return found or next((token for token in after if _names_something(token)), None)


def _names_something(token: str) -> bool:
    return _PLAIN.fullmatch(token) is not None and token not in _EMPTY
