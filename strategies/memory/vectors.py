"""Embeddings of texts, each made once, and how like they are."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from harness.contract import Kit

Vector = npt.NDArray[np.float64]


class Vectors:
    """cache: keep what was embedded (the seed's embedding cache); without it every comparison embeds its texts anew.

    A vector is a function of its text: it is no state, and is made again after a reload.
    """

    def __init__(self, kit: Kit, cache: bool) -> None:
        self._kit = kit
        self._cache = cache
        self._known: dict[str, Vector] = {}

    def likeness(self, text: str, others: Sequence[str]) -> list[float]:
        """The cosine of a text with each of the others; 0 for a text in which the embedder knows no word.

        Rounded: the last digits of a vector depend on what it was embedded together with, and a reload embeds anew.
        """
        if not others:
            return []
        own, *vectors = self._of([text, *others])
        cosines: list[float] = (np.asarray(vectors) @ own).round(5).tolist()
        return cosines

    def _of(self, texts: Sequence[str]) -> list[Vector]:
        """Vectors of unit length, or of zeros."""
        missing = list(dict.fromkeys(text for text in texts if text not in self._known))
        made = self._kit.embed(missing) if missing else ()
        known = self._known | {text: _normed(vector) for text, vector in zip(missing, made, strict=True)}
        if self._cache:
            self._known = known
        return [known[text] for text in texts]


def _normed(vector: Sequence[float]) -> Vector:
    found = np.asarray(vector, dtype=np.float64)
    return found / (np.linalg.norm(found) or 1.0)
