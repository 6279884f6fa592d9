"""What a message leaves in memory: drafts of units, by the write rules and the routing table."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from harness.contract import Call, Message
from strategies.memory.statements import beginning, names, statements
from strategies.memory.unit import Kind, Layer, Metadata, Unit
from strategies.memory.writing import Class, classify

Chunk = Literal["fixed", "event", "subtask"]
# Where each kind is kept: tool results in the event stream, what was stated for good apart, progress in working memory.
ROUTES: dict[Kind, Layer] = {
    "goal": "semantic", "constraint": "semantic", "preference": "semantic", "record": "semantic",
    "event": "episodic", "address": "episodic", "decision": "episodic", "summary": "episodic",
    "progress": "working", "reasoning": "working",
}  # fmt: skip
SUMMARY = 30  # words kept of what can be fetched again (ours)
OUTCOME = 12  # words of an answer in a line of progress (ours)
THOUGHT = 60  # words of a kept thought (ours)
CHARACTERS = 4  # of a token, estimate: chunks of fixed length are cut by it
_FAILED = re.compile(r"\s*\W?(?:error|failed|traceback|exception)\b", re.IGNORECASE)
_FETCH = re.compile(r"\s*(?:cat|less|head|tail|sed -n|grep|rg|ls|find|curl|wget)\b", re.IGNORECASE)
_FETCHERS = frozenset(("view", "open", "read", "read_file", "cat", "fetch", "fetch_url", "open_url", "browse", "visit"))
_LONG = 800  # characters: a shorter answer is worth keeping whole, even if it can be fetched again (ours)
_KEPT: dict[Class, Kind] = {"goal": "goal", "constraint": "constraint", "preference": "preference"}


@dataclass(frozen=True, slots=True)
class Place:
    """Where a message stands: step, subtask, whether nobody has acted yet, what had been asked for."""

    step: int
    subtask: str | None
    opening: bool
    order: str = ""


def draft(kind: Kind, content: str, place: Place, message: Message, about: str = "") -> Unit:
    """A unit without an id; its names are those of the content and of the text `about`."""
    found = names(content) | names(about)
    metadata = Metadata(tuple(sorted(found)), (message.id,), until=place.step)
    return Unit("", ROUTES[kind], kind, content, place.subtask, created=place.step, metadata=metadata)


def from_user(message: Message, told: str, place: Place, chunk: Chunk, size: int) -> list[Unit]:
    """Goals, constraints and preferences one by one, the rest as an event. What is said before anybody has acted is the
    task's own: a constraint, if nothing else."""
    kept: list[Unit] = []
    rest: list[str] = []
    for statement in statements(told):
        found = classify(statement, "user")
        if found in _KEPT:
            kept.append(draft(_KEPT[found], statement, place, message))
        elif found in ("hedged", "thought"):
            continue
        elif place.opening:
            kept.append(draft("constraint", statement, place, message))
        else:
            rest.append(statement)
    return [*kept, *_events(rest, message, place, chunk, size)]


def from_tool(
    message: Message, told: str, call: Call | None, rereads: Iterable[str], place: Place, chunk: Chunk, size: int
) -> list[Unit]:
    """The progress that an answer makes, and its content as an event; of what can be fetched again the address."""
    tool = call.name if call is not None else "tool"
    failed = _FAILED.match(told) is not None
    line = f"step {place.step}: {_written(call)} -> {beginning(told, OUTCOME)}"
    made = [draft("progress", line, place, message, place.order)]
    if call is not None and _fetchable(call, told, rereads):
        content = f"{_written(call)} can be called again; it began: {beginning(told, SUMMARY)}"
        made.append(draft("address", content, place, message, told))
    else:
        kept = [statement for statement in statements(told) if classify(statement, "tool") != "hedged"]
        made += _events(kept, message, place, chunk, size)
    return [replace(u, metadata=replace(u.metadata, tools=(tool,), failed=failed)) for u in made]


def from_agent(message: Message, place: Place) -> list[Unit]:
    """Decisions with their reasons; of the rest one thought, for working memory."""
    said = statements(message.content)
    decided = [statement for statement in said if classify(statement, "agent") == "decision"]
    made = [draft("decision", statement, place, message) for statement in decided]
    if thought := " ".join(statement for statement in said if statement not in decided):
        made.append(draft("reasoning", beginning(thought, THOUGHT), place, message))
    return made


def _events(said: Sequence[str], message: Message, place: Place, chunk: Chunk, size: int) -> list[Unit]:
    text = "\n".join(said)
    if not text:
        return []
    if chunk != "fixed":
        return [draft("event", text, place, message)]
    width = size * CHARACTERS
    return [draft("event", text[start : start + width], place, message) for start in range(0, len(text), width)]


def _fetchable(call: Call, told: str, rereads: Iterable[str]) -> bool:
    """Whether the same call brings the text again: a tool for re-reading, a long answer of a reading command."""
    if call.name in rereads:
        return True
    if len(told) < _LONG:
        return False
    return call.name in _FETCHERS or any(isinstance(v, str) and _FETCH.match(v) for v in call.arguments.values())


def _written(call: Call | None) -> str:
    if call is None:
        return "an answer"
    return f"{call.name}({', '.join(f'{k}={beginning(str(v), OUTCOME)}' for k, v in call.arguments.items())})"
