"""Forks: what a strategy could still get back at a checkpoint, found after the episode without touching it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from harness.background import Silent
from harness.contract import Call, Fact, Grammar, MemoryTools, Message, Strategy
from harness.episode import Episode
from harness.facts import live
from harness.kit import EpisodeKit, luck
from harness.presence import Index
from harness.setup import Export
from harness.shared import snapshot
from harness.tokens import Counter

Recovered = Mapping[int, Mapping[str, str]]


class Fork:
    """A second copy of the strategy in the state of a checkpoint, with a kit of its own."""

    def __init__(self, episode: Episode, export: Export) -> None:
        self.export = export
        self._setup = episode.setup
        self.tokenizer = episode.setup.tokenizer
        self.history = export.history.prefix(export.length)
        counter = Counter(self._setup.tokenizer)
        rng = luck(f"fork/{self._setup.seed}/{export.step}")
        self.kit = EpisodeKit(
            counter, rng, None, self._setup.embedder, snapshot(export.entries), export.agent, Silent()
        )
        self.strategy: Strategy = self._setup.strategy()

    def view(self) -> tuple[Message, ...]:
        """Load the state and compose: the very view that chose the action at the checkpoint."""
        self.strategy.reset(self.kit, self.export.brief, self.export.saved)
        return tuple(self.strategy.compose(self.history, self.export.net))


def recovered(
    episode: Episode, facts: Iterable[Fact], grammar: Grammar | None
) -> tuple[dict[int, dict[str, str]], dict[int, str]]:
    """For each checkpoint and live fact: "recoverable" when one call of the strategy's tools returns it, with a handle
    in the view or the fact's key; "stored" when the store holds it out of reach. Facts it cannot give are left out.

    Second: what a strategy raised on a fork, by checkpoint. The run's result stands; nothing was recoverable there.
    """
    found: dict[int, dict[str, str]] = {}
    raised: dict[int, str] = {}
    table = list(facts)
    for step, export in sorted(episode.exports.items()):
        alive = [fact for fact in table if live(fact, step)]
        try:
            found[step] = _states(Fork(episode, export), alive, grammar)
        except Exception as error:
            found[step], raised[step] = {}, f"{type(error).__name__}: {error}"
    return found, raised


def _states(fork: Fork, facts: Sequence[Fact], grammar: Grammar | None) -> dict[str, str]:
    view, strategy, index = fork.view(), fork.strategy, Index(facts, grammar)
    if not isinstance(strategy, MemoryTools):
        return {}
    within = _held(index, [strategy.answer(call) for message in view for call in strategy.calls_in(message.content)])
    states: dict[str, str] = {}
    for position, fact in enumerate(facts):
        asked = [strategy.answer(call) for call in _by_key(strategy, fact.key)]
        if position in within or position in _held(index, asked):
            states[fact.id] = "recoverable"
        elif position in _held(index, strategy.find(fact.key)):
            states[fact.id] = "stored"
    return states


def _held(index: Index, messages: Iterable[Message]) -> set[int]:
    return {position for message in messages for position in index.holds(message, written=True).bound}


def _by_key(strategy: MemoryTools, key: str) -> Iterator[Call]:
    """Calls of the retrieving tools that take free text, asked with the fact's key."""
    for tool in strategy.tools:
        if tool.purpose != "retrieve":
            continue
        properties: Mapping[str, Any] = tool.parameters.get("properties", {})
        free = [n for n, p in properties.items() if p.get("type") == "string" and "pattern" not in p]
        required = set(tool.parameters.get("required", free))
        if free and required <= set(free):
            yield Call("fork", tool.name, {name: key for name in free if name in required or len(free) == 1})
