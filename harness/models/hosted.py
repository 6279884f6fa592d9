"""A model behind an HTTP interface: a view becomes a request, an answer becomes a reply."""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from harness.contract import Message, Reply, Request
from harness.models.gate import Gate
from harness.models.retry import Policy, persist
from harness.models.wire import spoken
from harness.prefix import common


@dataclass(frozen=True, slots=True)
class Wire:
    """How a provider's interface is spoken. body: from a request, and how many messages it shares with the last one."""

    path: str
    body: Callable[[Request, int], dict[str, Any]]
    reply: Callable[[Mapping[str, Any]], Reply]


class Hosted:
    """A `contract.Model` for one episode.

    post: sends a body to the wire's path and returns the answer, or raises what the SDK raises. settings: go into every
    body. limit: the field that caps the output. text_tools: tools are described and called in text.
    """

    def __init__(
        self,
        post: Callable[[str, Mapping[str, Any]], Any],
        wire: Wire,
        settings: Mapping[str, Any],
        limit: str,
        text_tools: bool,
        policy: Policy,
        gate: Gate,
        rng: random.Random,
    ) -> None:
        self._post = post
        self._wire = wire
        self._settings = settings
        self._limit = limit
        self._text_tools = text_tools
        self._policy = policy
        self._gate = gate
        self._rng = rng
        self._last: tuple[Message, ...] = ()

    def complete(self, request: Request) -> Reply:
        """Raises retry.CallFailed."""
        answer, attempts = persist(lambda: self._send(self.body(request)), self._policy, self._rng)
        reply = self._wire.reply(answer)
        if self._text_tools:
            reply = spoken.heard(reply, request.tools)
        self._last = request.view
        return replace(reply, attempts=attempts)

    def body(self, request: Request) -> dict[str, Any]:
        """What is sent."""
        sent = spoken.told(request) if self._text_tools else request
        body = self._wire.body(sent, common(self._last, request.view))
        return {**body, self._limit: request.max_output, **self._settings}

    def _send(self, body: Mapping[str, Any]) -> Any:
        with self._gate.enter():
            return self._post(self._wire.path, body)


def key(name: str | None) -> str:
    """The key in the environment variable of this name; local servers want none. Raises ValueError."""
    if name is None:
        return "none"
    if not (found := os.environ.get(name)):
        raise ValueError(f"{name} is not set: put the key of the endpoint into this environment variable")
    return found
