"""What an episode is given, and what it hands over."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from harness.clock import Rates, Time, Wall
from harness.contract import Brief, Environment, Instance, Model, Strategy
from harness.history import History
from harness.kit import Embedder
from harness.shared import Entries
from harness.tokens import Tokenizer


@dataclass(frozen=True, slots=True)
class Limits:
    """Where an episode ends by itself, the same for every arm. None = no limit.

    turns: model calls, overhead turns included. tokens: input and output of all calls. output: most tokens of a reply.
    broken: replies in a row with which nothing could be done (no call, or none that can be made).
    """

    turns: int | None = None
    tokens: int | None = None
    output: int = 1024
    broken: int | None = 5


@dataclass(frozen=True, slots=True)
class Setup:
    """Everything that one episode needs. `budget`: most input tokens of a request, schemas and overhead included.

    clock: rates for a time of its own, or a time that it shares. better: the strategy's second model.
    """

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
    clock: Rates | Wall | Time | None = None
    better: Model | None = None


@dataclass(frozen=True, slots=True)
class Export:
    """What a fork at a checkpoint needs: the strategy's state after it composed, and how long the history was."""

    step: int
    agent: str | None
    brief: Brief
    history: History
    length: int
    net: int  # what the budget left for messages
    saved: bytes | None
    entries: Entries  # what the agents shared then


@dataclass(frozen=True, slots=True)
class Ended:
    """How an episode ended. `reason` explains it in words, for limits and errors."""

    ending: str
    reason: str = ""
