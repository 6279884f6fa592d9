"""What an index gives back: at the end of a view, or as the answer of a tool."""

from __future__ import annotations

from typing import Literal

from harness.contract import Call, Kit, Message, Tool
from strategies import settings
from strategies.index import Index

SEARCH = "search_memory"
When = Literal["every_turn", "on_call"]


class Recall:
    """top: most chunks, lines: of a chunk. head: the line above them. `room` is set by the view: tokens for them."""

    def __init__(self, kit: Kit, top: int, lines: int, head: str) -> None:
        self.index = Index(kit, lines)
        self.room = 0
        self._kit = kit
        self._lines = lines
        self._top = top
        self._head = head
        self._shown = False

    def forget(self) -> None:
        """Begin with an empty index: the history is another one."""
        self.index = Index(self._kit, self._lines)

    def beside(self, query: str) -> tuple[Message, ...]:
        """For the end of a view: there it breaks what is cached, also where it stays the same, so it is an event."""
        made = self._found(query)
        if made or self._shown:
            self._kit.event("retrieve", "every_turn", made[0].sources if made else ())
        self._shown = bool(made)
        return made

    def answer(self, call: Call) -> Message:
        found = self._found(str(call.arguments.get("query", "")))
        return found[0] if found else Message("", "tool", "nothing is stored that is like it")

    def _found(self, query: str) -> tuple[Message, ...]:
        return self.index.told(self.index.nearest(query, self._top), self.room, self._head)


def tools(when: When, description: str) -> tuple[Tool, ...]:
    """The tool to search with, where the model has to ask."""
    schema = {"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]}
    return (Tool(SEARCH, description, schema, "retrieve"),) if when == "on_call" else ()


def check(when: When, top: int, share: float, lines: int) -> None:
    """Raises ValueError for settings out of range."""
    settings.one_of("when", when, ("every_turn", "on_call"))
    settings.at_least("top", top, 1)
    settings.at_least("lines", lines, 1)
    settings.share("share", share)
