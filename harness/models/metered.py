"""A paid model behind a sweep's purse: no call is made that could take it over its limit."""

from __future__ import annotations

from dataclasses import dataclass

from harness.contract import Environment, Model, Reply, Request, Task
from harness.cost.bill import dollars, reported
from harness.cost.prices import Prices
from harness.parts import ModelSource
from harness.purse import Purse
from harness.tokens import Counter, Tokenizer


@dataclass(frozen=True, slots=True)
class MeteredSource:
    """A source whose models pay for each call from the purse."""

    source: ModelSource
    purse: Purse
    prices: Prices
    tokenizer: Tokenizer

    def open(self, task: Task, environment: Environment, seed: int) -> Model:
        model = self.source.open(task, environment, seed)
        return Metered(model, self.purse, self.prices, Counter(self.tokenizer))


class Metered:
    """A `contract.Model`. At worst a call reads nothing from a cache and says all that it may."""

    def __init__(self, model: Model, purse: Purse, prices: Prices, counter: Counter) -> None:
        self._model = model
        self._purse = purse
        self._prices = prices
        self._counter = counter

    def complete(self, request: Request) -> Reply:
        """Raises SpentUp before a call that may cost more than is left. A call that fails stays at its worst."""
        given = self._counter.messages(request.view) + self._counter.overhead(request.tools)
        number = self._purse.hold(dollars(self._prices, given, 0, request.max_output))
        reply = self._model.complete(request)
        self._purse.pay(number, self._price(reply, given))
        return reply

    def _price(self, reply: Reply, given: int) -> float:
        """By the provider's own counts; what it does not say counts as planned, and as read from no cache."""
        usage = reply.usage
        input = usage.input if usage.input is not None else given
        output = usage.output if usage.output is not None else self._counter.message(reply.message)
        read = usage.cache_read or 0
        if usage.cache_write is None:
            return dollars(self._prices, input, read, output)
        return reported(self._prices, input, read, usage.cache_write, output)
