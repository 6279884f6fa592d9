"""Old messages become a summary that a model writes, while the agent waits."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

from harness.contract import Brief, History, Kit, Message
from strategies import settings
from strategies.compaction.folding import Folding
from strategies.compaction.prompts import LEVELS, Form, Level
from strategies.compaction.shell import Compaction
from strategies.compaction.terms import Terms
from strategies.compaction.triggers import Trigger, When
from strategies.overflow import Overflow

Depth = Literal["deep", "shallow"]
BORDER = r"(?i)\b(?:part|phase|subtask|section|milestone) \d+(?:/\d+)?"


class Summary:
    """Summarises the oldest turns once `trigger` says so; the newest `keep_turns` stay raw.

    trigger: length (the view passes `share` of the budget) | steps (`steps` turns stand raw beside the kept ones) |
    decay (the oldest third gets under 5 % of the last ten actions' references) | mixed (length, at the latest steps). A
    view over the budget is always summarised, whatever the trigger.
    share, low_water: shares of the budget: where length triggers, and down to which it then summarises turns.
    keep_turns: turns that stay raw, the current one included; fewer where the budget does not hold them.
    summary_share: share of the budget that the summary may take, its identifiers included.
    levels: fragment | session | global, the grains of the summary. depth: deep = all of them, shallow = the first only.
    identifiers: list ids, paths and codes of what was summarised beside the summary; identifier_share: its part of it.
    templates: instructions by what a text is (code, data, dialogue, maths). cache: the same request is asked once.
    batch: turns a request (null = as many as fit). border: what announces a subtask in a text (a pattern; null =
    nothing does); session_turns: turns after which a subtask ends at the latest where nothing announces any.
    compactor_window: tokens of a request to the compactor with its answer; null = the budget.
    retries: how often it is asked again after an answer that is empty, cut off, too long or not shorter; then lines of
    the text stand in, and an event says so. form: of an answer: text, or json = an object with a list of lines, which
    is refused where it is anything else.
    pin_user, overflow: as in `window`.

    Source: triggers, levels and the list of what is never summarised: the design that "parallel compaction" articles
    describe; N and M: Lindenbauer et al. 2025, "The Complexity Trap" (arXiv 2508.21433), LLM-Summary.
    """

    asks = True  # a compactor must be set
    _compaction: Compaction

    def __init__(
        self,
        trigger: Trigger = "mixed",
        share: float = 0.8,
        steps: int = 50,
        low_water: float = 0.5,
        keep_turns: int = 3,
        summary_share: float = 0.2,
        levels: Sequence[Level] = LEVELS,
        depth: Depth = "deep",
        identifiers: bool = True,
        identifier_share: float = 0.2,
        templates: bool = True,
        cache: bool = True,
        batch: int | None = None,
        border: str | None = BORDER,
        session_turns: int = 10,
        compactor_window: int | None = None,
        retries: int = 1,
        form: Form = "text",
        pin_user: bool = False,
        overflow: Overflow = "window",
    ) -> None:
        self.trigger = trigger
        self.share = share
        self.steps = steps
        self.low_water = low_water
        self.keep_turns = keep_turns
        self.summary_share = summary_share
        self.levels = levels
        self.depth = depth
        self.identifiers = identifiers
        self.identifier_share = identifier_share
        self.templates = templates
        self.cache = cache
        self.batch = batch
        self.border = border
        self.session_turns = session_turns
        self.compactor_window = compactor_window
        self.retries = retries
        self.form = form
        self.pin_user = pin_user
        self.overflow = overflow

    def reset(self, kit: Kit, brief: Brief, saved: bytes | None = None) -> None:
        """Raises ValueError for settings out of range, re.error for a broken border."""
        settings.one_of("depth", self.depth, ("deep", "shallow"))
        settings.share("identifier_share", self.identifier_share)
        settings.at_least("session_turns", self.session_turns, 1)
        if self.batch is not None:
            settings.at_least("batch", self.batch, 1)
        when = When(self.trigger, self.share, self.steps, self.low_water, self.keep_turns)
        levels = tuple(self.levels) if self.depth == "deep" else tuple(self.levels)[:1]
        terms = Terms(
            when, levels, self.summary_share, self.compactor_window, self.templates, self.cache, self.retries,
            self.pin_user, self.overflow, self.form,
        )  # fmt: skip
        border = re.compile(self.border) if self.border is not None else None
        folding = Folding(self.identifier_share if self.identifiers else 0.0, border, self.session_turns, self.batch)
        self._compaction = Compaction(kit, brief, terms, folding, saved)

    def compose(self, history: History, budget: int) -> Sequence[Message]:
        return self._compaction.view(history, budget)

    def export(self) -> bytes:
        return self._compaction.export()
