"""The text protocol: actions stand in the assistant's text, and observations come back as user messages.

Each assistant message and the user message after it become one block, a call and its answer, or nothing could
ever be dropped from a view. The assistant's text stays whole; the call holds the command.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from harness.contract import Call, Message, Reply
from tasks.formats.run import MISSING, Played, text_of, usage_of

ACTION = r"```(?:bash|mswea_bash_command)[ \t]*\n(.*?)\n```"

_OPENS = re.compile(r"(?:```[\w-]*|<\w+>)\s*$")
_CLOSES = re.compile(r"^\s*(?:```|</\w+>)")


def actions(message: Mapping[str, Any], pattern: re.Pattern[str]) -> list[str]:
    """The commands of an assistant message: as the file lists them (`extra.actions`), else those its text marks."""
    listed = (message.get("extra") or {}).get("actions")
    if listed is not None:
        return [text_of(item.get("command") if isinstance(item, Mapping) else item) for item in listed]
    return [found.strip() for found in pattern.findall(text_of(message.get("content")))]


def turns(messages: Sequence[Mapping[str, Any]], pattern: re.Pattern[str]) -> tuple[Played, ...]:
    """The turns of a run from its messages after the task.

    A message without exactly one action was refused: it ran nothing, so its one call has an empty command and is
    answered by the refusal. A second user message in a row is one that a person wrote. What follows the last answer
    is the note of the run's end, which no model saw, and is left out.
    """
    played: list[Played] = []
    for message, after in _exchanges(messages):
        text, commands = text_of(message.get("content")), actions(message, pattern)
        if not commands and not after and message is messages[-1]:
            calls: tuple[Call, ...] = ()  # the run's last words
        else:
            calls = (call("bash", {"command": commands[0] if len(commands) == 1 else ""}, len(played)),)
        reply = Reply(Message("", "assistant", text, calls), usage_of(message))
        answers = (after[0] if after else MISSING,) if calls else ()
        played.append(Played(reply, answers, tuple(after[1:])))
    return ended(played)


def ended(played: Sequence[Played]) -> tuple[Played, ...]:
    """The turns, with nothing said after the last answer: no reply follows it."""
    if not played:
        return ()
    last = played[-1]
    return (*played[:-1], Played(last.reply, last.answers))


def call(name: str, arguments: Mapping[str, Any], turn: int, place: int = 0) -> Call:
    """A call under an id of its own; the recorded ids are not always unique within a run."""
    return Call(f"{turn}.{place}", name, arguments)


def once(played: Sequence[Played]) -> tuple[Played, ...]:
    """The turns, with each command that a reply's text repeats cut from it, fence and all."""
    return tuple(replace(turn, reply=replace(turn.reply, message=_cut(turn.reply.message))) for turn in played)


def _cut(message: Message) -> Message:
    command = str(message.calls[0].arguments.get("command", "")) if len(message.calls) == 1 else ""
    place = message.content.rfind(command) if command else -1
    if place < 0:
        return message
    before = _OPENS.sub("", message.content[:place])
    after = _CLOSES.sub("", message.content[place + len(command) :])
    return replace(message, content=f"{before.rstrip()}\n\n{after.lstrip()}".strip())


def _exchanges(messages: Iterable[Mapping[str, Any]]) -> Iterable[tuple[Mapping[str, Any], list[str]]]:
    pair: tuple[Mapping[str, Any], list[str]] | None = None
    for message in messages:
        if message.get("role") == "assistant":
            if pair is not None:
                yield pair
            pair = (message, [])
        elif pair is not None:
            pair[1].append(text_of(message.get("content")))
    if pair is not None:
        yield pair
