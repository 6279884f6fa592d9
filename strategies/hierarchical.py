"""Hierarchical memory: a working set in view, an event stream and stable facts beside it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from harness.contract import Brief, Call, History, Kit, Message, Tool
from strategies import settings
from strategies.eviction import Eviction
from strategies.memory import tools
from strategies.memory.added import Added, Additions, LookBack
from strategies.memory.compression import Compression
from strategies.memory.current import Current
from strategies.memory.forgetting import Forgetting, Retention
from strategies.memory.intake import Chunk
from strategies.memory.layers import CompressAt, Layers, Settings
from strategies.memory.reading import Position, Reading
from strategies.memory.retrieval import Retrieval
from strategies.memory.shares import shared
from strategies.overflow import Overflow
from strategies.recall import SEARCH, When


class Hierarchical:
    """Keeps the newest blocks, what holds throughout, the last steps, and what memory finds for the present order.

    Shares of the budget:
    forced, retrieved, current: for the goal, goals and constraints, open subtask and last steps; for what memory brings
    back; for the newest blocks. low_water: share of `current` to evict down to. overflow: see strategies/overflow.py.

    Injection: injection: force goals and constraints, the open subtask and the last `last_steps` steps into every view.

    Retrieval: when: every_turn, or on_call by the tool `search_memory`. place: retrieved text last, so that the cached
    prefix lives (tail), or in front of the current blocks, so that old text stands before new (front). threshold,
    threshold_on, top, half_life, metadata: see `Retrieval`. embed_cache: see `Vectors`.

    Writing: chunk: a unit is a message (event), `chunk_tokens` tokens (fixed), or all of a subtask (subtask).
    duplicates: look for them; similar: least cosine of one (`duplicates.place`).

    Compression: compress_at: border, count (over `most_units` episodic units), both, never. ratio, keep: see
    `Compression`; compactor_window: its `window`. look_back: see `Additions`.

    Forgetting: retention, last_units, decisions, thoughts, step_down: see `Forgetting`.

    Source: the seed document on hierarchical memory (docs/strategies/hierarchical.md names the sections); numbers that
    it lacks are ours and marked there.
    """

    reading: Reading
    layers: Layers
    _kit: Kit
    _raw: Eviction
    _additions: Additions

    def __init__(
        self,
        forced: float = 0.2,
        retrieved: float = 0.4,
        current: float = 0.4,
        injection: bool = True,
        last_steps: int = 5,
        when: When = "every_turn",
        place: Literal["tail", "front"] = "tail",
        threshold: float = 0.2,
        threshold_on: Literal["similarity", "decayed"] = "similarity",
        top: int = 6,
        half_life: float = 40,
        metadata: Literal["before", "after", "off"] = "before",
        embed_cache: bool = True,
        chunk: Chunk = "event",
        chunk_tokens: int = 64,
        duplicates: bool = True,
        similar: float = 0.95,
        compress_at: CompressAt = "both",
        most_units: int = 50,
        ratio: float = 20,
        keep: bool = True,
        compactor_window: int | None = None,
        look_back: LookBack = "follow",
        retention: Retention = "tiered",
        last_units: int = 20,
        decisions: int = 20,
        thoughts: int = 5,
        step_down: Sequence[int] = (40, 80),
        low_water: float = 0.7,
        overflow: Overflow = "window",
    ) -> None:
        self.forced = forced
        self.retrieved = retrieved
        self.current = current
        self.injection = injection
        self.last_steps = last_steps
        self.when = when
        self.place = place
        self.threshold = threshold
        self.threshold_on = threshold_on
        self.top = top
        self.half_life = half_life
        self.metadata = metadata
        self.embed_cache = embed_cache
        self.chunk = chunk
        self.chunk_tokens = chunk_tokens
        self.duplicates = duplicates
        self.similar = similar
        self.compress_at = compress_at
        self.most_units = most_units
        self.ratio = ratio
        self.keep = keep
        self.compactor_window = compactor_window
        self.look_back = look_back
        self.retention = retention
        self.last_units = last_units
        self.decisions = decisions
        self.thoughts = thoughts
        self.step_down = step_down
        self.low_water = low_water
        self.overflow = overflow

    # ------------------------------------------------------------ the episode

    def reset(self, kit: Kit, brief: Brief, saved: bytes | None = None) -> None:
        """Raises ValueError for settings out of range."""
        arrangement = self._arrangement()
        self._kit = kit
        own = frozenset(tool.name for tool in self.tools)
        self._current = Current(self.low_water, own)
        self._raw = Eviction(kit, self._current.evict, self.low_water, self.overflow)
        self._room = 0
        self._task, self._shown = "", frozenset[str]()  # the task message; ids of what is in view
        rereads = {tool.name for tool in brief.tools if tool.purpose == "retrieve"}
        self.reading = Reading(rereads, own, self.chunk, self.chunk_tokens)
        state = json.loads(saved) if saved is not None else {}
        self.layers = Layers(kit, arrangement, self.embed_cache, state.get("store"))
        self._additions = Additions(kit, self.layers, self.last_steps, self.look_back)
        if state:
            self.reading.at = self._resumed(Position.load(state["position"]), brief.session)
        self.reading.at.session = brief.session

    def compose(self, history: History, budget: int) -> Sequence[Message]:
        count, pinned = self._kit.count, history.pinned
        given = count(pinned)
        shares = shared(budget, given, self.forced, self.retrieved, self.current, self.injection)
        self._current.most, self._room = shares.current, shares.retrieved
        self._raw.settle(history, budget - shares.forced)
        raw = self._raw.kept
        self._shown = frozenset(m.id for messages in (pinned, *(b.messages for b in raw.blocks)) for m in messages)
        self.read(history)
        left = budget - given - raw.tokens
        added = Added()
        if self.injection:
            most = shares.binding(raw.tokens)
            standing, listed = self._additions.standing(self._shown, self._task, shares.standing, most)
            self._shown |= listed
            left -= count(standing)
            added = Added(standing, self._additions.now(self.reading.at, self._shown, self._task, left))
            left -= count(added.now)
        if self.when == "every_turn":
            added = replace(added, recalled=self._recalled(self.reading.at.order, min(shares.retrieved, left)))
        self._additions.note(added, self.place)
        front, tail = added.placed(self.place)
        return [*self._raw.view(history, budget - shares.forced, front), *tail]

    def read(self, history: History) -> None:
        """Write what is new, compress what is due, forget what has faded."""
        at, self._task = self.reading.at, history.pinned[1].id
        self.layers.write(self.reading.take(history[at.read :], self._task))
        ended, at.ended = at.ended, []
        self.layers.compress(ended, at.step)
        self.layers.forget(at.step)

    def export(self) -> bytes:
        state = {"position": self.reading.at.dump(), "store": self.layers.store.dump()}
        return json.dumps(state, ensure_ascii=False, sort_keys=True).encode()

    # ------------------------------------------------------------ tools

    @property
    def tools(self) -> tuple[Tool, ...]:
        return tools.offered(self.when, self.look_back == "tool")

    def answer(self, call: Call) -> Message:
        """What memory finds for a query, or the originals of a summary, within the retrieved share of the budget."""
        asked = tools.argument(call)
        if call.name == SEARCH:
            found = self._recalled(asked, self._room)
            return tools.answered(call, found) if found else tools.error(call, f"memory has nothing on {asked!r}")
        original = self._additions.original(asked, self.reading.at.order, self._task, self._room // 2)
        if original is None:
            return tools.error(call, f"there is no unit {asked!r}; the summaries in view name theirs")
        return tools.answered(call, (original,))

    def calls_in(self, text: str) -> Sequence[Call]:
        return tools.calls_in(text, self.tools)

    def find(self, key: str) -> Sequence[Message]:
        """All units, of whatever status, in which every part of the key stands."""
        parts = key.lower().split("/")
        units = [u for u in self.layers.store if all(part in u.content.lower() for part in parts)]
        return [Message(f"unit:{unit.id}", "user", unit.content) for unit in units]

    # ------------------------------------------------------------ the rest

    def _recalled(self, text: str, room: int) -> tuple[Message, ...]:
        return self._additions.recalled(text, self.reading.at.step, self._shown, self._task, room)

    def _resumed(self, at: Position, session: int) -> Position:
        """Go on in the same history; or begin another one, in which the ids of the last one mean nothing."""
        if at.session == session:
            return at
        self.layers.store.without_sources()
        ended = [(at.subtask, at.aim)] if at.subtask is not None else []
        return Position(session, step=at.step, done=at.done + len(ended), ended=ended)

    def _arrangement(self) -> Settings:
        """The settings of the memory, checked."""
        for name, value in (("forced", self.forced), ("retrieved", self.retrieved), ("current", self.current)):
            settings.share(name, value)
        settings.eviction(self.low_water, self.overflow)
        settings.one_of("when", self.when, ("every_turn", "on_call"))
        settings.one_of("place", self.place, ("tail", "front"))
        settings.one_of("chunk", self.chunk, ("fixed", "event", "subtask"))
        settings.one_of("look_back", self.look_back, ("follow", "tool", "off"))
        settings.at_least("chunk_tokens", self.chunk_tokens, 1)
        found = Settings(
            self.similar if self.duplicates else None,
            self.chunk == "subtask",
            self.compress_at,
            self.most_units,
            Retrieval(self.threshold, self.threshold_on, self.top, self.half_life, self.metadata),
            Compression(self.ratio, self.keep, self.compactor_window),
            Forgetting(
                self.retention, self.last_units, self.decisions, self.thoughts, self.last_steps, tuple(self.step_down)
            ),
        )
        found.check()
        return found
