"""The loop: compose -> check -> complete -> step -> record, until the episode ends.

The record alone can drive the loop again (`journal.recall`): then no model is asked, and what is derived is compared.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace

from harness import rows
from harness.answers import paired, refused
from harness.asking import StrategyError
from harness.codec import reply_from
from harness.context import Checked, ViewError, check
from harness.contract import Brief, Call, Message, Recorded, Reply, Request, Turn
from harness.journal import Journal
from harness.lent import lend
from harness.redo import remains, taken
from harness.seat import Seat, open_seat
from harness.setup import Ended, Export, Setup
from harness.shared import snapshot
from harness.text import admitted, clean_brief


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
        self.steps = self.turns = self.tokens = self.calls = 0
        self.idle = 0  # replies in a row with which nothing could be done
        self._lent = lend(setup, journal)
        self._waited = 0.0  # simulated seconds spent waiting for the strategy's own model, before this turn
        self._past_encoded = self._past_embedded = 0  # tokens and texts, for seats that were left
        self._outside = 0.0  # seconds that the last answer took in the strategy and the environment

    def run(self) -> Ended:
        """Play the episode to its end and write the end row. Raises what the model or the environment raises."""
        self.journal.write(rows.head(self.setup))
        try:
            ended = self._begin()
            while ended is None:
                ended = self._limit() or self._turn()
        except StrategyError as error:  # a strategy that crashes is a result: it ranks last
            ended = Ended("strategy_error", str(error))
        finally:
            self._lent.close()
        score = dict(self.setup.environment.score())
        if left := remains(self.setup.environment):
            self.journal.write(rows.left(left))
        end = {"row": "end", "ending": ended.ending, "reason": ended.reason, "turns": self.turns, "steps": self.steps}
        if embedded := self._past_embedded + sum(seat.kit.embedded for seat in self.seats.values()):
            end["embedded"] = embedded
        self.journal.end({**end, "tokens": self._spent(), "score": score, "encoded": self._encoded()})
        return ended

    # ------------------------------------------------------------ one turn

    def _turn(self) -> Ended | None:
        seat, clock = self.seats[self.agent], time.perf_counter
        started = clock()
        view = seat.compose()
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
        reply = replace(reply, message=message)
        self.journal.write(
            rows.turn(seat, self.turns + 1, self.steps + 1, checked, reply, self._time(seat, checked, message))
        )
        seat.shown.update((made.id, made) for made in checked.made)
        self.turns += 1
        self.calls += len(message.calls)
        self.tokens += self._given(seat, checked, reply) + seat.counter.message(message)
        ended = self._served(seat, reply) or self._answer(seat, message)
        if self.times is not None and not self.journal.replaying:
            self.times((self.turns, composed - started, replied - asking, self._outside, clock() - started))
        return ended

    def _given(self, seat: Seat, checked: Checked, reply: Reply) -> int:
        """Input of a call: as planned, or as reported where the server shortens it."""
        if seat.options is not None and reply.usage.input is not None:
            return reply.usage.input
        return checked.tokens + seat.overhead

    def _served(self, seat: Seat, reply: Reply) -> Ended | None:
        """What the provider's server did to the context, as events; its budget holds for what it reports."""
        for edit in reply.edits:
            counts = ", ".join(f"{value} {name}" for name, value in edit.items() if isinstance(value, int))
            seat.kit.event("server", f"{edit.get('type', 'edit')} {counts}".strip())
        given, budget = reply.usage.input, self.setup.budget
        if seat.options is not None and given is not None and given > budget:
            return Ended("context_overflow", f"over_budget: the server reports {given} input tokens of {budget}")
        return None

    def _time(self, seat: Seat, checked: Checked, reply: Message) -> tuple[float, float] | None:
        """Simulated seconds: waiting for the strategy's own model since the last reply, and the agent's own call."""
        clock = self._lent.clock
        if clock is None:
            return None
        cached = seat.cached(checked.messages)
        given = checked.tokens + seat.overhead - cached
        took = clock.work(clock.rates.seconds(given, cached, seat.counter.message(reply)))
        waited, self._waited = self._lent.waited - self._waited, self._lent.waited
        return waited, took

    def _reply(self, seat: Seat, checked: Checked) -> Reply:
        """The model's reply, or the recorded one, with the harness's own call ids: a model's may repeat.

        A reply without calls may ask for the strategy's tools in its text.
        """
        row = self.journal.recall("turn")
        if row is not None:
            reply = reply_from(row["reply"])
        else:
            output, options = self.setup.limits.output, seat.options
            request = Request(checked.messages, seat.tools, self.setup.seed, output, options=options)
            reply = self.setup.model.complete(request)
        message = admitted(reply.message)
        made = message.calls or seat.asked_in(message.content)
        calls = tuple(Call(f"c{self.calls + n}", c.name, c.arguments, c.broken) for n, c in enumerate(made))
        return replace(reply, message=replace(message, id="", role="assistant", calls=calls, answers=None))

    # ------------------------------------------------------------ answers

    def _answer(self, seat: Seat, message: Message) -> Ended | None:
        """Have the strategy answer its own calls and the environment the others; append all in the calls' order."""
        # What a recorded agent called was made then.
        recorded = isinstance(self.setup.environment, Recorded)
        answers = {} if recorded else refused(message.calls, seat.tools)
        possible = [call for call in message.calls if call.id not in answers]
        self.idle = 0 if possible else self.idle + 1
        own, others, acted = seat.split(possible)
        self._export(seat, acted)
        started = time.perf_counter()
        answers |= {call.id: seat.answer(call) for call in own}
        if answers and not others:
            turn = Turn(agent=self.agent)
        else:
            environment = self.setup.environment
            turn = taken(environment, environment.step(replace(message, calls=others)), self.journal)
        self._outside = time.perf_counter() - started
        if self._lent.clock is not None:
            self._lent.clock.wait(turn.seconds)
        self.steps += acted
        return self._take(turn, message.calls, answers, acted)

    def _take(self, turn: Turn, calls: Sequence[Call], answers: dict[str, Message], acted: int) -> Ended | None:
        """Append an environment's messages: each call answered once and in order, then the rest."""
        seat = self.seats[self.agent]
        rest = paired(turn, calls, answers, self.setup.instance.id)
        hands_over = not turn.done and (turn.brief is not None or turn.agent != self.agent)
        missing = {c.id: Message("", "tool", f"error: {c.name} gave no answer", answers=c.id) for c in calls}
        messages = [seat.history.append({**missing, **answers}[call.id]) for call in calls]
        if not hands_over:
            messages += [seat.history.append(message) for message in rest]
        self.journal.write(rows.answer(seat, messages, acted, turn))
        if turn.done:
            return Ended("completed")
        return self._enter(turn, rest) if hands_over else None

    # ------------------------------------------------------------ beginnings

    def _begin(self) -> Ended | None:
        turn = self.setup.environment.reset()
        if turn.brief is None:
            raise ValueError(f"{self.setup.instance.id}: the environment's reset gave no brief")
        if (known := self.setup.environment.schedule()) is not None:
            self.journal.write(rows.schedule(known))
        return self._enter(turn, [admitted(message) for message in turn.messages])

    def _enter(self, turn: Turn, rest: Sequence[Message]) -> Ended | None:
        """Let the next agent act: seat it where a brief begins, then tell it what the environment says."""
        self.agent = turn.brief.agent if turn.brief is not None else turn.agent
        begun = self._seat(clean_brief(turn.brief), turn.new_history) if turn.brief is not None else ()
        if self.agent not in self.seats:
            name = self.setup.instance.id
            raise ValueError(f"{name}: the environment hands over to agent {self.agent!r}, which has no brief")
        seat = self.seats[self.agent]
        told = [seat.history.append(message) for message in rest]
        self.journal.write(rows.enter(seat, begun, told, turn.brief.session if turn.brief is not None else None))
        if seat.own and isinstance(self.setup.environment, Recorded):
            names = ", ".join(sorted(seat.own))
            return Ended("not_applicable", f"a recorded run calls none of the strategy's tools ({names})")
        pinned = seat.counter.messages(seat.history.pinned)
        if pinned > seat.net:
            return Ended("infeasible", f"pinned text has {pinned} tokens, the budget leaves {seat.net} for messages")
        return None

    def _seat(self, brief: Brief, new_history: bool) -> tuple[Message, ...]:
        """Begin a brief, in a new seat or in the agent's old one; returns what it put into the history."""
        old = self.seats.get(brief.agent)
        if old is not None and not new_history:
            old.brief = brief
            return old.history.begin(brief)
        saved = None
        if old is not None:
            saved = old.export()
            self._past_encoded += old.counter.encoded
            self._past_embedded += old.kit.embedded
        seat = self.seats[brief.agent] = open_seat(self.setup, brief, self._lent, saved)
        return seat.history.begin(brief)

    # ------------------------------------------------------------ the rest

    def _limit(self) -> Ended | None:
        limits = self.setup.limits
        if limits.turns is not None and self.turns >= limits.turns:
            return Ended("limit_turns", f"{self.turns} turns")
        if limits.tokens is not None and self._spent() >= limits.tokens:
            return Ended("limit_tokens", f"{self._spent()} tokens")
        if limits.broken is not None and self.idle >= limits.broken:
            return Ended("broken_replies", f"{self.idle} replies in a row without a call that could be made")
        return None

    def _export(self, seat: Seat, acted: int) -> None:
        """Keep the strategy's state where this reply takes the step of a checkpoint."""
        for step in self.setup.checkpoints:
            if self.steps < step <= self.steps + acted:
                # The reply is already in the history; the view that chose the action saw all before it.
                length = len(seat.history) - 1
                state, shared = seat.export(), snapshot(self._lent.entries)
                self.exports[step] = Export(
                    step, self.agent, seat.brief, seat.history, length, seat.net, state, shared
                )

    def _spent(self) -> int:
        return self.tokens + (self._lent.asker.tokens if self._lent.asker else 0)

    def _encoded(self) -> int:
        return self._past_encoded + sum(seat.counter.encoded for seat in self.seats.values())
