"""Embeddings from weights that a package ships: no network at run time."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any


class WordLlama:
    """Static word vectors averaged over a text: 256 dimensions, unit length, thousands of texts a second (MIT)."""

    name = "wordllama/l2_supercat_256"

    def __init__(self) -> None:
        self._model: Any = None

    def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        if self._model is None:
            import wordllama

            folder = Path(wordllama.__file__).parent
            self._model = wordllama.WordLlama.load(cache_dir=folder, disable_download=True)
        vectors: Sequence[Sequence[float]] = self._model.embed(list(texts), norm=True).tolist()
        return vectors
