"""Histories with episodes, written as one would tell them: a turn is a list of calls."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from hypothesis import strategies as st

from harness.contract import Call, Message
from strategies.episodes.graph import Episodes
from strategies.episodes.tools import NAMES, read
from tests.conformance.scripts import Entry, Script, user

Made = tuple[str, Mapping[str, Any]]  # name and arguments; "answer" is what it is answered with


def expl(name: str) -> Made:
    return "delimiter_start", {"name": name, "type": "expl"}


def act(name: str, *needs: str) -> Made:
    return "delimiter_start", {"name": name, "type": "act", "dependencies": list(needs)}


def end(description: str = "") -> Made:
    return "delimiter_end", {"description": description}


def run(answer: str = "seen", **arguments: str) -> Made:
    return "run", {"answer": answer, **arguments}


def grep(answer: str) -> Made:
    return "grep", {"answer": answer}


@dataclass
class Story:
    """Turns as the harness would append them: each call answered, those of the delimiter by the strategy."""

    turns: list[tuple[Entry, ...]] = field(default_factory=lambda: [()])
    calls: int = 0
    known: Episodes = field(default_factory=Episodes)

    def say(self, *made: Made, then: Sequence[str] = (), text: str = "I am going to call this now.") -> Story:
        """One reply with these calls, its answers, and what the user says after them."""
        given = [{key: value for key, value in arguments.items() if key != "answer"} for _, arguments in made]
        calls = tuple(Call(f"c{self.calls + n}", made[n][0], arguments) for n, arguments in enumerate(given))
        self.calls += len(calls)
        answers = [self._answer(call, arguments) for call, (_, arguments) in zip(calls, made, strict=True)]
        self.turns.append((Message("", "assistant", text, calls), *answers, *map(user, then)))
        return self

    def _answer(self, call: Call, given: Mapping[str, Any]) -> Message:
        if call.name not in NAMES:
            return Message("", "tool", str(given["answer"]), answers=call.id)
        asked = read(call)
        refusal = self.known.refusal(asked)
        text = self.known.take(asked) if refusal is None else f"error: {refusal}."
        return Message("", "tool", text, answers=call.id, author="memory")

    @property
    def script(self) -> Script:
        return Script("the task", tuple(self.turns))


def story(*turns: Sequence[Made]) -> Script:
    told = Story()
    for turn in turns:
        told.say(*turn)
    return told.script


_NAMES = ("a", "b", "c", "d", "e")


def _made() -> st.SearchStrategy[Made]:
    names = st.sampled_from(_NAMES)
    return st.one_of(
        st.builds(expl, names),
        st.builds(act, names, names),
        st.builds(end, st.sampled_from(("", "a/b is 1\nc/d is 2", "fact " * 40))),
        st.builds(
            run, st.sampled_from(("seen", "word " * 50)), command=st.sampled_from(("grep x", "cd a && ls", "pytest"))
        ),
        st.builds(grep, st.just("hit " * 60)),
    )


@st.composite
def stories(draw: st.DrawFn) -> Script:
    """Up to sixteen turns of one to three calls, with user messages between and sometimes another task."""
    told = Story()
    for _ in range(draw(st.integers(1, 16))):
        said = draw(st.sampled_from(("", "Calling.", "I think " * 20)))
        then = ["go on " * 5] if draw(st.integers(0, 4)) == 0 else []
        told.say(*draw(st.lists(_made(), max_size=3)), then=then, text=said)
        if draw(st.integers(0, 14)) == 0:
            told.turns[-1] = (*told.turns[-1], "the next task")
    return told.script
