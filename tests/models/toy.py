"""A tiny language for tests of the scripted reader, and views written in it.

Statements: `a/color is red.` and `a/color is now blue, not red.` Questions: `do paint: shade=value(a/color)`, several
slots apart by `|`, `;` before operand, joint or source, `@` before the subtask.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import partial
from types import SimpleNamespace
from typing import Any, get_args

from harness.contract import Call, Claim, Message, Op, Question, Request, Slot, Tool
from harness.models.dials import Dials
from harness.models.scripted import Reader, Scripted
from harness.models.texts import parse

_STATED = re.compile(r"^(\S+) is (?:now )?([^\s,]+?)(?:, not (\S+?))?\.$", re.MULTILINE)
_ASKED = re.compile(r"^do (\w+): (.*?)(?: @(\w+))?$", re.MULTILINE)
_SLOT = re.compile(r"(\w+)=(\w+)\(([^;)]*)(?:; ([^)]*))?\)")


class Toy:
    """The grammar."""

    def claims(self, text: str) -> list[Claim]:
        return [Claim(key, value, former or None) for key, value, former in _STATED.findall(text)]

    def question(self, text: str) -> Question | None:
        asked = _ASKED.findall(text)
        if not asked:
            return None
        tool, slots, subtask = asked[-1]
        return Question(tool, tuple(_slot(*match) for match in _SLOT.findall(slots)), {"by": "me"}, subtask or None)


def _slot(argument: str, op: str, keys: str, rest: str) -> Slot:
    assert op in get_args(Op)
    extra: dict[str, Any] = dict(pair.split("=", 1) for pair in rest.split(", ")) if rest else {}
    return Slot(argument, op, tuple(keys.split(", ")), **extra)  # type: ignore[arg-type]


def schema(*required: str, **properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(required)}


TEXT: dict[str, Any] = {"type": "string"}
PAINT = Tool("paint", "paint it", schema("shade", shade=TEXT))
FETCH = Tool("fetch", "fetch a text", schema("id", id={"type": "string", "pattern": r"^m\d+$"}), "retrieve")
READ = Tool("read", "read a file again", schema("path", path={"type": "string", "pattern": r"\w+\.txt"}), "retrieve")
FIND = Tool("find", "search the memory", schema("query", query=TEXT), "retrieve")
OPEN = Tool("open_focus", "begin", schema("goal", goal=TEXT), "open")
CLOSE = Tool(
    "close_focus",
    "end",
    schema("outcome", "learnings", outcome={**TEXT, "enum": ["done", "stuck"]}, learnings=TEXT, next_action=TEXT),
    "close",
)


def user(text: str) -> Message:
    return Message("", "user", text)


def made(text: str) -> Message:
    """A text of the strategy's own."""
    return Message("", "user", text, sources=("m1",))


def acted(call: str, tool: str, answer: str, **arguments: str) -> tuple[Message, Message]:
    """A call and its answer, which the harness marks if a strategy's tool gave it."""
    author = None if tool in ("paint", "read") else "memory"
    return (
        Message("", "assistant", f"Calling {tool}.", (Call(call, tool, arguments),)),
        Message("", "tool", answer, answers=call, author=author),
    )


def request(view: Sequence[Message], tools: Sequence[Tool] = (PAINT,), seed: int = 0) -> Request:
    return Request(tuple(view), tuple(tools), seed, 1000)


def reader(dials: Dials | None = None) -> Reader:
    task = SimpleNamespace(grammar=Toy(), instances=lambda: (), open=None)
    return Scripted(dials or Dials()).open(task, None, 0)  # type: ignore[arg-type]


def fresh_reader(dials: Dials | None = None) -> Reader:
    """A reader that keeps nothing at all."""
    return Reader(dials or Dials(), Toy(), partial(parse, Toy()))


def call(view: Sequence[Message], tools: Sequence[Tool] = (PAINT,), dials: Dials | None = None, seed: int = 0) -> Call:
    """What a reader calls on such a view."""
    calls = reader(dials).complete(request(view, tools, seed)).message.calls
    assert len(calls) == 1
    return calls[0]


def share(
    wanted: Mapping[str, Any], view: Sequence[Message], dials: Dials, tools: Sequence[Tool] = (PAINT,), n: int = 1000
) -> float:
    """How often over n seeds the reader calls with arguments that include the wanted ones."""
    one = reader(dials)
    replies = [one.complete(request(view, tools, seed)).message.calls[0].arguments for seed in range(n)]
    return sum(wanted.items() <= arguments.items() for arguments in replies) / n


def asked(question: str, *statements: str) -> str:
    """The argument `x` that an ideal reader gives when the statements were made in this order, a message each."""
    view = [*map(user, statements), user(f"do paint: x={question}")]
    return str(call(view).arguments["x"])


def binomial_bounds(p: float, n: int = 1000) -> tuple[float, float]:
    """Share of n draws that stays within 4 standard errors of p."""
    error = 4 * (p * (1 - p) / n) ** 0.5
    return p - error, p + error
