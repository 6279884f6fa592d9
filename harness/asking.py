"""What a strategy asks of its own model, and whose fault it is when a strategy raises."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

from harness.codec import reply_from, reply_to
from harness.contract import Model, Reply, Request
from harness.journal import Journal
from harness.text import clean, clean_message
from harness.tokens import Counter, Tokenizer

T = TypeVar("T")


class StrategyError(Exception):
    """A strategy raised: the result of its episode."""


class Asker:
    """Calls of the strategy's own model, recorded like every external answer. tokens: input and output of them all."""

    def __init__(self, model: Model, journal: Journal, tokenizer: Tokenizer) -> None:
        self.tokens = 0
        self.fault: Exception | None = None  # of the machinery, while a strategy asked
        self._model = model
        self._journal = journal
        self._tokenizer = tokenizer

    def ask(self, request: Request) -> Reply:
        try:
            return self._answered(request)
        except Exception as fault:
            self.fault = fault
            raise

    def _answered(self, request: Request) -> Reply:
        row = self._journal.recall("ask")
        if row is not None:
            reply = reply_from(row["reply"])
        else:
            reply = self._model.complete(request)
            reply = replace(reply, message=clean_message(reply.message))
        counter = Counter(self._tokenizer)
        spent = counter.messages(request.view) + counter.overhead(request.tools) + counter.message(reply.message)
        self.tokens += spent
        self._journal.write({"row": "ask", "tokens": spent, "reply": reply_to(reply)})
        return reply


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
