"""Chat messages as OpenAI's servers take them: `tool_calls` and messages of role `tool`.

`{"messages": [...], "tools": [...]}` or the bare list. A list without any tool call whose replies mark their commands
in a fenced block is read by the text protocol; without either it is a conversation, and replies have no calls.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from harness.contract import Call, Message, Reply, Tool
from tasks.formats import responses, text
from tasks.formats.run import BASH, MISSING, Played, Run, cleaned, text_of, usage_of

_ROLES = {"developer": "system", "human": "user", "ai": "assistant", "gpt": "assistant", "function": "tool"}
_TEXTS = ("content", "value", "text", "system_prompt")
_LISTS = ("messages", "trajectory", "conversations", "history")


def recognises(data: Any) -> bool:
    """Whether the data is a list of messages, or holds one, as a list or as JSON in a string."""
    return _find(data) is not None


def read(data: Any, name: str) -> Run:
    """One run. Raises ValueError for a run without a task or a reply, and for a result that answers no call."""
    messages = normal(_find(data) or ())
    about = data if isinstance(data, Mapping) else {}
    system, task, rest = opening(messages, name)
    called = any(message.get("tool_calls") for message in rest)
    pattern = re.compile(text.ACTION, re.DOTALL)
    spoken = not called and any(m["role"] == "assistant" and text.actions(m, pattern) for m in rest)
    turns = text.turns(rest, pattern) if spoken else call_turns(rest, name)
    tools = (BASH,) if spoken else declared(about.get("tools")) or used(turns)
    status = about.get("exit_status")
    return Run(name, system, task, tools, turns, None if status is None else str(status))


def normal(messages: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The messages with one spelling of roles, texts and calls."""
    plain = []
    for message in responses.as_chat(messages):
        role = str(message.get("role") or message.get("from"))
        content = next((message[key] for key in _TEXTS if message.get(key) is not None), None)
        item = {**message, "role": _ROLES.get(role, role), "content": text_of(content)}
        if message.get("function_call"):  # the form before tool_calls: one call, answered by the message that follows
            item["tool_calls"] = [{"function": message["function_call"]}]
        plain.append(item)
    return plain


def opening(messages: Sequence[Mapping[str, Any]], name: str) -> tuple[str, str, Sequence[Mapping[str, Any]]]:
    """System text, task message and the rest. Messages of one role before the first reply are joined."""
    start = next((i for i, message in enumerate(messages) if message["role"] == "assistant"), len(messages))
    said = {role: [m["content"] for m in messages[:start] if m["role"] == role] for role in ("system", "user")}
    if start == len(messages) or not said["user"]:
        want = "user message" if start < len(messages) else "assistant message"
        raise ValueError(f"recorded run {name}: no {want} where one is due; take it out of task.path")
    return "\n\n".join(said["system"]), "\n\n".join(said["user"]), messages[start:]


def call_turns(messages: Sequence[Mapping[str, Any]], name: str) -> tuple[Played, ...]:
    """Turns of messages with tool calls; results are put in the order of the calls, a missing one is said to be so."""
    played: list[Played] = []
    starts = [i for i, message in enumerate(messages) if message["role"] == "assistant"]
    for turn, (start, end) in enumerate(zip(starts, [*starts[1:], len(messages)], strict=True)):
        message, after = messages[start], messages[start + 1 : end]
        asked = list(message.get("tool_calls") or ())
        calls = tuple(_call(item, turn, place) for place, item in enumerate(asked))
        results = [m for m in after if m["role"] == "tool"]
        reply = Reply(Message("", "assistant", message["content"], calls), usage_of(message))
        said = tuple(m["content"] for m in after if m["role"] in ("user", "system"))
        played.append(Played(reply, _answers(asked, results, f"{name}, reply {turn + 1}"), said))
    return text.ended(played)


def _answers(asked: Sequence[Mapping[str, Any]], results: Sequence[Mapping[str, Any]], place: str) -> tuple[str, ...]:
    ids = [item.get("id") or item.get("call_id") for item in asked]
    got: list[list[str]] = [[] for _ in asked]
    for result in results:
        wanted = result.get("tool_call_id")
        open_places = [i for i, known in enumerate(ids) if (known == wanted if wanted is not None else not got[i])]
        if not open_places:
            raise ValueError(
                f"recorded run {place}: a tool result answers {wanted!r}; the calls are {ids}; mend the file"
            )
        got[open_places[0]].append(result["content"])
    return tuple("\n".join(texts) if texts else MISSING for texts in got)


def _call(item: Mapping[str, Any], turn: int, place: int) -> Call:
    function = item.get("function") or item
    given = function.get("arguments")
    if isinstance(given, str):
        try:
            given = json.loads(given or "{}")
        except json.JSONDecodeError:
            given = {"text": given}  # the model's own slip: kept as it was written
    arguments = given if isinstance(given, Mapping) else {} if given is None else {"value": given}
    return text.call(text_of(function.get("name")), cleaned(arguments), turn, place)


def declared(tools: Any) -> tuple[Tool, ...]:
    """The tools that the file lists, in the nested or the flat form."""
    if isinstance(tools, str):
        tools = json.loads(tools)
    functions = [tool.get("function") or tool for tool in tools or () if isinstance(tool, Mapping)]
    return tuple(
        Tool(text_of(f["name"]), text_of(f.get("description")), cleaned(f.get("parameters") or {"type": "object"}))
        for f in functions
        if f.get("name")
    )


def used(turns: Sequence[Played]) -> tuple[Tool, ...]:
    """Tools as their calls show them, for files that list none."""
    seen: dict[str, set[str]] = {}
    for turn in turns:
        for call in turn.reply.message.calls:
            seen.setdefault(call.name, set()).update(call.arguments)
    return tuple(
        Tool(name, "", {"type": "object", "properties": {key: {} for key in sorted(keys)}})
        for name, keys in sorted(seen.items())
    )


def _find(data: Any) -> Sequence[Mapping[str, Any]] | None:
    if isinstance(data, Mapping):
        return next((found for key in _LISTS if key in data and (found := _find(data[key])) is not None), None)
    if isinstance(data, str) and data.lstrip().startswith("["):
        data = json.loads(data)
    if not isinstance(data, list) or not data:
        return None
    kinds = ("role", "from", "type", "output")
    return data if all(isinstance(m, Mapping) and any(key in m for key in kinds) for m in data) else None
