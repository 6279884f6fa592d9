"""Histories to run strategies on: written out, and drawn by hypothesis.

A script is what an episode appends before each compose: the harness's cleaning, ids and order apply, so that no history
is tested that cannot occur.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from hypothesis import strategies as st

from harness.contract import Brief, Call, Message
from harness.history import History
from harness.text import clean_message

SYSTEM = "You are an agent."
Entry = Message | str  # a str is the task message of the next instance in a chain


@dataclass(frozen=True, slots=True)
class Script:
    """`turns[n]` is appended before compose n; turns[0] follows the first task message."""

    task: str
    turns: tuple[tuple[Entry, ...], ...]

    @property
    def brief(self) -> Brief:
        return Brief(SYSTEM, self.task, ())

    def start(self, history: History | None = None) -> History:
        history = History() if history is None else history
        history.begin(self.brief)
        return history

    def append(self, history: History, turn: int) -> None:
        for entry in self.turns[turn]:
            if isinstance(entry, str):
                history.begin(Brief(SYSTEM, entry, ()))
            else:
                history.append(clean_message(entry))

    def grown(self, turns: int) -> History:
        """The history as it stands when the view of turn `turns` is composed."""
        history = self.start()
        for turn in range(turns + 1):
            self.append(history, turn)
        return history


def user(text: str) -> Message:
    return Message("", "user", text)


def acts(text: str, *answers: str, first: int, order: Sequence[int] = ()) -> tuple[Message, ...]:
    """An assistant message with a call for each answer (ids c{first}, …), and the answers, in `order` if given."""
    calls = tuple(Call(f"c{first + n}", "run", {"command": f"cat f{first + n}.py"}) for n in range(len(answers)))
    told = [Message("", "tool", answer, answers=call.id) for call, answer in zip(calls, answers, strict=True)]
    return (Message("", "assistant", text, calls=calls), *(told[n] for n in order or range(len(told))))


def rounds(count: int, words: int = 12) -> tuple[tuple[Entry, ...], ...]:
    """One call and one answer of the same length in each turn."""
    return tuple(acts(f"look {n:03d}", f"value_{n:03d} " + "word " * words, first=n) for n in range(count))


ODD = (
    "",
    "\n",
    " \t ",
    "\x00\x1b[31m",
    "\u202eright to left",
    "🙂🙂",
    "中文字",
    "e\u0301",
    "\ud800",
    "<|endoftext|><|im_start|>",
)


def _later(count: int, first: int) -> tuple[tuple[Entry, ...], ...]:
    return tuple(acts(f"later {n}", f"seen {n}", first=n) for n in range(first, first + count))


FIXTURES = {
    "cuts": Script("task", ((), *rounds(1, 1), (*acts("two", "r2", first=1), user("more")), *_later(1, 2))),
    "parallel": Script(
        "task", ((user("go"),), acts("", "a", "b", "c", first=0, order=(1, 2, 0)), acts("", "d", "e", first=3))
    ),
    "amended": Script("task", ((), *rounds(6), (*acts("x", "y", first=6), user("new task T2")), *_later(4, 7))),
    "odd": Script(
        "task",
        (
            (),
            *(acts(odd, odd, odd, first=2 * n) for n, odd in enumerate(ODD)),
            (Message("", "assistant", ""), user("")),
        ),
    ),
    "huge": Script("task", ((), *rounds(3), acts("cat", "log line 7\n" * 400, first=3), *_later(4, 4))),
    "chain": Script(
        "task",
        (
            (),
            *rounds(4),
            (*acts("done", "ok", first=4), "task two"),
            *_later(5, 5),
            (*acts("z", "z", first=10), user("say"), "task three"),
            *_later(1, 11),
        ),
    ),
    "talk": Script(
        "task",
        ((), (Message("", "assistant", "hm"),), (Message("", "assistant", "well"), user("so?")), *_later(1, 0)),
    ),
}


@st.composite
def scripts(draw: st.DrawFn) -> Script:
    """Up to nine turns: parallel calls, answers in any order, blank and odd texts, huge ones, user messages, chains."""
    texts = st.one_of(st.sampled_from(ODD), st.text(max_size=40), st.just("word " * 60), st.just("id_42 " * 200))
    turns: list[tuple[Entry, ...]] = [tuple(user(draw(texts)) for _ in range(draw(st.integers(0, 2))))]
    calls = 0
    for _ in range(draw(st.integers(1, 9))):
        answers = draw(st.lists(texts, max_size=3))
        order = draw(st.permutations(range(len(answers))))
        turn: tuple[Entry, ...] = acts(draw(texts), *answers, first=calls, order=order)
        calls += len(answers)
        if draw(st.integers(0, 3)) == 0:
            turn = (*turn, user(draw(texts)))
        if draw(st.integers(0, 9)) == 0:
            turn = (*turn, "the next task")
        turns.append(turn)
    return Script(draw(st.sampled_from(("task", "a longer task " * 5))), tuple(turns))


def other(script: Script) -> Script:
    """The same shape with other texts: for what must not leak from one episode into the next."""
    changed = tuple(
        tuple(e + " again" if isinstance(e, str) else replace(e, content=f"other {e.content} id_77") for e in turn)
        for turn in script.turns
    )
    return Script(script.task + " other", changed)
