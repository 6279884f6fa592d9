"""A strategy in a small episode of its own, played by hand as the harness would."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from harness.contract import Brief, Call, Event, Labels, Message, Tool
from harness.history import History
from harness.kit import EpisodeKit
from strategies.placeholder_eviction import PlaceholderEviction
from tests.conformance.laws import kit

SYSTEM, TASK = "You are an agent.", "Reach the goal word for word."
TOOLS = (Tool("run", "runs", {"type": "object", "properties": {}}),)


def strategy(**settings: Any) -> PlaceholderEviction:
    """With short lines and no search, unless the settings say otherwise."""
    return PlaceholderEviction(**{"search": "off", "owners": 3, **settings})


@dataclass(slots=True)
class Run:
    """budget: tokens of four characters. events: what the strategy noted, at the last view and in all."""

    budget: int
    strategy: PlaceholderEviction
    kit: EpisodeKit = field(default_factory=kit)
    session: int = 0
    history: History = field(default_factory=History)
    now: tuple[Event, ...] = ()
    events: list[Event] = field(default_factory=list)
    calls: int = 0
    saved: bytes | None = None

    def __post_init__(self) -> None:
        brief = Brief(SYSTEM, TASK, TOOLS, session=self.session)
        self.strategy.reset(self.kit, brief, self.saved)
        self.history.begin(brief)

    def user(self, text: str, labels: Labels | None = None) -> Message:
        return self.history.append(Message("", "user", text, labels=labels))

    def act(self, command: str, answer: str, labels: Labels | None = None) -> Message:
        """A step: a call of the tool `run`, and its answer."""
        call = self._call("run", command=command)
        return self.history.append(Message("", "tool", answer, answers=call.id, labels=labels))

    def fetch(self, **arguments: Any) -> Message:
        """A call of one of the strategy's tools, named by its argument."""
        call = self._call("search_evicted" if "query" in arguments else "retrieve", **arguments)
        told = self.strategy.answer(call)
        return self.history.append(replace(told, id="", role="tool", answers=call.id, author="memory"))

    def view(self) -> tuple[Message, ...]:
        shown = tuple(self.strategy.compose(self.history, self.budget))
        self.now = self.kit.drain()
        self.events += self.now
        return shown

    def steps(self, *answers: str) -> tuple[Message, ...]:
        """A step for each answer, each followed by a view; returns the last one."""
        shown = self.view()
        for number, answer in enumerate(answers):
            self.act(f"look {number}", answer)
            shown = self.view()
        return shown

    def noted(self, kind: str) -> list[tuple[str, list[str]]]:
        return [(e.detail["trigger"], e.detail["sources"]) for e in self.events if e.kind == kind]

    def _call(self, name: str, **arguments: Any) -> Call:
        call = Call(f"c{self.calls}", name, arguments)
        self.calls += 1
        self.history.append(Message("", "assistant", "", (call,)))
        return call


def lines(view: Iterable[Message]) -> list[str]:
    """The lines that stand for what was evicted."""
    return [m.content for m in view if m.content.startswith("[evicted ")]


def shows(view: Iterable[Message], text: str) -> bool:
    """Whether an original, or a fetched text, says it."""
    return any(text in m.content for m in view if not m.sources or m.author == "memory")


def long(name: str, words: int = 60) -> str:
    """An answer of about `words` * 1.5 tokens."""
    return f"{name}: " + "filler " * words
