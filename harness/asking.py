"""What a strategy asks of its own model while it waits, and whose fault it is when a strategy raises."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, TypeVar

from harness.clock import Time
from harness.codec import fingerprint, reply_from, reply_to
from harness.contract import Model, Reply, Request
from harness.journal import Journal
from harness.text import clean, clean_message
from harness.tokens import Counter, Tokenizer

T = TypeVar("T")


class StrategyError(Exception):
    """A strategy raised: the result of its episode."""


class Asker:
    """Calls of the strategy's own model, recorded like every external answer. tokens: input and output of them all.

    better: a second model, for requests that ask for the better one; None = the first answers these too.
    """

    def __init__(
        self, model: Model, journal: Journal, tokenizer: Tokenizer, clock: Time | None = None,
        better: Model | None = None,
    ) -> None:  # fmt: skip
        self.tokens = 0
        self.waited = 0.0  # simulated seconds that the agent waited for answers
        self.fault: Exception | None = None  # of the machinery, while a strategy asked
        self.model = model
        self.better = better
        self.journal = journal
        self.clock = clock
        self._tokenizer = tokenizer

    def ask(self, request: Request) -> Reply:
        """Blocking: the agent waits for it, on the clock too."""
        with self.blamed():
            reply, seconds = self.answered(request, "ask")
        if self.clock is not None:
            self.waited += self.clock.stand([seconds])
        return reply

    def ask_all(self, requests: Sequence[Request]) -> list[Reply]:
        """Made at once, recorded in order. On the clock they share its slots; really, they come one after the other."""
        with self.blamed():
            found = [self.answered(request, "ask") for request in requests]
        if self.clock is not None:
            self.waited += self.clock.stand([seconds for _, seconds in found])
        return [reply for reply, _ in found]

    def answered(self, request: Request, row: str) -> tuple[Reply, float]:
        """The recorded answer, or one from the model; written as a row of this name. Second: its simulated seconds."""
        known = self.journal.recall(row)
        reply = reply_from(known["reply"]) if known is not None else self.live(request)
        billed, seconds = self.cost(request, reply)
        self.tokens += billed["tokens"]
        self.journal.write({"row": row, **billed, "reply": reply_to(reply)})
        return reply, seconds

    def live(self, request: Request) -> Reply:
        model = self.better if request.better and self.better is not None else self.model
        reply = model.complete(request)
        return replace(reply, message=clean_message(reply.message))

    def cost(self, request: Request, reply: Reply) -> tuple[dict[str, Any], float]:
        """What a call's row says of its size, and its simulated seconds (0 without a clock).

        tokens: input and output together; output: its part; sent: the input piece by piece, what it is and its tokens;
        seconds: simulated, where there is such a clock; better: true for a call of the second model.
        """
        counter = Counter(self._tokenizer)
        sent: list[list[Any]] = [["tools", counter.overhead(request.tools)]]
        sent += [[fingerprint(message), counter.message(message)] for message in request.view]
        given, made = sum(tokens for _, tokens in sent), counter.message(reply.message)
        rates = self.clock.rates if self.clock is not None else None
        seconds = rates.seconds(given, 0, made, rates.compactor_speed) if rates is not None else 0.0
        billed: dict[str, Any] = {"tokens": given + made, "output": made, "sent": sent}
        if request.better and self.better is not None:
            billed["better"] = True
        return (billed if rates is None else {**billed, "seconds": round(seconds, 6)}), seconds

    @contextmanager
    def blamed(self) -> Iterator[None]:
        """What fails in here is the machinery's fault, also where the strategy swallows it."""
        try:
            yield
        except Exception as fault:
            self.fault = fault
            raise


def of_strategy(what: str, use: Callable[[], T], asker: Asker | None) -> T:
    """What a strategy raises is a result; what fails under it is not: its own model, the record, the host's memory."""
    try:
        found = use()
    except Exception as error:
        fault = asker.fault if asker is not None else None
        if fault is None and not isinstance(error, MemoryError):
            raise StrategyError(f"{what} raised {type(error).__name__}: {clean(str(error))}") from error
        raise fault or error from None
    if asker is not None and asker.fault is not None:  # swallowed by the strategy
        raise asker.fault
    return found
