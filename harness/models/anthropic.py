"""Models behind Anthropic's interface."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from harness.contract import Environment, Model, Task
from harness.models.gate import Gate
from harness.models.hosted import Hosted, Wire, key
from harness.models.retry import Policy
from harness.models.wire import messages

WIRE = Wire("/v1/messages", messages.body, messages.reply)


@dataclass(frozen=True, slots=True)
class Anthropic:
    """A source of models. Settings as in models/openai.py; `betas` are sent as the header anthropic-beta."""

    provider = "anthropic"

    model: str
    base_url: str | None = None
    key: str | None = "ANTHROPIC_API_KEY"
    tools: Literal["native", "text"] = "native"
    temperature: float | None = 0.0
    slots: int | None = 4
    per_minute: int | None = None
    attempts: int = 6
    timeout: float = 300.0
    betas: tuple[str, ...] = ()
    extra: Mapping[str, Any] = field(default_factory=dict)

    def check(self) -> None:
        """Raise ValueError for a setting that no episode could be played with."""
        if self.tools not in ("native", "text"):
            raise ValueError(f"model.tools={self.tools!r}: choose native or text")
        key(self.key)

    def open(self, task: Task, environment: Environment, seed: int) -> Model:
        """Raises ValueError where the key is not set, ImportError without the extra `models`."""
        from anthropic import Anthropic as Client

        client = Client(
            api_key=key(self.key),
            base_url=self.base_url,
            max_retries=0,
            timeout=self.timeout,
        )

        def post(path: str, body: Mapping[str, Any]) -> Any:
            betas = [*self.betas, *body.get("betas", ())]  # a header, wherever it was asked for
            sent = {name: value for name, value in body.items() if name != "betas"}
            headers = {"anthropic-beta": ",".join(betas)} if betas else {}
            return client.post(path, body=sent, cast_to=object, options={"headers": headers})

        own: dict[str, Any] = {"model": self.model, **self.extra}
        settings = own if self.temperature is None else {**own, "temperature": self.temperature}
        gate = Gate(self.base_url or "anthropic", self.slots, self.per_minute)
        rng = random.Random(seed)
        return Hosted(post, WIRE, settings, "max_tokens", self.tools == "text", Policy(self.attempts), gate, rng)
