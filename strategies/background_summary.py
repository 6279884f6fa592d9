"""Old messages become a summary that a model writes beside the agent, which goes on meanwhile."""

from __future__ import annotations

import re
from collections.abc import Sequence

from harness.contract import Brief, History, Kit, Message
from strategies import settings
from strategies.compaction.beside import Beside
from strategies.compaction.breaker import Breaker
from strategies.compaction.folding import Folding
from strategies.compaction.polishing import Polish
from strategies.compaction.prompts import LEVELS, Form, Level
from strategies.compaction.shell import Compaction
from strategies.compaction.terms import Terms
from strategies.compaction.triggers import Trigger, When
from strategies.overflow import Overflow
from strategies.summary import BORDER


class BackgroundSummary:
    """As `summary`, but nobody waits: the summary is asked for earlier (`share`) and spliced in once it is there.

    One is under way at a time. It carries the version of the view that it is based on, and takes the place of the
    blocks that it covers, whatever was added meanwhile. Where it does not come in time, the last resort cuts.

    trigger, share, steps, low_water, keep_turns, summary_share, levels, compactor_window, retries, form: as in
    `summary`.
    failures, latency, queue, cool: of the breaker: failed answers in a row, seconds of an answer, waiting calls that
    open it, and seconds until a trial. slow: seconds of an answer from which on only the finest level is asked for.
    polish: while nothing is due, under way or waiting for a slot, write the oldest entry anew from its originals, by
    the better compactor (`better`) where one is set. overflow: as in `window`.

    Source: asynchronous compaction with versions, single flight, degradation and a breaker: the "parallel compaction"
    design, which inserts by position and drops failures in silence; here by identity, and visibly.
    """

    asks = True
    _compaction: Compaction

    def __init__(
        self,
        trigger: Trigger = "mixed",
        share: float = 0.6,
        steps: int = 50,
        low_water: float = 0.4,
        keep_turns: int = 3,
        summary_share: float = 0.2,
        levels: Sequence[Level] = LEVELS,
        identifier_share: float = 0.2,
        session_turns: int = 10,
        compactor_window: int | None = None,
        retries: int = 1,
        form: Form = "text",
        failures: int = 3,
        latency: float = 60.0,
        queue: int = 3,
        cool: float = 60.0,
        slow: float = 20.0,
        polish: bool = False,
        overflow: Overflow = "window",
    ) -> None:
        self.trigger = trigger
        self.share = share
        self.steps = steps
        self.low_water = low_water
        self.keep_turns = keep_turns
        self.summary_share = summary_share
        self.levels = levels
        self.identifier_share = identifier_share
        self.session_turns = session_turns
        self.compactor_window = compactor_window
        self.retries = retries
        self.form = form
        self.failures = failures
        self.latency = latency
        self.queue = queue
        self.cool = cool
        self.slow = slow
        self.polish = polish
        self.overflow = overflow

    def reset(self, kit: Kit, brief: Brief, saved: bytes | None = None) -> None:
        """Raises ValueError for settings out of range."""
        settings.share("identifier_share", self.identifier_share)
        settings.at_least("session_turns", self.session_turns, 1)
        settings.at_least("failures", self.failures, 1)
        settings.at_least("queue", self.queue, 0)
        for name in ("latency", "cool", "slow"):
            if not getattr(self, name) >= 0:
                raise ValueError(f"{name}={getattr(self, name)!r}: give seconds of at least 0")
        when = When(self.trigger, self.share, self.steps, self.low_water, self.keep_turns)
        # No cache of replies: a stage that is brought to its point again must ask for the same as the first time.
        terms = Terms(
            when, tuple(self.levels), self.summary_share, self.compactor_window, templates=True, cache=False,
            retries=self.retries, pin_user=False, overflow=self.overflow, form=self.form,
        )  # fmt: skip
        breaker = Breaker(self.failures, self.latency, self.queue, self.cool)
        beside = Beside(kit, breaker, self.slow, Polish() if self.polish else None)
        folding = Folding(self.identifier_share, re.compile(BORDER), self.session_turns)
        self._compaction = Compaction(kit, brief, terms, folding, saved, beside=beside)

    def compose(self, history: History, budget: int) -> Sequence[Message]:
        return self._compaction.view(history, budget)

    def export(self) -> bytes:
        return self._compaction.export()
