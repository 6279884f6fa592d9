"""One agent's place in an episode: its history, its strategy and what that is lent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from harness.asking import Asker, of_strategy
from harness.contract import Brief, Call, MemoryTools, Message, Persistent, Strategy, Tool, Unlimited, Vendor
from harness.history import History
from harness.kit import EpisodeKit, luck
from harness.lent import Lent
from harness.prefix import common
from harness.setup import Setup
from harness.text import admitted
from harness.tokens import Counter


@dataclass(slots=True)
class Seat:
    """The only mutable part of an episode beside the journal."""

    brief: Brief
    history: History
    strategy: Strategy
    kit: EpisodeKit
    counter: Counter
    asker: Asker | None
    tools: tuple[Tool, ...]
    own: frozenset[str]  # names of the strategy's tools
    rereads: frozenset[str]  # names of the environment's tools whose calls are no steps
    net: int  # what the budget leaves for messages
    limit: int | None  # the net budget, or None where the view itself is held to none
    options: Mapping[str, Any] | None  # what a vendor-side strategy adds to each request
    overhead: int
    shown: dict[str, Message] = field(default_factory=dict)  # made messages by id, as first shown
    last: tuple[Message, ...] = ()  # the last view

    def cached(self, view: tuple[Message, ...]) -> int:
        """Input tokens of the longest prefix that the last request had too; remembers this one."""
        same = view[: common(self.last, view)]
        found = self.counter.messages(same) + self.overhead if self.last else 0
        self.last = view
        return found

    def compose(self) -> tuple[Message, ...]:
        return of_strategy("compose", lambda: tuple(self.strategy.compose(self.history, self.net)), self.asker)

    def answer(self, call: Call) -> Message:
        """What the strategy's tool says, as an answer to the call."""
        strategy = self.strategy
        assert isinstance(strategy, MemoryTools)
        message = of_strategy("answer", lambda: admitted(strategy.answer(call)), self.asker)
        return Message("", "tool", message.content, answers=call.id, author="memory", sources=message.sources)

    def asked_in(self, text: str) -> tuple[Call, ...]:
        """The strategy's own calls that a reply asks for in its text, for models without native calls."""
        strategy = self.strategy
        if not isinstance(strategy, MemoryTools):
            return ()
        found = of_strategy("calls_in", lambda: tuple(strategy.calls_in(text)), self.asker)
        return tuple(call for call in found if call.name in self.own)

    def export(self) -> bytes | None:
        """The strategy's state, for a fork or its next session; None where it keeps none."""
        strategy = self.strategy
        return of_strategy("export", strategy.export, self.asker) if isinstance(strategy, Persistent) else None

    def split(self, calls: Sequence[Call]) -> tuple[list[Call], tuple[Call, ...], int]:
        """The strategy's own calls, the environment's, and how many of those are steps."""
        own = [call for call in calls if call.name in self.own]
        others = tuple(call for call in calls if call.name not in self.own)
        return own, others, sum(call.name not in self.rereads for call in others)


def open_seat(setup: Setup, brief: Brief, lent: Lent, saved: bytes | None) -> Seat:
    """A new history and a new strategy for the brief's agent. saved: the state that its last session left."""
    asker = lent.asker
    counter = Counter(setup.tokenizer)
    rng = luck(f"{setup.seed}/{setup.instance.id}/{brief.agent}/{brief.session}")
    ask = asker.ask if asker else None
    ask_all = asker.ask_all if asker else None
    kit = EpisodeKit(counter, rng, ask, setup.embedder, lent.entries, brief.agent, lent.background, lent.now, ask_all)
    strategy = setup.strategy()
    of_strategy("reset", lambda: strategy.reset(kit, brief, saved), asker)
    own = strategy.tools if isinstance(strategy, MemoryTools) else ()
    tools = (*brief.tools, *own)
    overhead = counter.overhead(tools)
    net = setup.budget - overhead
    return Seat(
        brief,
        History(),
        strategy,
        kit,
        counter,
        asker,
        tools,
        frozenset(tool.name for tool in own),
        frozenset(tool.name for tool in brief.tools if tool.purpose == "retrieve"),
        net,
        None if isinstance(strategy, Vendor) or (isinstance(strategy, Unlimited) and strategy.unlimited) else net,
        strategy.options(setup.budget) if isinstance(strategy, Vendor) else None,
        overhead,
    )
