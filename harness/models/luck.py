"""Luck without state: equal circumstances draw equal numbers.

Draws depend on what is decided, never on when or how often: two arms that face the same question have the
same luck (common random numbers), and a reply can be computed again from its request alone.
"""

from __future__ import annotations

import hashlib


def draw(seed: int, *about: str) -> float:
    """A number in [0, 1), uniform over seeds, fixed by the seed and the circumstances."""
    named = "\x1f".join((str(seed), *about)).encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.blake2b(named, digest_size=8).digest()) / 2**64


def chance(probability: float, seed: int, *about: str) -> bool:
    """Whether it happens. Certainties draw nothing, so that the ideal reader is the same under every seed."""
    return probability >= 1 or (probability > 0 and draw(seed, *about) < probability)
