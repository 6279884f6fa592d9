"""The names in a text: strings that can be told apart from plain words, and the parts by which others may call them."""

from __future__ import annotations

import re
from collections.abc import Iterator

LONGEST = 120  # characters; a longer run is data, and nobody's name
_LONGEST_RUN = 4  # parts of a dotted name that are taken together

# Letters, digits and underscores, joined by . / : @ # + -; the joints at the end of a sentence stay outside.
_WORD = re.compile(r"(?<!\w)[^\W\d](?:\w|[./:@#+-]{1,3}(?=\w))*")
_TELLING = re.compile(r"[\d_]|[a-z][A-Z]|[A-Z]{2}[a-z]{2}|\w[./:@#+-]+\w|(?:Error|Exception|Warning)$")
_BREAK = re.compile(r"\n|(?<=[.;]) ")


class Names:
    """Takes texts apart; words that were met before are looked up."""

    def __init__(self) -> None:
        self._parts: dict[str, tuple[str, ...]] = {}

    def of(self, text: str) -> list[str]:
        """The names of a text, each once, in order of their first place; a part stands after its whole."""
        found: dict[str, None] = {}
        for match in _WORD.finditer(text):
            word = match.group()
            if len(word) > LONGEST:
                continue
            parts = self._parts.get(word)
            if parts is None:
                parts = self._parts[word] = tuple(dict.fromkeys(filter(is_name, _parts(word))))
            for part in parts:
                found.setdefault(part)
        return list(found)


def is_name(word: str) -> bool:
    """Three characters or more, with a digit, an underscore, a joint or an inner capital, or an error's name."""
    return len(word) > 2 and _TELLING.search(word) is not None


def statements(text: str) -> list[str]:
    """Lines, and in prose sentences: what stands together is said of one another."""
    return [piece for piece in _BREAK.split(text) if piece]


def _parts(word: str) -> Iterator[str]:
    """The word, and where it is joined: ends and beginnings of a path, runs of a dotted name."""
    yield word
    for piece in re.split(r"[:@#+]+", word):
        yield piece
        folders = piece.split("/")
        for at in range(1, len(folders)):
            yield "/".join(folders[at:])
        for at in range(2, len(folders)):
            yield "/".join(folders[:at])
        for folder in folders:
            dotted = folder.split(".")
            for start in range(len(dotted)):
                for end in range(start + 1, min(len(dotted), start + _LONGEST_RUN) + 1):
                    yield ".".join(dotted[start:end])
