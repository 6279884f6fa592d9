"""The loop: compose -> check -> complete -> step -> record, until the episode ends.

The record alone can drive the loop again (`journal.recall`): then no model is asked, and everything derived is compared.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from harness.codec import event_to, message_to, reply_from, reply_to
from harness.context import Checked, ViewError, check
from harness.contract import (
    Brief, Call, Environment, Event, Instance, MemoryTools, Message, Model, Persistent, Reply, Request, Strategy, Tool, Turn,
    Unlimited,
)  # fmt: skip
from harness.history import History
from harness.journal import FORMAT, Journal
from harness.kit import Embedder, EpisodeKit, luck
from harness.ranges import pack, pack_ids
from harness.text import clean, clean_brief, clean_message
from harness.tokens import Counter, Tokenizer

T = TypeVar("T")


class StrategyError(Exception):
    """A strategy raised: the result of its episode."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Where an episode ends by itself, the same for every arm. None = no limit.

    turns: model calls, overhead turns included. tokens: input and output of all calls. output: most tokens of one reply.
    """

    turns: int | None = None
    tokens: int | None = None
    output: int = 1024


@dataclass(frozen=True, slots=True)
class Setup:
    """Everything that one episode needs. `budget`: most input tokens of a request, schemas and overhead included."""

    instance: Instance
    seed: int
    environment: Environment
    strategy: Callable[[], Strategy]
    model: Model
    tokenizer: Tokenizer
    budget: int
    limits: Limits = Limits()
    checkpoints: tuple[int, ...] = ()
    compactor: Model | None = None
    embedder: Embedder | None = None


@dataclass(frozen=True, slots=True)
class Export:
    """What a fork at a checkpoint needs: the strategy's state after it composed, and how long the history was."""

    step: int
    agent: str | None
    brief: Brief
    history: History
    length: int
    saved: bytes | None


@dataclass(frozen=True, slots=True)
class Ended:
    """How an episode ended. `reason` explains it in words, for limits and errors."""

    ending: str
    reason: str = ""


@dataclass(slots=True)
class Seat:
    """One agent's place: its history, strategy and kit. The only mutable part of an episode beside the journal."""

    brief: Brief
    history: History
    strategy: Strategy
    kit: EpisodeKit
    counter: Counter
    tools: tuple[Tool, ...]
    own: frozenset[str]
    rereads: frozenset[str]
    net: int  # what the budget leaves for messages
    limit: int | None  # the net budget, or None for an unlimited reference
    overhead: int
    shown: dict[str, Message] = field(default_factory=dict)  # made messages by id, as first shown


class Episode:
    """Runs once. `exports` holds the state at each checkpoint that was reached, for forks.

    `times` gets a row a live turn: its number, then seconds in compose, in the model, in the environment, and in all.
    """

    def __init__(self, setup: Setup, journal: Journal, times: Callable[[Sequence[float]], None] | None = None) -> None:
        self.setup = setup
        self.journal = journal
        self.times = times
        self.exports: dict[int, Export] = {}
        self.seats: dict[str | None, Seat] = {}
        self.agent: str | None = None
        self.steps = 0
        self.turns = 0
        self.tokens = 0
        self.calls = 0
        self._past_encoded = 0
        self._fault: Exception | None = None  # raised by the machinery while a strategy asked
        self._outside = 0.0  # seconds that the last answer took in the strategy and the environment

    def run(self) -> Ended:
        """Play the episode to its end and write the end row. Raises what the model or the environment raises."""
        setup, journal = self.setup, self.journal
        journal.write(
            {"row": "head", "format": FORMAT, "instance": setup.instance.id, "seed": setup.seed, "budget": setup.budget}
        )
        try:
            ended = self._begin()
            while ended is None:
                ended = self._limit() or self._turn()
        except StrategyError as error:  # a strategy that crashes is a result: it ranks last
            ended = Ended("strategy_error", str(error))
        score = dict(setup.environment.score())
        end = {"row": "end", "ending": ended.ending, "reason": ended.reason, "turns": self.turns, "steps": self.steps}
        journal.end({**end, "tokens": self.tokens, "score": score, "encoded": self._encoded()})
        return ended

    # ------------------------------------------------------------ one turn

    def _turn(self) -> Ended | None:
        seat, clock = self.seats[self.agent], time.perf_counter
        started = clock()
        view = self._of_strategy("compose", lambda: tuple(seat.strategy.compose(seat.history, seat.net)))
        composed = clock()
        try:
            checked = check(view, seat.history, seat.limit, seat.counter, seat.shown)
        except ViewError as error:
            ending = "context_overflow" if error.reason == "over_budget" else "strategy_error"
            return Ended(ending, f"{error.reason}: {error}")
        asking = clock()
        reply = self._reply(seat, checked)
        replied = clock()
        message = seat.history.append(reply.message)
        self._write_turn(seat, checked, replace(reply, message=message))
        self.turns += 1
        self.tokens += checked.tokens + seat.overhead + seat.counter.message(message)
        self._outside = 0.0
        ended = self._answer(seat, message)
        if self.times is not None and not self.journal.replaying:
            self.times((self.turns, composed - started, replied - asking, self._outside, clock() - started))
        return ended

    def _reply(self, seat: Seat, checked: Checked) -> Reply:
        row = self.journal.recall("turn")
        if row is not None:
            return self._named(reply_from(row["reply"]))
        request = Request(checked.messages, seat.tools, self.setup.seed, self.setup.limits.output)
        return self._named(self.setup.model.complete(request))

    def _named(self, reply: Reply) -> Reply:
        """The reply with the harness's own call ids: a model's may repeat. Recorded ones come out the same."""
        message = clean_message(reply.message)
        calls = tuple(Call(f"c{self.calls + n}", c.name, c.arguments) for n, c in enumerate(message.calls))
        return replace(reply, message=replace(message, id="", role="assistant", calls=calls, answers=None))

    def _write_turn(self, seat: Seat, checked: Checked, reply: Reply) -> None:
        self.calls += len(reply.message.calls)
        fresh = [m for m in checked.made if m.id not in seat.shown]
        seat.shown.update((m.id, m) for m in fresh)
        row: dict[str, Any] = {"row": "turn", "n": self.turns + 1, "step": self.steps + 1}
        if self.agent is not None:
            row["agent"] = self.agent
        output = seat.counter.message(reply.message)
        row |= {"view": pack(checked.places), "tokens": checked.tokens, "overhead": seat.overhead, "output": output}
        if fresh:
            row["made"] = [message_to(m) for m in fresh]
            row["made_tokens"] = [seat.counter.message(m) for m in fresh]
        if noted := _noted(seat.kit.drain()):
            row["noted"] = noted
        self.journal.write({**row, "reply": reply_to(reply)})

    # ------------------------------------------------------------ answers

    def _answer(self, seat: Seat, message: Message) -> Ended | None:
        """Have the strategy answer its own calls and the environment the others; append all in the order of the calls."""
        own = [c for c in message.calls if c.name in seat.own]
        others = tuple(c for c in message.calls if c.name not in seat.own)
        acted = sum(1 for c in others if c.name not in seat.rereads)
        for step in self.setup.checkpoints:
            if self.steps < step <= self.steps + acted:
                self.exports[step] = self._export(seat, step)
        answers: dict[str, Message] = {}
        started = time.perf_counter()
        for call in own:
            answers[call.id] = replace(self._own_answer(seat, call), role="tool", answers=call.id, author="memory")
        turn = Turn() if own and not others else self.setup.environment.step(replace(message, calls=others))
        self._outside = time.perf_counter() - started
        self.steps += acted
        return self._take(turn, message.calls, answers, acted)

    def _own_answer(self, seat: Seat, call: Call) -> Message:
        strategy = seat.strategy
        assert isinstance(strategy, MemoryTools)
        return self._of_strategy("answer", lambda: clean_message(strategy.answer(call)))

    def _take(self, turn: Turn, calls: Sequence[Call], answers: dict[str, Message], acted: int) -> Ended | None:
        """Append an environment's messages: each call answered once and in order, then the rest."""
        seat = self.seats[self.agent]
        rest = self._paired(turn, calls, answers)
        hands_over = not turn.done and (turn.brief is not None or turn.agent != self.agent)
        missing = {c.id: Message("", "tool", f"error: {c.name} gave no answer", answers=c.id) for c in calls}
        messages = [seat.history.append({**missing, **answers}[call.id]) for call in calls]
        if not hands_over:
            messages += [seat.history.append(message) for message in rest]
        row: dict[str, Any] = {"row": "answer", "acted": acted, **_told(seat, messages)}
        if turn.events:
            row["events"] = [event_to(e) for e in turn.events]
        if noted := _noted(seat.kit.drain()):
            row["noted"] = noted
        if turn.seconds:
            row["seconds"] = turn.seconds
        self.journal.write(row)
        if turn.done:
            return Ended("completed")
        return self._enter(turn, rest) if hands_over else None

    def _paired(self, turn: Turn, calls: Sequence[Call], answers: dict[str, Message]) -> list[Message]:
        """Sort the environment's answers into `answers`; return its other messages."""
        rest: list[Message] = []
        open_calls = {call.id for call in calls} - set(answers)
        for message in map(clean_message, turn.messages):
            if message.role != "tool":
                rest.append(message)
            elif message.answers in open_calls:
                open_calls.remove(message.answers)
                answers[message.answers] = message
            else:
                raise ValueError(f"{self.setup.instance.id}: the environment answered {message.answers!r}, no open call")
        return rest

    # ------------------------------------------------------------ beginnings

    def _begin(self) -> Ended | None:
        turn = self.setup.environment.reset()
        if turn.brief is None:
            raise ValueError(f"{self.setup.instance.id}: the environment's reset gave no brief")
        self._write_schedule()
        return self._enter(turn, [clean_message(m) for m in turn.messages])

    def _write_schedule(self) -> None:
        schedule = self.setup.environment.schedule()
        if schedule is not None:
            facts = [[f.id, f.key, f.value, f.kind, f.stated, f.superseded, f.source] for f in schedule.facts]
            goals = [[g.step, g.op, list(g.facts)] for g in schedule.goals]
            self.journal.write({"row": "schedule", "facts": facts, "goals": goals})

    def _enter(self, turn: Turn, rest: Sequence[Message]) -> Ended | None:
        """Let the next agent act: seat it where a brief begins, then tell it what the environment says."""
        self.agent = turn.brief.agent if turn.brief is not None else turn.agent
        begun: tuple[Message, ...] = ()
        if turn.brief is not None:
            begun = self._seat(clean_brief(turn.brief), turn.new_history)
        if self.agent not in self.seats:
            name = self.setup.instance.id
            raise ValueError(f"{name}: the environment hands over to agent {self.agent!r}, which has no brief")
        seat = self.seats[self.agent]
        messages = [*begun, *(seat.history.append(message) for message in rest)]
        row: dict[str, Any] = {"row": "enter", "agent": self.agent, **_told(seat, messages)}
        if turn.brief is not None:
            row |= {"session": turn.brief.session, "begins": "history" if begun[0].role == "system" else "task"}
        self.journal.write(row)
        pinned = seat.counter.messages(seat.history.pinned)
        if pinned > seat.net:
            return Ended("infeasible", f"pinned text has {pinned} tokens, the budget leaves {seat.net} for messages")
        return None

    def _seat(self, brief: Brief, new_history: bool) -> tuple[Message, ...]:
        old = self.seats.get(brief.agent)
        if old is not None and not new_history:
            old.brief = brief
            return old.history.begin(brief)
        saved = None if old is None else self._saved(old)
        counter = Counter(self.setup.tokenizer)
        kit = EpisodeKit(counter, self._rng(brief), self._ask if self.setup.compactor else None, self.setup.embedder)
        strategy = self.setup.strategy()
        self._of_strategy("reset", lambda: strategy.reset(kit, brief, saved))
        own = strategy.tools if isinstance(strategy, MemoryTools) else ()
        tools = (*brief.tools, *own)
        overhead = counter.overhead(tools)
        rereads = frozenset(t.name for t in brief.tools if t.purpose == "retrieve")
        history = History()
        names = frozenset(t.name for t in own)
        net = self.setup.budget - overhead
        limit = None if isinstance(strategy, Unlimited) and strategy.unlimited else net
        if old is not None:
            self._past_encoded += old.counter.encoded
        self.seats[brief.agent] = Seat(brief, history, strategy, kit, counter, tools, names, rereads, net, limit, overhead)
        return history.begin(brief)

    # ------------------------------------------------------------ the rest

    def _ask(self, request: Request) -> Reply:
        """A call of the strategy's own model: recorded like every external answer."""
        try:
            return self._answered(request)
        except Exception as fault:
            self._fault = fault
            raise

    def _answered(self, request: Request) -> Reply:
        row = self.journal.recall("ask")
        if row is not None:
            reply = reply_from(row["reply"])
        else:
            assert self.setup.compactor is not None
            reply = self.setup.compactor.complete(request)
            reply = replace(reply, message=clean_message(reply.message))
        counter = Counter(self.setup.tokenizer)
        spent = counter.messages(request.view) + counter.overhead(request.tools)
        spent += counter.message(reply.message)
        self.tokens += spent
        self.journal.write({"row": "ask", "tokens": spent, "reply": reply_to(reply)})
        return reply

    def _of_strategy(self, what: str, use: Callable[[], T]) -> T:
        """What a strategy raises is a result; what fails under it is not: its own model, the record, the host's memory."""
        try:
            found = use()
        except Exception as error:
            if self._fault is None and not isinstance(error, MemoryError):
                raise StrategyError(f"{what} raised {type(error).__name__}: {clean(str(error))}") from error
            raise self._fault or error from None
        if self._fault is not None:  # swallowed by the strategy
            raise self._fault
        return found

    def _saved(self, seat: Seat) -> bytes | None:
        strategy = seat.strategy
        return self._of_strategy("export", strategy.export) if isinstance(strategy, Persistent) else None

    def _limit(self) -> Ended | None:
        limits = self.setup.limits
        if limits.turns is not None and self.turns >= limits.turns:
            return Ended("limit_turns", f"{self.turns} turns")
        if limits.tokens is not None and self.tokens >= limits.tokens:
            return Ended("limit_tokens", f"{self.tokens} tokens")
        return None

    def _export(self, seat: Seat, step: int) -> Export:
        saved = self._saved(seat)
        # The reply is already in the history; the view that chose the action saw all before it.
        return Export(step, self.agent, seat.brief, seat.history, len(seat.history) - 1, saved)

    def _rng(self, brief: Brief) -> random.Random:
        return luck(f"{self.setup.seed}/{self.setup.instance.id}/{brief.agent}/{brief.session}")

    def _encoded(self) -> int:
        return self._past_encoded + sum(seat.counter.encoded for seat in self.seats.values())


def _told(seat: Seat, messages: Sequence[Message]) -> dict[str, Any]:
    """Messages for the record, each once, with their tokens."""
    return {"messages": [message_to(m) for m in messages], "tokens": [seat.counter.message(m) for m in messages]}


def _noted(events: Sequence[Event]) -> list[Any]:
    """A strategy's events for the record, their sources packed."""
    return [[e.kind, e.detail["trigger"], pack_ids(e.detail["sources"])] for e in events]
