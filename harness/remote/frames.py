"""What crosses the socket beside plain messages: requests, tools, briefs, views, errors, as JSON values and back."""

from __future__ import annotations

import builtins
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from harness.codec import message_from, message_to
from harness.contract import Brief, History, Message, Request, Tool
from harness.history import index_of

Log = History | Sequence[Message]


@dataclass(frozen=True, slots=True)
class Offers:
    """Which optional protocols a strategy has: the tools of `MemoryTools`, `Persistent`, the word of `Unlimited`."""

    tools: tuple[Tool, ...] | None
    persistent: bool
    unlimited: bool | None


def offers_to(offers: Offers) -> list[Any]:
    tools = None if offers.tools is None else [tool_to(tool) for tool in offers.tools]
    return [tools, offers.persistent, offers.unlimited]


def offers_from(row: Sequence[Any]) -> Offers:
    tools, persistent, unlimited = row
    return Offers(None if tools is None else tuple(map(tool_from, tools)), persistent, unlimited)


class Stray:
    """Something in a view that is no message: known by its looks alone, for the check to refuse."""

    def __init__(self, looks: str) -> None:
        self._looks = looks

    def __repr__(self) -> str:
        return self._looks


class Items:
    """Messages by reference where both sides have them: a place in the history, or the id of a made one sent before.

    Each side has an instance, and both remember the same.
    """

    def __init__(self) -> None:
        self._made: dict[str, Message] = {}

    def write(self, messages: Sequence[Any], history: Log) -> list[Any]:
        return [self._item(message, history) for message in messages]

    def read(self, items: Sequence[Any], history: Log) -> list[Any]:
        return [self._message(item, history) for item in items]

    def _item(self, message: Any, history: Log) -> Any:
        if not isinstance(message, Message):
            return [repr(message)]
        place = index_of(message.id)
        if place is not None and place < len(history) and _same(history[place], message):
            return place
        if _same(self._made.get(message.id), message):
            return message.id
        row = message_to(message)
        self._made[message.id] = message
        return row

    def _message(self, item: Any, history: Log) -> Any:
        if isinstance(item, int):
            return history[item]
        if isinstance(item, str):
            return self._made[item]
        if isinstance(item, list):
            return Stray(item[0])
        message = message_from(item)
        self._made[message.id] = message
        return message


def _same(known: Message | None, message: Message) -> bool:
    return known is message or known == message


def tool_to(tool: Tool) -> list[Any]:
    return [tool.name, tool.description, dict(tool.parameters), tool.purpose]


def tool_from(row: Sequence[Any]) -> Tool:
    return Tool(*row)


def brief_to(brief: Brief) -> list[Any]:
    return [brief.system, brief.task, [tool_to(tool) for tool in brief.tools], brief.agent, brief.session]


def brief_from(row: Sequence[Any]) -> Brief:
    system, task, tools, agent, session = row
    return Brief(system, task, tuple(map(tool_from, tools)), agent, session)


def request_to(request: Request, view: list[Any]) -> list[Any]:
    tools = [tool_to(tool) for tool in request.tools]
    rest = [request.seed, request.max_output, _plain(request.schema), _plain(request.options), request.better]
    return [view, tools, *rest]


def request_from(row: Sequence[Any], view: Sequence[Message]) -> Request:
    _, tools, *rest = row
    return Request(tuple(view), tuple(map(tool_from, tools)), *rest)


def error_to(error: BaseException) -> list[str]:
    return [type(error).__name__, str(error)]


def error_from(row: Sequence[str]) -> Exception:
    """An exception with the name and text of the other side's; also a built-in one where it has the name of that."""
    name, text = row
    found = getattr(builtins, name, Exception)
    known = isinstance(found, type) and issubclass(found, Exception) and not issubclass(found, ExceptionGroup)
    kind: Any = type(name, (found if known else Exception,), {"__str__": lambda self: text})
    error: Exception = kind.__new__(kind)
    return error


def _plain(value: Mapping[str, Any] | None) -> dict[str, Any] | None:
    return None if value is None else dict(value)
