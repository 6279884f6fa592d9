"""A small world for tests of the machine: a task with a grammar, models, strategies. All of it real, none of it clever.

`Desk` asks for values that earlier answers stated ("box-3/colour is v1a2b."); `Clerk` reads them in its view. `Stage`
and `Lines` play what a test wrote down.
"""

from __future__ import annotations

import hashlib
import re
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from harness.clock import Rates, Wall
from harness.contract import (
    Brief,
    Call,
    Claim,
    Environment,
    Event,
    Fact,
    Goal,
    Instance,
    Message,
    Question,
    Reply,
    Request,
    Schedule,
    Task,
    Tool,
    Turn,
)
from harness.episode import Episode
from harness.journal import Journal
from harness.kit import Embedder
from harness.record import load
from harness.setup import Ended, Limits, Setup
from harness.tokens import Characters
from tests.machine.arms import Whole

TEXT: Mapping[str, Any] = {"type": "string"}
ACT = Tool("act", "give a value", {"type": "object", "properties": {"value": TEXT}, "required": ["value"]})
LOOK = Tool(
    "look", "open a box again", {"type": "object", "properties": {"box": TEXT}, "required": ["box"]}, "retrieve"
)
_CLAIM = re.compile(r"(box-\d+/\w+) is (v\w+)\.")
_ASKED = re.compile(r"give (box-\d+)/colour")


class Sayings:
    """The grammar of `Desk`."""

    def claims(self, text: str) -> list[Claim]:
        return [Claim(key, value) for key, value in _CLAIM.findall(text)]

    def question(self, text: str) -> Question | None:
        return None


class Desk:
    """`horizon` steps; the answer of step n states the colour of box n, step n asks for that of box n - `back`."""

    grammar = Sayings()

    def __init__(self, horizon: int = 12, count: int = 2, back: int = 4, padding: int = 20, parallel: int = 1) -> None:
        self.horizon = horizon
        self.count = count
        self.back = back
        self.padding = padding
        self.parallel = parallel

    def instances(self) -> list[Instance]:
        return [Instance(f"desk-{number}", number) for number in range(self.count)]

    def open(self, instance: Instance, seed: int) -> DeskRun:
        return DeskRun(self, instance)


class DeskRun:
    """One episode at the desk."""

    def __init__(self, desk: Desk, instance: Instance) -> None:
        self.desk, self.instance = desk, instance
        self.steps = self.met = 0

    def value(self, box: int) -> str:
        return "v" + hashlib.sha256(f"{self.instance.seed}/{box}".encode()).hexdigest()[:6]

    def reset(self) -> Turn:
        self.steps = self.met = 0
        brief = Brief("You sort boxes.", f"Sort {self.desk.horizon} boxes.", (ACT, LOOK))
        return Turn((Message("", "user", self.asked()),), brief=brief)

    def asked(self) -> str:
        return f"Now give box-{max(self.steps + 1 - self.desk.back, 0)}/colour {self.desk.parallel} times."

    def step(self, reply: Message) -> Turn:
        answers: list[Message] = []
        events: list[Event] = []
        for call in reply.calls:
            if call.name == "look":
                box = int(call.arguments["box"])
                text = f"box-{box}/colour is {self.value(box)}."
            else:
                self.steps += 1
                events += self.judge(str(call.arguments["value"]))
                text = f"box-{self.steps}/colour is {self.value(self.steps)}." + " filler" * self.desk.padding
            answers.append(Message("", "tool", f"{text} {self.asked()}", answers=call.id))
        if not reply.calls:
            answers.append(Message("", "user", self.asked()))
        return Turn(tuple(answers), done=self.steps >= self.desk.horizon, events=tuple(events), seconds=0.25)

    def judge(self, value: str) -> list[Event]:
        box = self.steps - self.desk.back
        if box < 1:
            return []
        right = value == self.value(box)
        self.met += right
        verdict = "right" if right else "abstained" if value == "unknown" else "wrong"
        return [Event("goal", {"step": self.steps, "met": right, "used": {f"f{box}": verdict}})]

    def schedule(self) -> Schedule:
        boxes = range(1, self.desk.horizon - self.desk.back + 1)
        facts = tuple(Fact(f"f{n}", f"box-{n}/colour", self.value(n), "colour", n, source=str(n)) for n in boxes)
        return Schedule(facts, tuple(Goal(n + self.desk.back, "value", (f"f{n}",)) for n in boxes))

    def score(self) -> Mapping[str, float]:
        return {"met": float(self.met)}

    def close(self) -> None:
        """Nothing is open."""


class Clerk:
    """A source of readers that look at the whole view, recall by handle, and never reread.

    fails_at: the desk's instance whose model breaks after four answers. pause: seconds an answer takes. log: a file
    that gets a line for each question, from any process.
    """

    def __init__(self, fails_at: str | None = None, pause: float = 0.0, log: str | None = None) -> None:
        self.fails_at = fails_at
        self.pause = pause
        self.log = log

    def open(self, task: Task, environment: Environment, seed: int, strategy_tools: Sequence[Tool] = ()) -> ClerkReader:
        instance = getattr(environment, "instance", None)
        return ClerkReader(instance is not None and instance.id == self.fails_at, self.pause, self.log)


class ClerkReader:
    def __init__(self, broken: bool = False, pause: float = 0.0, log: str | None = None) -> None:
        self.broken = broken
        self.pause = pause
        self.log = log
        self.asked = 0

    def complete(self, request: Request) -> Reply:
        self.asked += 1
        time.sleep(self.pause)
        if self.log is not None:
            with open(self.log, "a") as file:
                file.write("asked\n")
        texts = [message.content for message in request.view]
        if self.broken and self.asked > 4:
            raise ConnectionError("the model's server is gone")
        box = next(match[1] for match in map(_ASKED.search, reversed(texts)) if match)
        known = {claim.key: claim.value for text in texts for claim in Sayings().claims(text)}
        value = known.get(f"{box}/colour", "unknown")
        handle = next((h for t in texts for h in re.findall(rf"\[{box} kept as (n\d+)\]", t)), None)
        if value == "unknown" and handle is not None and any(tool.name == "recall" for tool in request.tools):
            return said("I look that up.", Call("x", "recall", {"handle": handle}))
        times = next(int(match[1]) for match in (re.search(r"(\d+) times", t) for t in reversed(texts)) if match)
        return said(f"I give {value}.", *[Call("x", "act", {"value": value})] * times)


class Stage:
    """An environment that plays the turns it was given, the first at reset, and keeps the replies."""

    def __init__(self, *turns: Turn | Callable[[Message], Turn], schedule: Schedule | None = None) -> None:
        self.turns = turns
        self.got: list[Message] = []
        self.closed = 0
        self._schedule = schedule

    def reset(self) -> Turn:
        first = self.turns[0]
        assert isinstance(first, Turn)
        return first

    def step(self, reply: Message) -> Turn:
        self.got.append(reply)
        turn = self.turns[len(self.got)]
        return turn if isinstance(turn, Turn) else turn(reply)

    def schedule(self) -> Schedule | None:
        return self._schedule

    def score(self) -> Mapping[str, float]:
        return {"replies": float(len(self.got))}

    def close(self) -> None:
        self.closed += 1


class Lines:
    """A model that says its lines in order, the last one for ever, and keeps what it was asked."""

    def __init__(self, *replies: Reply) -> None:
        self.replies = replies
        self.requests: list[Request] = []

    def complete(self, request: Request) -> Reply:
        self.requests.append(request)
        return self.replies[min(len(self.requests), len(self.replies)) - 1]


class Letters:
    """Embeds a text as its length and its number of vowels."""

    name = "letters"

    def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        return [[float(len(text)), float(sum(letter in "aeiou" for letter in text))] for text in texts]


BRIEF = Brief("Be brief.", "Do the thing.", (ACT, LOOK))
LIMITS = Limits(turns=300)
TOY = Instance("toy", 1)
OPEN = Turn((Message("", "user", "Begin."),), brief=BRIEF)


def said(text: str, *calls: Call) -> Reply:
    return Reply(Message("", "assistant", text, calls))


def act(value: str = "v1", name: str = "x") -> Call:
    return Call(name, "act", {"value": value})


def answered(reply: Message, done: bool = False) -> Turn:
    """A turn that answers every call."""
    messages = tuple(Message("", "tool", f"did {call.arguments}", answers=call.id) for call in reply.calls)
    return Turn(messages, done=done)


def finished(reply: Message) -> Turn:
    return answered(reply, done=True)


def play(
    path: Path,
    environment: Any,
    model: Any,
    strategy: Callable[[], Any] = Whole,
    budget: int = 4000,
    limits: Limits = LIMITS,
    checkpoints: tuple[int, ...] = (),
    compactor: Any = None,
    embedder: Embedder | None = None,
    seed: int = 5,
    instance: Instance = TOY,
    clock: Rates | Wall | None = None,
    better: Any = None,
) -> tuple[Ended, Episode]:
    """Run or resume an episode at `path` and finish its record."""
    setup = Setup(
        instance, seed, environment, strategy, model, Characters(), budget, limits, checkpoints, compactor, embedder,
        clock, better,
    )  # fmt: skip
    episode = Episode(setup, Journal(path).open())
    try:
        ended = episode.run()
        episode.journal.finish()
    finally:
        episode.journal.close()
    return ended, episode


def answer(answers: str, text: str) -> Message:
    return Message("", "tool", text, answers=answers)


def told(path: Path) -> list[tuple[str, str, str | None]]:
    """The messages of the first history: role, text, and the call that is answered."""
    return [(m.role, m.content, m.answers) for m in load(path).segments[0].messages]


def ends(tmp_path: Path, strategy: Any = Whole, **settings: Any) -> tuple[str, str]:
    """Ending and reason of an endless episode that fills up."""
    path = tmp_path / "e.jsonl"
    turns = [answered] * 400
    ended, _ = play(path, Stage(OPEN, *turns), Lines(said("word " * 20, act())), strategy, **settings)
    record = load(path)
    assert (record.ending, record.reason) == (ended.ending, ended.reason)
    assert record.score == {"replies": float(record.steps)}
    return ended.ending, ended.reason
