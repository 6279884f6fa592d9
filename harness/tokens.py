"""Counting: one function for each text, one count for each message.

The count of a request is the sum of its messages' counts, the schemas' and a fixed overhead. Each part is at or above
what chat servers count for it (rule 3: planned >= reported), so a view that fits here fits there.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence
from typing import Any, Protocol

from harness import encodings
from harness.contract import Message, Tool

# Per message: role and separators (3 in OpenAI's chat format) and one to spare for a name or an end-of-turn marker.
MESSAGE_OVERHEAD = 4
# Per call: name, id and wrapping; per request: the primed reply and the frame of the tool list.
CALL_OVERHEAD = 12
REQUEST_OVERHEAD = 8
TOOL_OVERHEAD = 12
# What an adapter sends where a server refuses blank content (see fault V3): counted as if always sent.
FILLER = 2


class Tokenizer(Protocol):
    name: str

    def text(self, text: str) -> int: ...


class Tiktoken:
    """A tiktoken encoding, loaded offline. Text that looks like a control token is counted as ordinary text."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._encoding: Any = None

    def text(self, text: str) -> int:
        if self._encoding is None:
            self._encoding = _load(self.name)
        return len(self._encoding.encode_ordinary(text))


class Characters:
    """An estimate for models without a published tokenizer: characters over `per_token`, rounded up."""

    def __init__(self, per_token: float = 4.0) -> None:
        self.per_token = per_token
        self.name = f"characters/{per_token:g}"

    def text(self, text: str) -> int:
        return math.ceil(len(text) / self.per_token)


class Counter:
    """Counts each message once in an episode, by id; `encoded` = tokens of all text that was really encoded."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        self.tokenizer = tokenizer
        self.encoded = 0
        self._known: dict[str, tuple[Message, int]] = {}

    def message(self, message: Message) -> int:
        known = self._known.get(message.id)
        if known is not None and (known[0] is message or known[0] == message):
            return known[1]
        count = self._measure(message)
        self._known[message.id] = (message, count)
        return count

    def messages(self, messages: Iterable[Message]) -> int:
        return sum(map(self.message, messages))

    def overhead(self, tools: Sequence[Tool]) -> int:
        """Tokens of a request beside its messages: tool schemas and the frame."""
        return REQUEST_OVERHEAD + sum(TOOL_OVERHEAD + self._text(schema_text(tool)) for tool in tools)

    def _measure(self, message: Message) -> int:
        total = MESSAGE_OVERHEAD + (self._text(message.content) if message.content.strip() else FILLER)
        for call in message.calls:
            total += CALL_OVERHEAD + self._text(call.name) + self._text(compact(call.arguments))
        if message.answers is not None:
            total += CALL_OVERHEAD
        if message.opaque is not None:
            total += self._text(compact(message.opaque))
        return total

    def _text(self, text: str) -> int:
        count = self.tokenizer.text(text)
        self.encoded += count
        return count


def compact(value: Any) -> str:
    """The one JSON form that is counted, sent and recorded."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def schema_text(tool: Tool) -> str:
    return compact({"name": tool.name, "description": tool.description, "parameters": tool.parameters})


def _load(name: str) -> Any:
    # tiktoken reads the folder from the environment at load time. One that the user named is what `unpack` returns.
    import os

    import tiktoken

    folder = encodings.unpack(name)
    os.environ["TIKTOKEN_CACHE_DIR"] = str(folder)
    return tiktoken.get_encoding(name)
