"""What a view would lose without a block: the chances of the names that no other block in it shows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from strategies.learned.features import items
from strategies.learned.reading import Floats, Places, Reading
from strategies.learned.scorer import Scorer


class Worth:
    """Expected needs that each of the blocks alone would meet. A name of the pinned text is worth nothing anywhere, nor
    is one that is told elsewhere in the view (places in `reading.words`)."""

    def __init__(
        self, reading: Reading, starts: Sequence[int], scorer: Scorer, told: Sequence[int] | Places = ()
    ) -> None:
        rows = items(reading, starts)
        self._blocks = len(starts)
        chance = scorer(rows.matrix) if len(rows.word) else np.empty(0)
        chance[np.isin(rows.word, [*reading.pinned, *told])] = 0.0
        self._block, self._chance = rows.block, chance
        _, self._word = np.unique(rows.word, return_inverse=True)
        self._holders = np.bincount(self._word)
        self._there = np.ones(len(rows.word), bool)

    def now(self) -> Floats:
        """Shape (blocks,); 0 for blocks that were dropped."""
        alone = self._there & (self._holders[self._word] == 1)
        found: Floats = np.bincount(self._block[alone], self._chance[alone], self._blocks).astype(float)
        return found

    def drop(self, number: int) -> None:
        """Without this block: others may now be the only ones to show a name."""
        gone = self._there & (self._block == number)
        self._holders[self._word[gone]] -= 1
        self._there &= ~gone


def worth(reading: Reading, starts: Sequence[int], scorer: Scorer) -> list[float]:
    """A scorer for other strategies: block by block the needs that it alone among them is expected to meet."""
    return [float(value) for value in Worth(reading, starts, scorer).now()]
