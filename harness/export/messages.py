"""Messages of a record as Inspect's chat messages.

An id is `<episode>.s<history>.<id>`: ours are unique within a history alone, an episode may have several, and Inspect's
data frames take messages of equal ids for one, across logs too. Equal messages of an episode are one object, so that a
log holds each text once, however many views show it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from inspect_ai.model import ChatMessage, ChatMessageAssistant, ChatMessageSystem, ChatMessageTool, ChatMessageUser
from inspect_ai.tool import ToolCall

from harness.contract import Message
from harness.history import index_of
from harness.ranges import unpack
from harness.record import Record


class Chat:
    """Of one record. episode: a name that no other record has. whole: all histories, one after the other."""

    def __init__(self, record: Record, model: str, episode: str) -> None:
        self._record = record
        self._episode = episode
        self._model = model
        self._made: dict[str, ChatMessage] = {}
        self._histories = [self._history(number) for number in range(len(record.segments))]

    @property
    def whole(self) -> list[ChatMessage]:
        return [message for history in self._histories for message in history]

    def task(self) -> str:
        """The first task message; "" for an episode that has none."""
        for segment in self._record.segments:
            for place in segment.tasks:
                return segment.messages[place].content if place < len(segment.messages) else ""
        return ""

    def reply(self, number: int) -> ChatMessageAssistant:
        """What the agent answered in the turn at this place of `record.turns`."""
        turn = self._record.turns[number]
        message = self._histories[turn.segment][turn.length]
        assert isinstance(message, ChatMessageAssistant)
        return message

    def view(self, number: int) -> list[ChatMessage]:
        """What the model saw in that turn. Made messages are known once their turn was asked for, so ask in order."""
        turn = self._record.turns[number]
        for message in turn.made:
            self._made[message.id] = self._one(message, turn.segment, {})
        places = ((name, index_of(name)) for name in unpack(turn.view))
        history = self._histories[turn.segment]
        return [self._made[name] if place is None else history[place] for name, place in places]

    def _history(self, number: int) -> list[ChatMessage]:
        segment = self._record.segments[number]
        functions = {call.id: call.name for message in segment.messages for call in message.calls}
        where = {"agent": segment.agent, "session": segment.session} if len(self._record.segments) > 1 else {}
        return [self._one(message, number, functions, where) for message in segment.messages]

    def _one(
        self, message: Message, segment: int, functions: Mapping[str, str], where: Mapping[str, Any] | None = None
    ) -> ChatMessage:
        about = dict(where or {})
        if message.sources:
            about["sources"] = [self._name(segment, source) for source in message.sources]
        if message.author is not None:
            about["author"] = message.author
        own, metadata = self._name(segment, message.id), about or None
        if message.role == "system":
            return ChatMessageSystem(id=own, content=message.content, metadata=metadata)
        if message.role == "user":
            return ChatMessageUser(id=own, content=message.content, metadata=metadata)
        if message.role == "tool":
            function = functions.get(message.answers or "")
            return ChatMessageTool(
                id=own, content=message.content, tool_call_id=message.answers, function=function, metadata=metadata
            )
        calls = [ToolCall(id=one.id, function=one.name, arguments=arguments(one.arguments)) for one in message.calls]
        return ChatMessageAssistant(
            id=own, content=message.content, tool_calls=calls or None, model=self._model, metadata=metadata
        )

    def _name(self, segment: int, own: str) -> str:
        return f"{self._episode}.s{segment}.{own}"


def arguments(found: Any) -> dict[str, Any]:
    """Inspect wants an object; what was no object stands under one key, as it was called."""
    return dict(found) if isinstance(found, Mapping) else {"arguments": found}
