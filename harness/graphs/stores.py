"""Recall and latency of a strategy's search, over the facts that its store holds at the end of an episode.

The state in which the episode ended is loaded again under other settings: the way of searching, how many entries a
search quotes, how many are in the fast tier.
"""

from __future__ import annotations

import random
import statistics
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from harness.contract import Brief, Call, Fact, MemoryTools, Message, Persistent, Strategy, Tool
from harness.facts import live, table
from harness.graphs.played import Played
from harness.kit import EpisodeKit
from harness.models.filling import fill, text_parameter
from harness.parts import Parts, SettingsError
from harness.presence import Index
from harness.tokens import Counter


@dataclass(frozen=True, slots=True)
class Found:
    """facts: that the store holds. hits: of them, those that a search by their key returned. seconds: each search's."""

    facts: int = 0
    hits: int = 0
    seconds: tuple[float, ...] = ()

    @property
    def recall(self) -> float | None:
        return self.hits / self.facts if self.facts else None

    def milliseconds(self, percent: float) -> float | None:
        """The quantile of a search's time."""
        if not self.seconds:
            return None
        ordered = sorted(self.seconds)
        return 1000 * ordered[min(len(ordered) - 1, int(percent / 100 * len(ordered)))]

    @property
    def median(self) -> float | None:
        return 1000 * statistics.median(self.seconds) if self.seconds else None

    def __add__(self, other: Found) -> Found:
        return Found(self.facts + other.facts, self.hits + other.hits, self.seconds + other.seconds)


def searched(parts: Parts, one: Played, make: Callable[[], Strategy]) -> Found:
    """make: the strategy under the settings to try. The first search, which indexes what is new, is not timed.

    Raises SettingsError for a strategy that has no state or no search by words.
    """
    strategy = _loaded(parts, one, make)
    tool = _search(strategy)
    assert isinstance(strategy, MemoryTools)
    facts = [fact for fact in table(one.record).facts if live(fact, one.record.steps)]
    index = Index(facts, parts.task.grammar)
    stored = [n for n, fact in enumerate(facts) if n in _bound(index, strategy.find(fact.key))]
    hits, seconds = 0, list[float]()
    for fact in stored[:1]:
        _ask(strategy, tool, facts[fact])
    for fact in stored:
        started = time.perf_counter()
        told = _ask(strategy, tool, facts[fact])
        seconds.append(time.perf_counter() - started)
        hits += fact in _bound(index, [told])
        strategy.compose(one.history, parts.budget)  # what a search may take is granted anew
    return Found(len(stored), hits, tuple(seconds))


def _loaded(parts: Parts, one: Played, make: Callable[[], Strategy]) -> Strategy:
    if not isinstance(one.strategy, Persistent):
        raise SettingsError(f"{type(one.strategy).__name__} has no state to load: choose strategy=placeholder_eviction")
    kit = EpisodeKit(Counter(parts.tokenizer), random.Random(0), None, parts.embedder)
    strategy = make()
    system, task = one.history.pinned
    strategy.reset(kit, Brief(system.content, task.content, ()), one.strategy.export())
    strategy.compose(one.history, parts.budget)
    return strategy


def _search(strategy: Strategy) -> Tool:
    tools = strategy.tools if isinstance(strategy, MemoryTools) else ()
    found = next((tool for tool in tools if tool.purpose == "retrieve" and text_parameter(tool) is not None), None)
    if found is None:
        raise SettingsError(f"{type(strategy).__name__} has no search by words: set strategy.search=keyword")
    return found


def _ask(strategy: MemoryTools, tool: Tool, fact: Fact) -> Message:
    return strategy.answer(Call("search", tool.name, fill(tool, fact.key)))


def _bound(index: Index, messages: Iterable[Message]) -> set[int]:
    return {fact for message in messages for fact in index.holds(message, written=True).bound}
