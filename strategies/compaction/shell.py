"""A summary in place of the oldest messages, over a history: when it is made, what stays raw, its state.

Each history message is pinned, stands raw, or is covered by the summary; what is not (a block too large for any view,
the last resort) was noted as event `overflow`. The summary is a made user message directly after the task.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from itertools import groupby
from typing import Any

from harness.contract import Brief, History, Kit, Message
from strategies.blocks import Block, size
from strategies.compaction.asking import Compactor
from strategies.compaction.beside import Beside
from strategies.compaction.flight import Plan
from strategies.compaction.layers import Layers, Stage, blank, blocking, least, restored
from strategies.compaction.polishing import IDLE
from strategies.compaction.prompts import Level
from strategies.compaction.terms import Fold, Terms
from strategies.compaction.triggers import holding
from strategies.eviction import Eviction, Rule
from strategies.kept import Kept, Room
from strategies.overflow import last_resort

# (raw turns, number of the current one, used share of the budget, summary) -> the turns, those that go first in front
Order = Callable[[Sequence[list[Block]], int, float, Layers], list[list[Block]]]


class Compaction:
    """`fold` makes the summary; `before` is a rule applied to what is kept at each turn's end, ahead of it; with
    `beside` the agent does not wait for a summary; `order` says which turns go first, None = the oldest.

    saved: a state that `export` gave in the same session; in another session it is of no use, for the messages that it
    names are not there.
    """

    _history: History

    def __init__(
        self, kit: Kit, brief: Brief, terms: Terms, fold: Fold, saved: bytes | None, before: Rule | None = None,
        beside: Beside | None = None, order: Order | None = None,
    ) -> None:  # fmt: skip
        terms.check()
        self._kit = kit
        self._terms = terms
        self._fold = fold
        self._before = before
        self._beside = beside
        self._order = order
        self._version = 0  # of the view: each turn and each summary makes another one
        self._session = brief.session
        self._frame = kit.count((Message("frame", "user", "x"),)) - 1
        self._cache: dict[str, str] | None = {} if terms.cache else None
        self._layers = blank(terms.levels)
        self._lost: dict[str, None] = {}
        self._turn = self._last = -1  # the newest turn that was settled, and the newest block then
        self._tight = False  # the last summary did not bring the view under the trigger
        self._shown = True
        self._budget = 0
        self._goal = ""
        self._restore(saved)
        self._made: Message | None = None
        self._eviction = Eviction(kit, self._rule, terms.when.low_water, terms.overflow)

    def view(self, history: History, budget: int) -> list[Message]:
        self._budget, self._goal, self._history = budget, history.pinned[1].content, history
        self._eviction.settle(history, budget)
        made = self._message() if self._shown else None
        return self._eviction.view(history, budget, () if made is None else (made,))

    def export(self) -> bytes:
        state = {
            "session": self._session,
            "layers": self._layers.plain(),
            "lost": list(self._lost),
            "turn": self._turn,
            "last": self._last,
            "tight": self._tight,
            "shown": self._shown,
            "cache": self._cache,
            "version": self._version,
            "beside": self._beside.plain() if self._beside is not None else None,
        }
        return json.dumps(state, ensure_ascii=False).encode("utf-8", "surrogatepass")

    def _restore(self, saved: bytes | None) -> None:
        state: dict[str, Any] = json.loads(saved.decode("utf-8", "surrogatepass")) if saved else {"session": None}
        if state["session"] != self._session:
            return
        self._layers = restored(state["layers"])
        self._lost = dict.fromkeys(state["lost"])
        self._turn, self._last = state["turn"], state["last"]
        self._tight, self._shown, self._cache = state["tight"], state["shown"], state["cache"]
        self._version = state["version"]
        if self._beside is not None and state["beside"] is not None:
            self._beside.restore(state["beside"])

    # ------------------------------------------------------------ one turn

    def _rule(self, kept: Kept, room: Room) -> None:
        self._lose(kept)
        if self._before is not None:
            self._before(kept, room)
        newest = kept.blocks[-1].start if kept.blocks else -1
        if kept.turn <= self._turn:  # read anew: what was covered or lost then is so now
            if self._beside is not None:
                self._beside.read_again(kept.blocks)
            gone = {*self._layers.sources, *self._lost}
            kept.retain([b for b in kept.blocks if not gone.issuperset(b.ids)], "again", "compact")
            kept.take_gone()
            if kept.turn < self._turn or newest <= self._last:
                return
        self._version += 1  # whatever was added makes another view
        if self._beside is not None:
            self._land(self._beside, kept, room)
        due = self._summarise(kept, room)
        if self._beside is not None and not due:
            self._beside.rest(self._layers, self._history, self._version, self._compactor())
        self._make_room(kept, room)
        self._turn, self._last = kept.turn, max(newest, self._last)

    def _lose(self, kept: Kept) -> None:
        self._lost.update(dict.fromkeys(name for block in kept.take_gone() for name in block.ids))

    def _summarise(self, kept: Kept, room: Room) -> bool:
        """Returns whether it was due."""
        held, free = kept.held(self._terms.pin_user)
        turns = [list(turn) for _, turn in groupby(free, key=lambda block: block.turn)]
        old, when = self._tokens(), self._terms.when
        most = min(int(self._terms.summary * self._budget), room.limit - size(held))
        pinned, grown = self._budget - room.limit, max(0, most - old)
        used = pinned + old + kept.tokens
        if self._order is not None:
            turns = self._order(turns, kept.turn, used / max(1, self._budget), self._layers)
        trigger, number = when.due([*turns, held] if held else turns, kept.turn, used, grown, self._budget)
        if trigger in ("length", "learned") and self._tight and used <= self._budget:
            number = 0  # in vain so far
        if number == 0 and used > self._budget:
            trigger, number = "budget", holding(turns, used + grown - int(when.low_water * self._budget))
        excess = kept.tokens + old + grown - room.limit
        if trigger and excess > size(block for turn in turns[:number] for block in turn):
            number = holding(turns, excess)
        blocks = sorted((block for turn in turns[:number] for block in turn), key=lambda block: block.start)
        if not blocks:
            return False
        most = min(most, old + size(blocks) // 2)  # it is to be shorter than what it replaces
        if most - self._frame < least(self._layers.levels, self._size):
            self._infeasible("room")
            return True
        if self._beside is not None:
            self._beside.take_off(
                blocks, most - self._frame, trigger, self._version, self._terms.levels, self._stage,
                used / self._budget,
            )  # fmt: skip
            return True
        made = blocking(self._fold(self._layers, blocks, most - self._frame, self._compactor()), self._kit.ask_all)
        self._splice(kept, room, blocks, made, trigger)
        return True

    def _splice(self, kept: Kept, room: Room, blocks: Sequence[Block], made: Layers, trigger: str) -> None:
        """The new summary in place of the former one and of the blocks, if that is shorter."""
        old = self._tokens()
        before, self._layers, self._made = (self._layers, self._made), made, None
        if self._tokens() >= old + size(blocks):
            self._layers, self._made = before
            self._infeasible("not shorter")
            return
        starts = {block.start for block in blocks}
        covered = set(made.sources)
        self._lost = {name: None for name in self._lost if name not in covered}
        kept.retain([block for block in kept.blocks if block.start not in starts], trigger, "compact")
        kept.take_gone()
        pinned = self._budget - room.limit
        if pinned + self._tokens() + kept.tokens > int(self._terms.when.share * self._budget):
            self._infeasible("over the trigger")
        else:
            self._tight = False

    # ------------------------------------------------------------ beside the agent

    def _stage(self, blocks: Sequence[Block], plan: Plan) -> Stage[Layers]:
        depth = None if plan.deep else self._terms.levels[:1]
        return self._fold(self._layers, blocks, plan.room, self._compactor(depth))

    def _land(self, beside: Beside, kept: Kept, room: Room) -> None:
        """Splice what has come back, by the places of its blocks; what was added meanwhile stays behind it."""
        landed = beside.landed(self._stage, self._layers, self._history, self._compactor())
        if landed is None:
            return
        plan, made = landed
        self._kit.event("landed", f"{plan.trigger}, view {plan.version} to {self._version}")
        if plan.trigger == IDLE:
            self._layers, self._made = made, None
        else:
            self._splice(kept, room, [block for block in kept.blocks if beside.covers(block)], made, plan.trigger)

    def _infeasible(self, cause: str) -> None:
        """Said once, until a summary brings the view under the trigger again."""
        if not self._tight:
            self._kit.event("infeasible", cause)
        self._tight = True

    def _make_room(self, kept: Kept, room: Room) -> None:
        """The last resort: the newest blocks beside the summary; without it where the newest turn fits only so."""
        if self._terms.overflow == "error":
            return
        taken = self._tokens()
        shown = kept.tokens + taken <= room.limit
        if not shown:
            newest = size(block for block in kept.blocks if block.turn == kept.blocks[-1].turn)
            shown = taken + newest <= room.limit
            beside = taken if shown else 0
            if kept.tokens + beside > room.limit:
                rest = last_resort(kept.blocks, room.limit - beside, room.target - beside)
                kept.retain(rest, "budget", "overflow")
                self._lose(kept)
        if shown != self._shown:
            self._kit.event("write" if shown else "overflow", "summary", self._layers.sources)
        self._shown = shown

    # ------------------------------------------------------------ the summary

    def _message(self) -> Message | None:
        if self._made is None and self._layers.sources:
            self._made = self._layers.message()
        return self._made

    def _tokens(self) -> int:
        made = self._message()
        return self._kit.count((made,)) if made is not None else 0

    def _size(self, text: str) -> int:
        return self._kit.count((Message("text", "user", text),)) - self._frame if text.strip() else 0

    def _compactor(self, levels: tuple[Level, ...] | None = None) -> Compactor:
        terms = self._terms
        window = terms.window if terms.window is not None else self._budget
        return Compactor(
            window, self._size, self._frame, self._kit.event, self._goal, terms.templates, terms.retries, levels,
            self._cache, terms.form,
        )  # fmt: skip
