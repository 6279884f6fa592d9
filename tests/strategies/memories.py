"""What the tests of layered memory share: an embedder that counts words, a kit, units, and an episode to play."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from harness.contract import Brief, Call, Event, Message, Reply, Request, Strategy, Tool
from harness.history import History
from harness.kit import EpisodeKit
from harness.models.extractive import Extractive
from harness.shared import Entries
from harness.tokens import Characters, Counter
from strategies.hierarchical import Hierarchical
from strategies.memory.compression import Compression
from strategies.memory.forgetting import Forgetting
from strategies.memory.intake import ROUTES
from strategies.memory.layers import Layers, Settings
from strategies.memory.retrieval import Retrieval
from strategies.memory.statements import names
from strategies.memory.unit import Kind, Metadata, Unit

WORDS = Characters(4.0)
FILLER = "one more remark about the weather in the hall today"
REREAD = Tool("reread", "", {"type": "object", "properties": {}}, "retrieve")


class Alike:
    """A dimension for each of the words: 1 where the text has it."""

    name = "alike"

    def __init__(self, *words: str) -> None:
        self.words = words
        self.asked: list[str] = []

    def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        self.asked += texts
        return [[float(word in text) for word in self.words] for text in texts]


@dataclass
class Asked:
    """A compactor that keeps what it was asked; extractive, or one that always says `says`."""

    says: Reply | None = None

    def __post_init__(self) -> None:
        self.requests: list[Request] = []

    def __call__(self, request: Request) -> Reply:
        self.requests.append(request)
        return self.says or Extractive(WORDS).complete(request)


def said(text: str, finish: str = "stop") -> Reply:
    return Reply(Message("", "assistant", text), finish=finish)


def lent(
    ask: Callable[[Request], Reply] | None = None,
    embedder: Any = None,
    entries: Entries | None = None,
    agent: str | None = None,
) -> EpisodeKit:
    embedder = embedder or Alike("red", "green", "blue", "port")
    return EpisodeKit(Counter(WORDS), random.Random(7), ask or Asked(), embedder, entries, agent)


def unit(content: str, kind: Kind = "event", step: int = 1, subtask: str | None = None, source: str = "m9") -> Unit:
    metadata = Metadata(tuple(sorted(names(content))), (source,), until=step)
    return Unit("", ROUTES[kind], kind, content, subtask, created=step, metadata=metadata)


PLAIN = Settings(
    0.95,
    False,
    "both",
    50,
    Retrieval(0.2, "similarity", 6, 40, "before"),
    Compression(20, True, None),
    Forgetting("tiered", 20, 20, 5, 5, (40, 80)),
)


def layers(kit: EpisodeKit, *units: Unit, cache: bool = True, **changed: Any) -> Layers:
    """A memory with these units; `changed`: fields of `Settings`."""
    made = Layers(kit, replace(PLAIN, **changed), cache)
    made.write(units)
    return made


def order(step: int, part: int | None, text: str) -> str:
    named = "" if part is None else f", part {part}/9"
    return f"\n\n[step {step}/99{named}] {text}"


def acted(step: int, told: str, call: Call | None = None, text: str = "Calling do.") -> tuple[Message, ...]:
    """An action and its answer."""
    call = call or Call(f"c{step}", "do", {"what": f"work{step}"})
    return Message("", "assistant", text, (call,)), Message("", "tool", told, answers=call.id)


@dataclass
class Played:
    views: list[tuple[Message, ...]]
    events: list[list[Event]]
    strategy: Strategy
    history: History

    def texts(self, turn: int = -1) -> str:
        """What the strategy itself says in a view."""
        return "\n".join(message.content for message in self.views[turn] if message.sources)

    def kinds(self) -> list[tuple[str, str]]:
        return [(event.kind, event.detail["trigger"]) for events in self.events for event in events]


def play(
    strategy: Strategy,
    turns: Sequence[Sequence[Message]],
    budget: int = 4000,
    kit: EpisodeKit | None = None,
    brief: Brief | None = None,
    saved: bytes | None = None,
) -> Played:
    """Append turns[n], then compose. turns[0] follows the task message."""
    kit, history = kit or lent(), History()
    brief = brief or Brief("You are an agent.", "Do the task.", (REREAD,))
    history.begin(brief)
    strategy.reset(kit, brief, saved)
    played = Played([], [], strategy, history)
    for turn in turns:
        for message in turn:
            history.append(message)
        played.views.append(tuple(strategy.compose(history, budget)))
        played.events.append(list(kit.drain()))
    return played


def user(text: str) -> Message:
    return Message("", "user", text)


def run_of(
    steps: int, told=lambda n: f"red store_{n} keeps k-{n}\n" + f"{FILLER} {n}\n" * 8, part=lambda n: 1 + n // 8
):
    """turns[n]: step n and the order for the next one."""
    turns = [(user("Never open door_7." + order(1, part(0), "Now do work1.")),)]
    for n in range(1, steps + 1):
        call, answer = acted(n, told(n) + order(n + 1, part(n), f"Now do work{n + 1}."))
        turns.append((call, answer))
    return turns


def asked(steps: int, question: str, part: int | None = 99):
    """A run whose last order is the question."""
    turns = run_of(steps)
    call, answer = turns[-1]
    turns[-1] = (call, replace(answer, content=f"{FILLER}{order(steps + 1, part, question)}"))
    return turns


def arm(**changed) -> Hierarchical:
    return Hierarchical(**changed)
