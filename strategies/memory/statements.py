"""A text in statements, and the names in them."""

from __future__ import annotations

import re
from functools import lru_cache

from strategies.regex import ID_LIKE

_END = re.compile(r"(?<=[.!?。！？])\s+")
_NUMBER = re.compile(r"[\d.,:+-]+")
_NAME = re.compile(ID_LIKE)
_PROPER = re.compile(r"(?<=[a-z,;:] )[A-Z][a-z]+(?: [A-Z][a-z]+)*")  # capitalised words inside of a sentence
_NEGATED = re.compile(
    r"\b(?:not|never|no longer|none|without|except|forbidden|prohibited|cannot|avoid)\b|n't\b|不|勿|禁", re.IGNORECASE
)
_LONG = 80  # characters: a shorter line is one statement
_LEAST = 3  # characters: of a part of a joined name that is a name of its own


def statements(text: str) -> list[str]:
    """The lines of a text, long ones cut into sentences; blank ones left out."""
    found: list[str] = []
    for line in text.splitlines():
        found += [line] if len(line) <= _LONG else _END.split(line)
    return [statement.strip() for statement in found if statement.strip()]


def sentences(text: str) -> list[str]:
    """The sentences of a text, however short its lines."""
    return [sentence.strip() for line in text.splitlines() for sentence in _END.split(line) if sentence.strip()]


@lru_cache(8192)
def names(text: str) -> frozenset[str]:
    """Id-like strings with a letter, their parts between slashes, and proper nouns."""
    found: set[str] = set(_PROPER.findall(text))
    for name in _NAME.findall(text):
        parts = [part for part in name.split("/") if len(part) >= _LEAST] if "/" in name else []
        found.update(part for part in (name, *parts) if not _NUMBER.fullmatch(part))
    return frozenset(found)


def numbers(text: str) -> frozenset[str]:
    """The id-like strings without a letter."""
    return frozenset(name for name in _NAME.findall(text) if _NUMBER.fullmatch(name))


def negated(statement: str) -> bool:
    """Whether it denies or forbids something."""
    return _NEGATED.search(statement) is not None


def beginning(text: str, words: int) -> str:
    """The first words of a text, on one line."""
    found = text.split()
    return " ".join(found[:words]) + (" …" if len(found) > words else "")
