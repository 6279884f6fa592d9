"""Compactors to test with: each notes what it is asked, and answers by a rule of its own."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from harness.contract import Event, Message, Reply, Request, Strategy
from harness.kit import EpisodeKit
from harness.models.extractive import Extractive
from harness.tokens import Characters, Counter
from strategies.compaction.asking import Compactor
from tests.conformance.scripts import Script

LETTERS = Characters(1.0)  # a character is a token


def said(text: str, finish: str = "stop") -> Reply:
    return Reply(Message("", "assistant", text), finish=finish)


def text_of(request: Request) -> str:
    return request.view[-1].content


def known_of(request: Request) -> str:
    return next((m.content for m in request.view if m.content.startswith("<known>")), "")


def instruction_of(request: Request) -> str:
    return request.view[0].content


@dataclass
class Spy:
    answer: Callable[[Request], Reply] = Extractive(LETTERS).complete
    requests: list[Request] = field(default_factory=list)

    def __call__(self, request: Request) -> Reply:
        self.requests.append(request)
        return self.answer(request)


def kit(ask: Callable[[Request], Reply]) -> EpisodeKit:
    return EpisodeKit(Counter(LETTERS), random.Random(7), ask)


@dataclass
class Run:
    views: list[tuple[Message, ...]]
    events: list[Event]
    strategy: Strategy

    def kinds(self, kind: str) -> list[str]:
        return [event.detail["trigger"] for event in self.events if event.kind == kind]

    @property
    def summary(self) -> Message:
        return next(message for message in self.views[-1] if message.sources)


def run(strategy: Strategy, script: Script, budget: int, ask: Callable[[Request], Reply]) -> Run:
    lent, history = kit(ask), script.start()
    strategy.reset(lent, script.brief)
    views: list[tuple[Message, ...]] = []
    events: list[Event] = []
    for turn in range(len(script.turns)):
        script.append(history, turn)
        views.append(tuple(strategy.compose(history, budget)))
        events += lent.drain()
    return Run(views, events, strategy)


def compactor(window: int = 10_000, **settings: object) -> tuple[Compactor, list[tuple[str, str]]]:
    """One that counts characters, and the events that it notes."""
    noted: list[tuple[str, str]] = []

    def note(kind: str, trigger: str, sources: Sequence[str]) -> None:
        noted.append((kind, trigger))

    return Compactor(window, len, 4, note, **settings), noted  # type: ignore[arg-type]


def together(ask: Callable[[Request], Reply]) -> Callable[[Sequence[Request]], list[Reply]]:
    """Answers several requests as one by one."""
    return lambda requests: [ask(request) for request in requests]
