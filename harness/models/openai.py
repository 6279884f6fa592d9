"""Models behind OpenAI's interface: OpenAI's own, and any server that speaks it (vLLM, llama.cpp, Ollama, …)."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from harness.contract import Environment, Model, Task
from harness.models.gate import Gate
from harness.models.hosted import Hosted, Wire, key
from harness.models.retry import Policy
from harness.models.wire import chat, responses

WIRES = {
    "chat": Wire("/chat/completions", lambda request, _: chat.body(request), chat.reply),
    "responses": Wire("/responses", lambda request, _: responses.body(request), responses.reply),
}


@dataclass(frozen=True, slots=True)
class OpenAI:
    """A source of models.

    base_url: None = OpenAI's own. key: the environment variable that holds the key; None = the server wants none.
    api: chat (completions) or responses. tools: native, or text for models without tool calls. temperature: None = the
    server's default. limit: the field that caps the output; None = max_tokens, for responses max_output_tokens.
    slots, per_minute: requests at once and a minute, from all processes of this machine. attempts, timeout: requests
    for one call, seconds for each. extra: further fields.
    """

    provider = "openai"

    model: str
    base_url: str | None = None
    key: str | None = "OPENAI_API_KEY"
    api: Literal["chat", "responses"] = "chat"
    tools: Literal["native", "text"] = "native"
    temperature: float | None = 0.0
    limit: str | None = None
    slots: int | None = 4
    per_minute: int | None = None
    attempts: int = 6
    timeout: float = 300.0
    extra: Mapping[str, Any] = field(default_factory=dict)

    def check(self) -> None:
        """Raise ValueError for a setting that no episode could be played with."""
        if self.api not in WIRES:
            raise ValueError(f"model.api={self.api!r}: choose chat or responses")
        if self.tools not in ("native", "text"):
            raise ValueError(f"model.tools={self.tools!r}: choose native or text")
        key(self.key)

    def open(self, task: Task, environment: Environment, seed: int) -> Model:
        """Raises ValueError where the key is not set, ImportError without the extra `models`."""
        from openai import OpenAI as Client

        client = Client(api_key=key(self.key), base_url=self.base_url, max_retries=0, timeout=self.timeout)

        def post(path: str, body: Mapping[str, Any]) -> Any:
            return client.post(path, body=body, cast_to=object)

        gate = Gate(self.base_url or "openai", self.slots, self.per_minute)
        return Hosted(
            post,
            WIRES[self.api],
            self._settings(),
            self.limit or ("max_output_tokens" if self.api == "responses" else "max_tokens"),
            self.tools == "text",
            Policy(self.attempts),
            gate,
            random.Random(seed),
        )

    def _settings(self) -> dict[str, Any]:
        own: dict[str, Any] = {"model": self.model, **self.extra}
        return own if self.temperature is None else {**own, "temperature": self.temperature}
