"""What a micro-episode is made of: fresh facts, the messages told so far, and the tools."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Any

from harness.calibrate.wording import ATTRIBUTES, NOUNS, SYSTEM, TASK, instruction, statement
from harness.contract import Call, Claim, Message, Tool
from harness.models.page import MEMORY


@dataclass(frozen=True, slots=True)
class Ask:
    """What a model is shown, and the tools that it is offered."""

    view: tuple[Message, ...]
    tools: tuple[Tool, ...]


class Scene:
    """Names and values of one micro-episode, none given out twice, and the view as it grows."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.view = [Message("m0", "system", SYSTEM), Message("m1", "user", TASK)]
        self.step = 0
        self._taken: set[str] = set()
        self._calls = 0

    # ------------------------------------------------------------ words

    def fact(self, attribute: str | None = None, thing: str | None = None) -> Claim:
        """A fact with a value of its own."""
        key = f"{thing or self.thing()}/{attribute or self.rng.choice(ATTRIBUTES)}"
        letters = "".join(self.rng.choices("bcdfghjklmnpqrstvwxz", k=2))
        return Claim(key, self._fresh(letters, ""))

    def facts(self, count: int) -> list[Claim]:
        return [self.fact() for _ in range(count)]

    def thing(self) -> str:
        return self._fresh(self.rng.choice(NOUNS), "_")

    def item(self) -> str:
        return self._fresh("item", "_")

    def tell(self, *facts: Claim) -> str:
        """A line a fact, each in a form of its own."""
        return "\n".join(statement(fact, self.rng.randrange(60)) for fact in facts)

    def order(self, part: int, key: str, item: str | None = None, source: str | None = None) -> str:
        """The next instruction."""
        self.step += 1
        return instruction(self.step, part, item or self.item(), key, self.rng.randrange(60), source)

    def _fresh(self, word: str, joint: str) -> str:
        while (name := f"{word}{joint}{self.rng.randrange(1000, 10000)}") in self._taken:
            pass
        self._taken.add(name)
        return name

    # ------------------------------------------------------------ messages

    def say(self, *lines: str) -> None:
        """The user says something."""
        self.view.append(Message(self._next(), "user", "\n".join(lines)))

    def made(self, *lines: str) -> None:
        """A text of a strategy's own, in place of a message that left the view."""
        self.view.append(Message(f"made:{self._next()}", "user", "\n".join(lines), sources=(self._next(),)))

    def act(self, tool: Tool, arguments: Mapping[str, Any], *answer: str, masked: bool = False) -> None:
        """A call made earlier, with its answer; masked: a strategy has put a line of its own in the answer's place."""
        self.heard(Message("", "assistant", f"Calling {tool.name}.", (Call("", tool.name, arguments),)), *answer)
        if masked:
            old = self.view.pop()
            self.view.append(replace(old, id=f"made:{old.id}", sources=(old.id,)))

    def heard(self, reply: Message, *answer: str) -> None:
        """A reply with the answers to its calls; the last answer goes on with the lines given."""
        calls = []
        for call in reply.calls:
            self._calls += 1
            calls.append(Call(f"c{self._calls}", call.name, call.arguments))
        self.view.append(Message(self._next(), "assistant", reply.content, tuple(calls), opaque=reply.opaque))
        for number, call in enumerate(calls, 1):
            text = "\n".join(answer) if number == len(calls) else "Done."
            author = MEMORY if call.name in (FETCH.name, OPEN.name, CLOSE.name) else None
            self.view.append(Message(self._next(), "tool", text, answers=call.id, author=author))

    def ask(self, *tools: Tool) -> Ask:
        return Ask(tuple(self.view), tools)

    def depth(self, index: int) -> float:
        """The middle of a message as a share of the view's characters, 0 = its beginning."""
        ends = list(accumulate(len(message.content) for message in self.view))
        return (ends[index] - len(self.view[index].content) / 2) / ends[-1]

    def _next(self) -> str:
        return f"m{len(self.view)}"


def called(reply: Message, tools: Sequence[Tool]) -> list[Call]:
    """The calls of offered tools, in order; none = the reply cannot be classified."""
    names = {tool.name for tool in tools}
    return [call for call in reply.calls if call.name in names]


def _object(required: Sequence[str], **properties: Mapping[str, Any]) -> Mapping[str, Any]:
    return {"type": "object", "properties": properties, "required": list(required)}


_TEXT = {"type": "string"}
RECORD = Tool("record", "Record an item with its entry.", _object(("item", "entry"), item=_TEXT, entry=_TEXT))
FETCH = Tool(
    "fetch",
    "Bring back a text that was left out, by its id. Takes a turn, but is no step.",
    _object(("id",), id={**_TEXT, "pattern": r"^r\d{3}$"}),
    "retrieve",
)
READ = Tool(
    "read",
    "Read a file again. Takes a turn, but is no step.",
    _object(("path",), path={**_TEXT, "pattern": r"^files/[a-z]+_\d{4}\.txt$"}),
    "retrieve",
)
OPEN = Tool(
    "open_focus",
    "Begin a focus: call it when a part of the work begins, before its first step.",
    _object(("goal",), goal={**_TEXT, "description": "the part, such as part 3"}),
    "open",
)
CLOSE = Tool(
    "close_focus",
    "End the focus once its part is over. All that was told since it began is left out then; only the learnings stay.",
    _object(
        ("outcome", "learnings"),
        outcome={**_TEXT, "enum": ["success", "partial", "blocked"]},
        learnings={**_TEXT, "description": "each fact told since the focus began that may be needed later, one a line"},
        next_action={**_TEXT, "description": "the instruction to go on with"},
    ),
    "close",
)
