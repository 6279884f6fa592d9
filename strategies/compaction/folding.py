"""How most summarising strategies fold: turns cut at the borders of subtasks, identifiers beside the summary."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from strategies.blocks import Block
from strategies.compaction.asking import Compactor
from strategies.compaction.layers import Layers, Stage, fold
from strategies.compaction.texts import pieces


@dataclass(frozen=True, slots=True)
class Folding:
    """A `terms.Fold`. names: share of the summary for identifiers. border, longest (None = any), batch: as in
    `texts.pieces`.
    """

    names: float
    border: re.Pattern[str] | None = None
    longest: int | None = None
    batch: int | None = None

    def __call__(self, former: Layers, blocks: Sequence[Block], room: int, compactor: Compactor) -> Stage[Layers]:
        longest = self.longest if self.longest is not None else len(blocks) + 1
        told, place = pieces(blocks, former.place, self.border, longest, self.batch)
        return (yield from fold(replace(former, place=place), told, room, int(self.names * room), compactor))
