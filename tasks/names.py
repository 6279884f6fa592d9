"""Names, values and amounts of generated tasks: needed and unneeded ones come from the same few functions.

Numbers in names are drawn, not counted, so that a name never tells when it was first stated.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

_LOWER = "bcdfghjkmnpqrstvwxz"
_UPPER = "BCDFGHJKLMNPQRSTVWXZ"


def token(rng: random.Random) -> str:
    """An id-like value without a space in one of four shapes, such as kq83vd, vd-4417, t9.x28b, K7QF-31."""
    luck = rng.getrandbits(40)
    luck, shape = divmod(luck, 4)
    luck, number = divmod(luck, 9000)
    letters = _UPPER if shape == 3 else _LOWER
    luck, a = divmod(luck, len(letters))
    luck, b = divmod(luck, len(letters))
    luck, c = divmod(luck, len(letters))
    d = luck % len(letters)
    match shape:
        case 0:
            return f"{letters[a]}{letters[b]}{10 + number % 90}{letters[c]}{letters[d]}"
        case 1:
            return f"{letters[a]}{letters[b]}-{1000 + number}"
        case 2:
            return f"{letters[a]}{number % 10}.{letters[b]}{10 + number // 10 % 90}{letters[c]}"
        case _:
            return f"{letters[a]}{number % 10}{letters[b]}{letters[c]}-{10 + number // 10 % 90}"


def fresh_token(rng: random.Random, taken: set[str], words: Sequence[str] = ()) -> str:
    """A value that is not in `taken`; it is added there. words: makes it one of them with a number (flush.py-412)."""
    while (value := f"{rng.choice(words)}-{rng.randrange(10, 1000)}" if words else token(rng)) in taken:
        pass
    taken.add(value)
    return value


def amount(rng: random.Random) -> str:
    return str(rng.randrange(11, 990))


def names(rng: random.Random, nouns: tuple[str, ...], suffixes: tuple[str, ...], size: int) -> Iterator[str]:
    """Names noun_number+suffix, all numbers different. `size`: about how many will be asked for; sets the digits."""
    low = 10 ** max(3, len(str(2 * size)))
    taken: set[int] = set()
    while True:
        number = rng.randrange(low, 10 * low)
        if number not in taken:
            taken.add(number)
            yield f"{rng.choice(nouns)}_{number}{rng.choice(suffixes)}"
