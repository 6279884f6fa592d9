"""The agent brackets its work into episodes; when the budget is passed, finished ones leave the view, acts first."""

from __future__ import annotations

import re
from collections.abc import Sequence

from harness.contract import Brief, Call, History, Kit, Message, Tool
from strategies import settings
from strategies.blocks import size
from strategies.episodes.graph import OUTSIDE, Episodes, Order, Outside
from strategies.episodes.levels import LEVELS, Level, Stripping
from strategies.episodes.shedding import Shedding
from strategies.episodes.tools import NAMES, TOOLS, Form, read
from strategies.eviction import Eviction
from strategies.kept import Kept, Room
from strategies.mask import visible_line
from strategies.overflow import Overflow, last_resort


class Cwl:
    """Episodes are explorations (expl) or acts, by a tool of the agent's. No model is asked, nothing is stored.

    trigger: share of the budget, or tokens if above 1, above which episodes are evicted, down to `low_water` of it.
    order: which finished episode is next. acts: the oldest act, else the oldest exploration on which no act in view
    builds. age: the oldest of both, as in the authors' program. levels: what leaves of it, in this order, until that
    suffices: reasoning (of explorations), search (calls of search tools with their answers), output (those of other
    tools), episode (all of it). search, output: tools, or programs in their `command`, as patterns.
    descriptions: of an exploration its description stays. placeholder: a line that stands for an answer while its call
    stays; None: both leave. outside: what stands between two episodes: last = each block goes like an exploration on
    which nothing builds; stay = never, as in the authors' program. pin_user: user messages stay.
    delimiter: a tool to start and one to end (two), or the paper's single one.
    overflow: the last resort keeps the newest blocks and the start of the open episode.

    Never evicted by the rule: what came before the first episode, user messages, the open episode, an episode that
    holds the newest action. A budget that cannot be met so is an event `unmet`.
    Source: Semenov and Dorofeev 2026, "Beyond Compaction" (arXiv 2606.11213), sections 4.2 to 4.4 and 5; where it is
    silent, its program (github.com/Kiz8-Team/pi-cwl).
    """

    _eviction: Eviction
    _shedding: Shedding

    def __init__(
        self,
        trigger: float = 1.0,
        low_water: float = 1.0,
        order: Order = "acts",
        levels: Sequence[Level] = LEVELS,
        search: str = "(?i)grep|rg|glob|find|ls|.*(search|list).*",
        output: str = ".*",
        descriptions: bool = True,
        placeholder: str | None = None,
        outside: Outside = "last",
        pin_user: bool = True,
        delimiter: Form = "two",
        overflow: Overflow = "window",
    ) -> None:
        self.trigger = trigger
        self.low_water = low_water
        self.order = order
        self.levels = levels
        self.search = search
        self.output = output
        self.descriptions = descriptions
        self.placeholder = placeholder
        self.outside = outside
        self.pin_user = pin_user
        self.delimiter = delimiter
        self.overflow = overflow

    def reset(self, kit: Kit, brief: Brief, saved: bytes | None = None) -> None:
        """Raises ValueError for settings out of range, re.error for a broken pattern."""
        if not self.trigger > 0:
            raise ValueError(f"trigger={self.trigger!r}: give a share of the budget, or a number of tokens")
        settings.one_of("order", self.order, ("acts", "age"))
        settings.one_of("delimiter", self.delimiter, tuple(TOOLS))
        settings.one_of("outside", self.outside, OUTSIDE)
        for level in self.levels:
            settings.one_of("levels", level, LEVELS)
        settings.eviction(self.low_water, self.overflow)
        if self.placeholder is not None:
            visible_line("placeholder", self.placeholder)
        stripping = Stripping(kit.count, re.compile(self.search), re.compile(self.output), self.placeholder)
        self._shedding = Shedding(kit, stripping, self.levels, self.descriptions, self.pin_user)
        self._eviction = Eviction(kit, self._turn, self.low_water, "error", self._begin)

    def compose(self, history: History, budget: int) -> Sequence[Message]:
        self._budget = budget
        view = self._eviction.view(history, budget)
        self._answered = self._episodes.copy()
        self._shedding.told = self._eviction.kept.turn
        return view

    # ------------------------------------------------------------ tools

    @property
    def tools(self) -> tuple[Tool, ...]:
        return TOOLS[self.delimiter]

    def answer(self, call: Call) -> Message:
        asked, known = read(call), self._answered
        refusal = known.refusal(asked)
        text = known.take(asked) if refusal is None else f"error: {refusal}."
        return Message("", "tool", text, answers=call.id)

    def calls_in(self, text: str) -> Sequence[Call]:
        """Episodes are bracketed by native calls alone."""
        return ()

    def find(self, key: str) -> Sequence[Message]:
        """Nothing is held outside of the view."""
        return ()

    # ------------------------------------------------------------ turns

    def _begin(self) -> None:
        self._episodes = Episodes(self.outside)
        self._acted = -1  # place of the newest block with a call of another tool
        self._met = True

    def _turn(self, kept: Kept, room: Room) -> None:
        head = next((b for b in reversed(kept.blocks) if b.turn == kept.turn and not b.user), None)
        if head is not None:
            self._episodes.follow(head)
            if any(call.name not in NAMES for call in head.messages[0].calls):
                self._acted = head.start
        self._evict(kept, room)
        if self.overflow == "window" and kept.tokens > room.limit:
            self._last_resort(kept, room)

    def _evict(self, kept: Kept, room: Room) -> None:
        pinned = self._budget - room.limit
        most = min(self._budget, int(self.trigger * self._budget if self.trigger <= 1 else self.trigger))
        if kept.tokens + pinned > most:
            goal = int(self.low_water * most) - pinned
            while kept.tokens > goal and (episode := self._episodes.next(self.order, self._acted)):
                self._shedding.take(kept, self._episodes, episode)
        met = kept.tokens + pinned <= most
        if self._met and not met:
            self._shedding.unmet(kept.turn)
        self._met = met

    def _last_resort(self, kept: Kept, room: Room) -> None:
        """The newest blocks; the start of the open episode stays while it takes at most half of the room."""
        opened = self._episodes.open
        begun = [b for b in kept.blocks if opened is not None and b.start == opened.start]
        held = begun if size(begun) <= room.limit // 2 else []
        limit, target = room.limit - size(held), room.target - size(held)
        others = [b for b in kept.blocks if not any(b is one for one in held)]
        small = [b for b in others if b.turn < kept.turn or b.tokens <= limit]
        drop = self._shedding.drop
        drop(kept, {b.start for b in others} - {b.start for b in small}, "oversize", "overflow")
        stay = last_resort(small, limit, target) if size(small) > limit else small
        drop(kept, {b.start for b in small} - {b.start for b in stay}, "budget", "overflow")
