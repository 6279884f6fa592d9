"""Summarises what is worth least, when it costs least: both learned from how other runs ended."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

from harness.contract import Brief, History, Kit, Message
from strategies import settings
from strategies.compaction.prompts import LEVELS
from strategies.compaction.shell import Compaction
from strategies.compaction.subtasks import Subtasks
from strategies.compaction.terms import Terms
from strategies.compaction.triggers import When
from strategies.learned import policy, scorer
from strategies.learned.choosing import Choosing
from strategies.learned.reading import Reading
from strategies.learned.telling import Telling
from strategies.overflow import Overflow
from strategies.summary import BORDER


class LearnedCompaction:
    """As `summary`, but any old turn may go, and when, which, and what stays word for word is learned.

    A scorer says how likely each name is needed again (as in `learned_eviction`); a policy, found by a search for the
    success of whole runs, weighs that against age and size (strategies/learned/policy.py).

    model: weights, a file of strategies/learned/weights or a path. digest: first digits of its SHA-256, null = any.
    fire: learned | length (at `share` of the budget). A view over the budget is always summarised.
    keep: learned (the turns worth most stay raw) | oldest (the oldest go first). lines: share of the summary for
    statements word for word, null = as learned, 0 = none. floor: used share of the budget under which nothing happens.
    The other arguments: as in `strategies.summary.Summary`.

    Source: "learned compactor" of the parallel-compaction design: task success as the reward, what to keep and when to
    fire as what is learned. How it is learned is ours: cross-entropy search (Rubinstein and Kroese 2004).
    """

    asks = True  # a compactor must be set
    _compaction: Compaction
    _pinned: tuple[Message, ...]

    def __init__(
        self,
        model: str = "compaction.json",
        digest: str | None = None,
        fire: Literal["learned", "length"] = "learned",
        keep: Literal["learned", "oldest"] = "learned",
        lines: float | None = None,
        floor: float = 0.5,
        share: float = 0.8,
        low_water: float = 0.5,
        keep_turns: int = 3,
        summary_share: float = 0.2,
        identifier_share: float = 0.2,
        templates: bool = True,
        cache: bool = True,
        border: str | None = BORDER,
        session_turns: int = 10,
        compactor_window: int | None = None,
        retries: int = 1,
        pin_user: bool = False,
        overflow: Overflow = "window",
    ) -> None:
        self.model = model
        self.digest = digest
        self.fire = fire
        self.keep = keep
        self.lines = lines
        self.floor = floor
        self.share = share
        self.low_water = low_water
        self.keep_turns = keep_turns
        self.summary_share = summary_share
        self.identifier_share = identifier_share
        self.templates = templates
        self.cache = cache
        self.border = border
        self.session_turns = session_turns
        self.compactor_window = compactor_window
        self.retries = retries
        self.pin_user = pin_user
        self.overflow = overflow

    def reset(self, kit: Kit, brief: Brief, saved: bytes | None = None) -> None:
        """Raises ValueError for settings out of range and weights of another kind, FileNotFoundError for none."""
        settings.one_of("fire", self.fire, ("learned", "length"))
        settings.one_of("keep", self.keep, ("learned", "oldest"))
        settings.share("floor", self.floor)
        for name, part in (("lines", self.lines or 0.0), ("identifier_share", self.identifier_share)):
            if not 0 <= part < 1:
                raise ValueError(f"{name}={part!r}: give a share of the summary from 0 to below 1")
        settings.at_least("session_turns", self.session_turns, 1)
        known, own = scorer.load(self.model, self.digest), policy.load(self.model)
        border = re.compile(self.border) if self.border is not None else None
        subtasks = Subtasks(border, self.session_turns, "none")
        choosing = Choosing(lambda: Reading(self._pinned), known, own, subtasks, self.keep_turns, self.floor)
        fires = choosing.fires if self.fire == "learned" else None
        when = When("length", self.share, 1, self.low_water, self.keep_turns, fires=fires)
        terms = Terms(
            when, LEVELS, self.summary_share, self.compactor_window, self.templates, self.cache, self.retries,
            self.pin_user, self.overflow,
        )  # fmt: skip
        lines = own.line_share if self.lines is None else self.lines
        telling = Telling(choosing, known, lines * (1 - self.identifier_share), self.identifier_share)
        order = choosing.in_order if self.keep == "learned" else choosing.oldest
        self._compaction = Compaction(kit, brief, terms, telling, saved, before=choosing, order=order)

    def compose(self, history: History, budget: int) -> Sequence[Message]:
        self._pinned = history.pinned
        return self._compaction.view(history, budget)

    def export(self) -> bytes:
        return self._compaction.export()
