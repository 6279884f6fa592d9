"""Trajectories of mini-swe-agent, formats 1 (text protocol) and 1.1 (text protocol or tool calls).

`{"trajectory_format": "mini-swe-agent-1", "info": {"exit_status", "config"}, "messages": [...]}`; the provider's usage
stands in `extra.response.usage` of each assistant message.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tasks.formats import chat, text
from tasks.formats.run import BASH, Run, text_of


def recognises(data: Any) -> bool:
    """Whether the data says that it is one, or has the shape of the files before it said so."""
    if not isinstance(data, Mapping) or not isinstance(data.get("messages"), list):
        return False
    named = str(data.get("trajectory_format", "")).startswith("mini-swe-agent")
    return named or "mini_version" in (data.get("info") or {})


def read(data: Mapping[str, Any], name: str) -> Run:
    """One run. Raises ValueError for a run without a task or a reply."""
    info = data.get("info") or {}
    config = info.get("config") or {}
    agent, model = config.get("agent") or {}, config.get("model") or {}
    messages = [m for m in chat.normal(data["messages"]) if m["role"] != "exit"]
    system, task, rest = chat.opening(list(_restored(messages)), name)
    if any(message.get("tool_calls") for message in rest):
        turns = chat.call_turns(rest, name)
        tools = chat.used(turns)
        tools = tuple(BASH if tool.name == BASH.name else tool for tool in tools)
    else:
        pattern = agent.get("action_regex") or model.get("action_regex") or text.ACTION
        turns, tools = text.turns(rest, re.compile(pattern, re.DOTALL)), (BASH,)
    status = info.get("exit_status")
    return Run(name, system, task, tools, turns, None if status is None else str(status))


def _restored(messages: Sequence[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """The messages, with each refused reply before its refusal: format 1.1 keeps it only in the refusal's `extra`."""
    for before, message in zip([None, *messages], messages, strict=False):
        said = (message.get("extra") or {}).get("model_response")
        if message["role"] == "user" and isinstance(said, str) and (before is None or before["role"] != "assistant"):
            yield {"role": "assistant", "content": text_of(said), "extra": {"actions": []}}
        yield message
