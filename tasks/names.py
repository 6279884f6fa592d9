"""Names, values and amounts of generated tasks: needed and unneeded ones come from the same few functions.

Numbers in names are a permutation, not a count, so that a name never tells when it was first stated.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterator

_LOWER = "bcdfghjkmnpqrstvwxz"
_UPPER = "BCDFGHJKLMNPQRSTVWXZ"


def token(rng: random.Random) -> str:
    """An id-like value without a space in one of four shapes, such as kq83vd, vd-4417, t9.x2b, K7QF-31."""
    pick, digit = rng.choice, rng.randrange
    match digit(4):
        case 0:
            return f"{pick(_LOWER)}{pick(_LOWER)}{digit(10, 100)}{pick(_LOWER)}{pick(_LOWER)}"
        case 1:
            return f"{pick(_LOWER)}{pick(_LOWER)}-{digit(1000, 10000)}"
        case 2:
            return f"{pick(_LOWER)}{digit(10)}.{pick(_LOWER)}{digit(10, 100)}{pick(_LOWER)}"
        case _:
            return f"{pick(_UPPER)}{digit(10)}{pick(_UPPER)}{pick(_UPPER)}-{digit(10, 100)}"


def fresh_token(rng: random.Random, taken: set[str]) -> str:
    """A value that is not in `taken`; it is added there."""
    while (value := token(rng)) in taken:
        pass
    taken.add(value)
    return value


def amount(rng: random.Random) -> str:
    return str(rng.randrange(11, 990))


def names(rng: random.Random, nouns: tuple[str, ...], suffixes: tuple[str, ...], size: int) -> Iterator[str]:
    """Names noun_number+suffix, all different. `size`: about how many will be asked for; sets the digits."""
    low = 10 ** max(3, len(str(2 * size)) - 1)
    span = 9 * low
    stride = rng.randrange(span // 3, span // 2)
    while math.gcd(stride, span) != 1:
        stride += 1
    number = rng.randrange(span)
    while True:
        number = (number + stride) % span
        yield f"{rng.choice(nouns)}_{low + number}{rng.choice(suffixes)}"
