"""Embeddings of texts, each made once."""

from __future__ import annotations

import math
from collections.abc import Sequence

from harness.contract import Kit

Vector = tuple[float, ...]


class Vectors:
    """cache: keep what was embedded (the seed's embedding cache); without it every comparison embeds its texts anew.

    A vector is a function of its text: it is no state, and is made again after a reload.
    """

    def __init__(self, kit: Kit, cache: bool) -> None:
        self._kit = kit
        self._cache = cache
        self._known: dict[str, Vector] = {}

    def of(self, texts: Sequence[str]) -> list[Vector]:
        """Vectors of unit length; of zeros for a text in which the embedder knows no word."""
        missing = list(dict.fromkeys(text for text in texts if text not in self._known))
        made = self._kit.embed(missing) if missing else ()
        known = self._known | {text: _normed(vector) for text, vector in zip(missing, made, strict=True)}
        if self._cache:
            self._known = known
        return [known[text] for text in texts]


def cosine(one: Vector, two: Vector) -> float:
    return sum(map(float.__mul__, one, two))


def _normed(vector: Sequence[float]) -> Vector:
    length = math.sqrt(sum(x * x for x in vector))
    return tuple(float(x) / length for x in vector) if length else tuple(0.0 for _ in vector)
