"""OpenAI's chat completions, as many servers speak them.

Source: platform.openai.com/docs/api-reference/chat (request, tool calls, usage).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from harness.contract import Message, Reply, Request, Tool, Usage
from harness.models.wire.turns import arguments_to, call_from, joined, text_of

FINISH = {"tool_calls": "calls", "function_call": "calls", "content_filter": "refusal"}


def body(request: Request) -> dict[str, Any]:
    """Messages and tools of a request; the model's name and its settings are the caller's."""
    found: dict[str, Any] = {"messages": [_message(group) for group in joined(request.view)]}
    if request.tools:
        found["tools"] = [_tool(tool) for tool in request.tools]
    if request.schema is not None:
        schema = {"name": "answer", "schema": dict(request.schema), "strict": True}
        found["response_format"] = {"type": "json_schema", "json_schema": schema}
    return {**found, **dict(request.options or {})}


def reply(answer: Mapping[str, Any]) -> Reply:
    """Raises ValueError for an answer without a choice."""
    if not answer.get("choices"):
        raise ValueError(f"the server's answer has no choices: {str(answer)[:200]}")
    choice = answer["choices"][0]
    said = choice["message"]
    calls = [
        call_from(call["function"]["name"], call["function"].get("arguments")) for call in said.get("tool_calls") or ()
    ]
    finish = "refusal" if said.get("refusal") else choice.get("finish_reason") or "stop"
    text = said.get("content") or said.get("refusal") or ""
    return Reply(Message("", "assistant", text, tuple(calls)), usage(answer), FINISH.get(finish, finish))


def usage(answer: Mapping[str, Any]) -> Usage:
    """prompt_tokens holds the cached ones too. What is not reported is not zero."""
    spent = answer.get("usage") or {}
    details = spent.get("prompt_tokens_details") or {}
    return Usage(spent.get("prompt_tokens"), details.get("cached_tokens"), None, spent.get("completion_tokens"))


def _message(group: Sequence[Message]) -> dict[str, Any]:
    first = group[0]
    if first.role == "user":
        return {"role": "user", "content": text_of(group)}
    if first.role == "tool":
        return {"role": "tool", "tool_call_id": first.answers, "content": first.content}
    if not first.calls:
        return {"role": first.role, "content": first.content}
    calls = [
        {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": arguments_to(call)}}
        for call in first.calls
    ]
    return {"role": "assistant", "content": first.content or None, "tool_calls": calls}


def _tool(tool: Tool) -> dict[str, Any]:
    own = {"name": tool.name, "description": tool.description, "parameters": dict(tool.parameters)}
    return {"type": "function", "function": own}
