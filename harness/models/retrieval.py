"""Looking a missing fact up: which retrieve tool, which handle.

A reader goes by what the view offers: a source that the question names, a handle that a text of the strategy's (a made
message, an answer from memory, the system text) gives beside words of the key, or a query.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from harness.contract import Call, Slot, Tool
from harness.models.dials import Dials
from harness.models.filling import fill, handle_parameter, required, text_parameter
from harness.models.luck import chance, draw
from harness.models.page import MEMORY, Page


@dataclass(frozen=True, slots=True)
class Offer:
    """A handle in a text. scope: the words that stand with it, lower case: its line; the text if it is alone there."""

    handle: str
    scope: str


Offers = Callable[[str, str], tuple[Offer, ...]]


def offers(pattern: str, text: str) -> tuple[Offer, ...]:
    """The handles of a form (a schema's pattern) that a text holds as whole tokens."""
    whole = re.compile(rf"(?<!\w)(?:{pattern.removeprefix('^').removesuffix('$')})(?!\w)")
    if not whole.search(text):
        return ()
    found = [(match[0], line) for line in text.splitlines() for match in whole.finditer(line)]
    alone = len({handle for handle, _ in found}) == 1
    return tuple(Offer(handle, (text if alone else line).lower()) for handle, line in found)


def look_up(
    page: Page,
    tools: Sequence[Tool],
    missing: Sequence[tuple[Slot, str]],
    dials: Dials,
    seed: int,
    offers: Offers = offers,
) -> Call | None:
    """The next retrieve call for a question whose slots miss keys; None where the reader has no way left or no will.

    No call is made twice for a question. With several keys missing they take turns, so that one that cannot be
    found leaves tries for the others.
    """
    question, asked = page.question, page.asked
    if question is None or asked is None or not missing:
        return None
    made = [call for index, call in page.made("retrieve") if index > asked]
    if len(made) >= dials.tries * len({key for slot in question.slots for key in slot.keys}):
        return None
    search = _Search(page, tools, dials, seed, repr(question), len(made), offers)
    useless = {_same(call) for call in made} | _standing(page)
    turn = len(made) % len(missing)
    for slot, key in (*missing[turn:], *missing[:turn]):
        call = search.source(slot, key, useless) or search.handle_or_query(slot, key, useless)
        if call is not None:
            return call
    return None


@dataclass(frozen=True, slots=True)
class _Search:
    page: Page
    tools: Sequence[Tool]
    dials: Dials
    seed: int
    about: str
    attempt: int
    offers: Offers

    def source(self, slot: Slot, key: str, useless: Collection[str]) -> Call | None:
        """Read the source again that the question names."""
        if slot.source is None or not chance(self.dials.reread, self.seed, "reread", self.about, key):
            return None
        for tool in self._retrievers():
            name = handle_parameter(tool)
            if name is not None and re.search(_pattern(tool, name), slot.source):
                call = Call("", tool.name, fill(tool, key, {name: slot.source}))
                if _same(call) not in useless:
                    return call
        return None

    def handle_or_query(self, slot: Slot, key: str, useless: Collection[str]) -> Call | None:
        """Fetch by the handle that fits best, or ask for the key. Sources that the question names are `reread`'s."""
        if not chance(self.dials.retrieve, self.seed, "retrieve", self.about, key):
            return None
        calls = [call for tool in self._retrievers() for call in self._calls(tool, key)]
        calls = [c for c in calls if _same(c) not in useless and slot.source not in c.arguments.values()]
        if not calls:
            return None
        if len(calls) > 1 and not chance(self.dials.pick, self.seed, "pick", self.about, key, str(self.attempt)):
            return calls[1 + int(draw(self.seed, "other", self.about, key, str(self.attempt)) * (len(calls) - 1))]
        return calls[0]

    def _retrievers(self) -> list[Tool]:
        return [tool for tool in self.tools if tool.purpose == "retrieve"]

    def _calls(self, tool: Tool, key: str) -> list[Call]:
        """The calls of a tool that might find the key, the most promising first."""
        name = handle_parameter(tool)
        if name is not None:
            return [Call("", tool.name, fill(tool, key, {name: handle})) for handle in self._handles(tool, name, key)]
        name = text_parameter(tool)
        queries = [key, key.rpartition("/")[2]] if name is not None else []
        return [Call("", tool.name, fill(tool, key, {str(name): query})) for query in dict.fromkeys(queries)]

    def _handles(self, tool: Tool, name: str, key: str) -> list[str]:
        """What a strategy's texts offer with a part of the key: those with most parts first, then the newest."""
        pattern, parts, best = _pattern(tool, name), key.lower().split("/"), dict[str, tuple[int, int]]()
        for index, message in enumerate(self.page.view):
            if not (message.sources or message.author == MEMORY or message.role == "system"):
                continue
            for offer in self.offers(pattern, message.content):
                shared = sum(_names(offer.scope, part) for part in parts)
                if shared:
                    best[offer.handle] = max((shared, index), best.get(offer.handle, (0, 0)))
        return sorted(best, key=lambda handle: best[handle], reverse=True)


def _pattern(tool: Tool, name: str) -> str:
    return next(str(schema["pattern"]) for parameter, schema in required(tool) if parameter == name)


def _names(scope: str, part: str) -> bool:
    return part in scope and re.search(rf"(?<!\w){re.escape(part)}(?!\w)", scope) is not None


def _same(call: Call) -> str:
    return json.dumps([call.name, dict(call.arguments)], sort_keys=True, default=str)


def _standing(page: Page) -> set[str]:
    """Retrieve calls whose answers still stand in the view as they came: asking again brings nothing new."""
    whole = {message.answers for message in page.view if not message.sources or message.author == MEMORY}
    return {_same(call) for _, call in page.made("retrieve") if call.id in whole}
