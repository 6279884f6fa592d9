"""Histories with focuses, written as one would tell them: a turn is a list of calls."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from hypothesis import strategies as st

from harness.contract import Call, Message
from strategies.focus_tools import NAMES, reply
from tests.conformance.scripts import Entry, Script, user

Made = tuple[str, dict[str, str]]  # name and arguments


def start(description: str) -> Made:
    return "start_focus", {"description": description, "goal": f"know {description}"}


def complete(learnings: str, outcome: str = "success", **more: str) -> Made:
    return "complete_focus", {"outcome": outcome, "attempted": "looked", "learnings": learnings, **more}


def work(answer: str = "seen") -> Made:
    return "run", {"answer": answer}


@dataclass
class Story:
    """Turns as the harness would append them: each call answered, those of Focus by the strategy."""

    turns: list[tuple[Entry, ...]] = field(default_factory=lambda: [()])
    calls: int = 0
    depth: int = 0

    def say(self, *made: Made, then: Sequence[str] = ()) -> Story:
        """One reply with these calls, its answers, and what the user says after them."""
        calls = tuple(Call(f"c{self.calls + n}", name, arguments) for n, (name, arguments) in enumerate(made))
        self.calls += len(calls)
        message = Message("", "assistant", "Calling.", calls)
        self.turns.append((message, *map(self._answer, calls), *map(user, then)))
        return self

    def _answer(self, call: Call) -> Message:
        if call.name not in NAMES:
            return Message("", "tool", str(call.arguments["answer"]), answers=call.id)
        text = reply(call, self.depth)
        if not text.startswith("error"):
            self.depth += 1 if call.name == "start_focus" else -1
        return Message("", "tool", text, answers=call.id, author="memory")

    @property
    def script(self) -> Script:
        return Script("the task", tuple(self.turns))


def story(*turns: Sequence[Made]) -> Script:
    told = Story()
    for turn in turns:
        told.say(*turn)
    return told.script


_MADE = st.sampled_from(
    (
        start("the parser"),
        start("the cache " * 6),
        complete("a/b is 1\nc/d is 2\ne/f is 3", next_action="run it"),
        complete("fact " * 40, "partial"),
        complete("", "blocked"),
        complete("x", "no such outcome"),
        work(),
        work("word " * 50),
    )
)


@st.composite
def stories(draw: st.DrawFn) -> Script:
    """Up to fourteen turns of one to three calls, with user messages between and sometimes another task."""
    told = Story()
    for _ in range(draw(st.integers(1, 14))):
        told.say(*draw(st.lists(_MADE, max_size=3)), then=["go on " * 5] if draw(st.integers(0, 4)) == 0 else [])
        if draw(st.integers(0, 14)) == 0:
            told.turns[-1] = (*told.turns[-1], "the next task")
    return told.script
