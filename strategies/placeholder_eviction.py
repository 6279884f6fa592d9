"""Structured eviction: what goes follows from a dependency graph, and a line stays that says how to get it back."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Literal

from harness.contract import Brief, Call, History, Kit, Message, Tool
from strategies.overflow import Overflow
from strategies.structured import placeholders, setup, tools
from strategies.structured.evictor import Room
from strategies.structured.graph import Edge
from strategies.structured.parts import Parts
from strategies.structured.policies import Policy, Standing
from strategies.structured.store import Search


class PlaceholderEviction:
    """Evicts blocks by `policy`, leaves a line for each, and gives them back on request.

    policy: lru = the one whose values were last used longest ago | safe = only what nobody unfinished needs | utility =
    the least useful | hybrid = safe ones first, then the least useful, constraints and credentials never (up to
    `core_share` of the room).
    utility: rules = tier, dependents and recency | learned = the needs a token that weights expect of it, which were
    trained on other episodes: model, a file of strategies/learned/weights or a path; digest: first digits of its
    SHA-256, null = any.

    Graph: edges: the sources of edges, of declared, use, model (`links`). verify: check them where a subtask ends.
    false_edges, missed_edges, edge_seed: see `Noise`. ask_every, ask, confidence: see `Inference`; for `model` alone.
    part_steps: see `Reading`.

    Learning: online, within, factor, most_weight: see `Learning`.

    Lines: style: id | readable. owners: that a line lists. line_share: part of the budget that lines may take before
    old ones merge into ranges, down to half of it.

    Store: retrieve: offer the tools. search: how `search_evicted` looks, off = there is none. top: entries that it
    quotes. hot: see `Store`. fetch_share: part of the room that an answer may take. prefetch: entries that are brought
    back unasked, 0 = none; prefetch_when: see `Prefetch`.

    low_water: share of the budget to evict down to. overflow: see strategies/overflow.py.

    Source: the seed document on structured context eviction (docs/strategies/placeholder_eviction.md names its
    sections); numbers that it lacks are ours and marked there.
    """

    _kit: Kit
    _parts: Parts

    def __init__(
        self,
        policy: Policy = "hybrid",
        core_share: float = 0.5,
        utility: Literal["rules", "learned"] = "rules",
        model: str = "eviction.json",
        digest: str | None = None,
        edges: Sequence[str] = ("declared", "use"),
        verify: bool = True,
        false_edges: float = 0.0,
        missed_edges: float = 0.0,
        edge_seed: int = 0,
        ask_every: int = 4,
        ask: Literal["wait", "beside"] = "wait",
        confidence: float = 0.8,
        part_steps: int = 10,
        online: bool = True,
        within: int = 5,
        factor: float = 1.5,
        most_weight: float = 4.0,
        style: placeholders.Style = "readable",
        owners: int = 12,
        line_share: float = 0.3,
        retrieve: bool = True,
        search: Search = "vector+metadata",
        top: int = 5,
        hot: int = 32,
        fetch_share: float = 0.5,
        prefetch: int = 0,
        prefetch_when: Literal["now", "beside"] = "now",
        low_water: float = 0.8,
        overflow: Overflow = "window",
    ) -> None:
        self.policy = policy
        self.core_share = core_share
        self.utility = utility
        self.model = model
        self.digest = digest
        self.edges = edges
        self.verify = verify
        self.false_edges = false_edges
        self.missed_edges = missed_edges
        self.edge_seed = edge_seed
        self.ask_every = ask_every
        self.ask = ask
        self.confidence = confidence
        self.part_steps = part_steps
        self.online = online
        self.within = within
        self.factor = factor
        self.most_weight = most_weight
        self.style = style
        self.owners = owners
        self.line_share = line_share
        self.retrieve = retrieve
        self.search = search
        self.top = top
        self.hot = hot
        self.fetch_share = fetch_share
        self.prefetch = prefetch
        self.prefetch_when = prefetch_when
        self.low_water = low_water
        self.overflow = overflow

    @property
    def asks(self) -> bool:
        """Whether it asks a model of its own."""
        return "model" in self.edges

    # ------------------------------------------------------------ the episode

    def reset(self, kit: Kit, brief: Brief, saved: bytes | None = None) -> None:
        """Raises ValueError for settings out of range and weights of another kind, FileNotFoundError for none."""
        setup.check(self)
        self._kit = kit
        self._parts = setup.built(self, kit, brief)
        if saved is not None:
            self._parts.load(json.loads(saved), brief.session)

    def compose(self, history: History, budget: int) -> Sequence[Message]:
        parts = self._parts
        parts.restore(history)
        news = self._read(history)
        if parts.evictor.learned is not None:
            parts.evictor.learned.read(history)
        at, task = parts.reading.at, history.pinned[1]
        system = parts.note.put(history.pinned, budget)
        pinned = self._kit.count((system, task))
        ahead = self._ahead(news, budget - pinned)
        taken = pinned + self._kit.count(ahead)
        room = Room(
            budget - taken,
            int(self.low_water * budget) - taken,
            int(self.line_share * budget),
            at.since,
            at.task_at,
        )
        now = Standing(parts.graph, parts.intake.used, parts.intake.learning.weights, at.step, at.part)
        parts.evictor.fit(room, now, self._kit.event)
        parts.answering.most = int(self.fetch_share * room.limit)
        parts.answering.left = room.limit - sum(i.tokens for i in parts.page.raw if i.entry.turn >= at.since)
        items = parts.page.items
        before = [m for item in items if item.start < at.task_at for m in item.messages]
        after = [m for item in items if item.start > at.task_at for m in item.messages]
        return [system, *before, task, *after, *ahead]

    def export(self) -> bytes:
        return json.dumps(self._parts.dump(), ensure_ascii=True).encode()

    # ------------------------------------------------------------ tools

    @property
    def tools(self) -> tuple[Tool, ...]:
        return tools.offered(self.retrieve, self.search != "off")

    def answer(self, call: Call) -> Message:
        return self._parts.answering.answer(call)

    def calls_in(self, text: str) -> Sequence[Call]:
        return tools.calls_in(text) if self.retrieve else ()

    def find(self, key: str) -> Sequence[Message]:
        """The stored entries that hold all parts of a key, to measure."""
        parts = key.split("/")
        texts = (entry.text for entry in self._parts.store)
        return [Message("", "tool", text) for text in texts if all(part in text for part in parts)]

    def proposed(self) -> Iterator[tuple[Edge, str, str]]:
        """Every edge of this history that was ever proposed, with the ids of its two messages: to score its source."""
        at = self._parts.reading.at
        here = range(at.base, at.base + at.read)
        for edge in self._parts.graph.edges():
            if edge.source in here and edge.dependent in here:
                yield edge, f"m{edge.source - at.base}", f"m{edge.dependent - at.base}"

    # ------------------------------------------------------------ the parts of a turn

    def _read(self, history: History) -> bool:
        """Take in what is new; returns whether anything was."""
        parts, news = self._parts, False
        for read in parts.reading.take(history):
            news = True
            parts.intake.take(read, parts.reading.at.step)
            if read.entry.ref == 0:
                continue
            parts.page.add(read.entry, read.messages)
            if self.asks and not read.entry.own:
                parts.inference.waiting.append(read.entry.ref)
        if self.asks:
            parts.inference.take(parts.reading.at.step, parts.entries, parts.links)
        return news

    def _ahead(self, news: bool, room: int) -> list[Message]:
        """What is brought back unasked."""
        parts, at = self._parts, self._parts.reading.at
        if news:
            newest = [n for item in parts.page.raw if item.entry.turn >= at.since for n in item.entry.nodes]
            parts.prefetch.look(newest, parts.graph, parts.intake.refs, parts.evictor.gone)
        found = parts.prefetch.messages(parts.store, at.session, room, self._size)
        if found or parts.prefetch.shown:  # at the end of the view it breaks what is cached there
            self._kit.event("prefetch", "graph", [name for message in found for name in message.sources])
        parts.prefetch.shown = bool(found)
        return found

    def _size(self, message: Message) -> int:
        return self._kit.count((message,))
