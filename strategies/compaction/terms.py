"""What a summarising strategy settles before its first turn."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from strategies import settings
from strategies.blocks import Block
from strategies.compaction.asking import Compactor
from strategies.compaction.layers import Layers, Stage
from strategies.compaction.prompts import LEVELS, Form, Level
from strategies.compaction.triggers import When
from strategies.overflow import Overflow

# (former summary, blocks to fold into it, tokens of the new one, how to ask) -> the new one
Fold = Callable[[Layers, Sequence[Block], int, Compactor], Stage[Layers]]


@dataclass(frozen=True, slots=True)
class Terms:
    """summary: share of the budget for the summary. window: of the compactor, None = the budget. The others: as in
    `strategies.summary.Summary`."""

    when: When
    levels: tuple[Level, ...]
    summary: float
    window: int | None
    templates: bool
    cache: bool
    retries: int
    pin_user: bool
    overflow: Overflow
    form: Form = "text"

    def check(self) -> None:
        """Raises ValueError for a setting out of range."""
        self.when.check()
        settings.share("summary_share", self.summary)
        settings.eviction(self.when.low_water, self.overflow)
        settings.at_least("retries", self.retries, 0)
        settings.one_of("form", self.form, ("text", "json"))
        if self.window is not None:
            settings.at_least("compactor_window", self.window, 1)
        order = [level for level in LEVELS if level in self.levels]
        if not self.levels or list(self.levels) != order:
            raise ValueError(f"levels={list(self.levels)}: choose some of {', '.join(LEVELS)}, in this order")
