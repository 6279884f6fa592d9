"""Old observations are masked at once; once many turns stand masked, they are summarised."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from harness.contract import Brief, History, Kit, Message
from strategies import settings
from strategies.blocks import Block
from strategies.compaction.asking import Compactor
from strategies.compaction.folding import Folding
from strategies.compaction.layers import Layers, Stage
from strategies.compaction.shell import Compaction
from strategies.compaction.terms import Terms
from strategies.compaction.triggers import When
from strategies.kept import Kept, Room
from strategies.mask import Masking, visible_line
from strategies.overflow import Overflow


class MaskThenSummary:
    """Masks observations older than `turns` turns, and summarises all of those turns once `steps` of them stand masked.

    turns: M, how many turns keep their observations, the current one included. steps: N. A view over the budget is
    summarised earlier, down to `low_water`.
    reads: what the compactor reads of a masked turn: its original observations, or what the view shows of it. The
    source leaves that open.
    placeholder: as in `mask`. The other arguments: as in `strategies.summary.Summary`; the summary has one level.

    Source: the hybrid of Lindenbauer et al. 2025, "The Complexity Trap" (arXiv 2508.21433), N = 43, M = 10.
    """

    asks = True  # a compactor must be set
    _compaction: Compaction

    def __init__(
        self,
        turns: int = 10,
        steps: int = 43,
        reads: Literal["original", "masked"] = "original",
        placeholder: str = "[old observation left out]",
        low_water: float = 0.5,
        summary_share: float = 0.2,
        identifiers: bool = True,
        identifier_share: float = 0.2,
        templates: bool = True,
        cache: bool = True,
        compactor_window: int | None = None,
        retries: int = 1,
        overflow: Overflow = "window",
    ) -> None:
        self.turns = turns
        self.steps = steps
        self.reads = reads
        self.placeholder = placeholder
        self.low_water = low_water
        self.summary_share = summary_share
        self.identifiers = identifiers
        self.identifier_share = identifier_share
        self.templates = templates
        self.cache = cache
        self.compactor_window = compactor_window
        self.retries = retries
        self.overflow = overflow

    def reset(self, kit: Kit, brief: Brief, saved: bytes | None = None) -> None:
        """Raises ValueError for settings out of range."""
        settings.at_least("turns", self.turns, 1)
        settings.one_of("reads", self.reads, ("original", "masked"))
        settings.share("identifier_share", self.identifier_share)
        visible_line("placeholder", self.placeholder)
        when = When("steps", 1.0, self.steps, self.low_water, self.turns)
        terms = Terms(
            when, ("session",), self.summary_share, self.compactor_window, self.templates, self.cache, self.retries,
            False, self.overflow,
        )  # fmt: skip
        self._folding = Folding(self.identifier_share if self.identifiers else 0.0)
        self._masking = Masking(kit.count, self.turns, self.placeholder, 1.0)
        self._originals: dict[int, Block] = {}  # by start: the blocks of the view as they came
        self._compaction = Compaction(kit, brief, terms, self._fold, saved, self._mask)

    def compose(self, history: History, budget: int) -> Sequence[Message]:
        return self._compaction.view(history, budget)

    def export(self) -> bytes:
        return self._compaction.export()

    def _mask(self, kept: Kept, room: Room) -> None:
        known = self._originals
        self._originals = {b.start: b if not b.settled else known[b.start] for b in kept.blocks}
        self._masking(kept, room)

    def _fold(self, former: Layers, blocks: Sequence[Block], room: int, compactor: Compactor) -> Stage[Layers]:
        if self.reads == "original":
            blocks = [replace(self._originals[block.start], turn=block.turn) for block in blocks]
        return (yield from self._folding(former, blocks, room, compactor))
