"""What every format is read into: one recorded run as replies and what came back.

The texts are kept whole, as the model saw them; only what no record can hold or no server takes (lone surrogates,
undecodable bytes, control characters) is replaced by U+FFFD, as in every other episode.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from harness.contract import Reply, Tool, Usage

MISSING = "[no result of this call was recorded]"

BASH = Tool(
    name="bash",
    description="Run a command in a shell and return what it prints.",
    parameters={
        "type": "object",
        "properties": {"command": {"type": "string", "description": "The command to run."}},
        "required": ["command"],
    },
)

_UNSAFE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Played:
    """One recorded turn: the reply, an answer for each of its calls in their order, and user messages after them."""

    reply: Reply
    answers: tuple[str, ...] = ()
    said: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Run:
    """A recorded run.

    status: how the run ended, as the file puts it ("Submitted", "LimitsExceeded"); None = not recorded.
    """

    id: str
    system: str
    task: str
    tools: tuple[Tool, ...]
    turns: tuple[Played, ...]
    status: str | None = None


def text_of(content: Any) -> str:
    """The text of a message's content: a string, bytes, None, or a list of parts as chat servers take them."""
    if content is None:
        return ""
    if isinstance(content, bytes):
        content = content.decode("utf-8", errors="replace")
    if isinstance(content, str):
        return _UNSAFE.sub("\ufffd", content)
    if isinstance(content, Sequence):
        return "\n".join(_part(part) for part in content)
    return _UNSAFE.sub("\ufffd", str(content))


def _part(part: Any) -> str:
    if not isinstance(part, Mapping):
        return text_of(part)
    if "text" in part:
        return text_of(part["text"])
    return f"[{part.get('type', 'part')} not shown]"


def cleaned(value: Any) -> Any:
    """The arguments of a call with every text in them cleaned."""
    if isinstance(value, str | bytes):
        return text_of(value)
    if isinstance(value, Mapping):
        return {text_of(key): cleaned(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [cleaned(item) for item in value]
    return value


def usage_of(message: Mapping[str, Any]) -> Usage:
    """Tokens that the provider reported with an assistant message; `input` counts every prompt token, cached or not.

    Read from `usage`, `response.usage` or `extra.response.usage`. Chat servers count cached tokens in `prompt_tokens`;
    Anthropic's `input_tokens` leave them out (their names have `cache_read_input_tokens`), so they are added.
    """
    place = message
    for key in ("extra", "response"):
        inner = place.get(key)
        if isinstance(inner, Mapping):
            place = inner
    found = place.get("usage") or message.get("usage")
    if not isinstance(found, Mapping):
        return Usage()
    details = found.get("prompt_tokens_details") or found.get("input_tokens_details") or {}
    read, write = found.get("cache_read_input_tokens"), found.get("cache_creation_input_tokens")
    given = found.get("prompt_tokens", found.get("input_tokens"))
    if given is not None and "prompt_tokens" not in found:
        given += (read or 0) + (write or 0)
    return Usage(
        input=given,
        cache_read=read if read is not None else details.get("cached_tokens"),
        cache_write=write,
        output=found.get("completion_tokens", found.get("output_tokens")),
    )
