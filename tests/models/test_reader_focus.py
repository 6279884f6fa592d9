"""Opening and closing focuses, with a toy strategy that folds what a closed one covers."""

from dataclasses import dataclass, field
from itertools import pairwise

import pytest

from harness.contract import Call, Message, Tool
from harness.models.dials import Dials
from harness.models.texts import notes
from tests.models.toy import (
    CLOSE,
    OPEN,
    PAINT,
    TEXT,
    acted,
    binomial_bounds,
    call,
    reader,
    request,
    schema,
    share,
    user,
)

TOOLS = (PAINT, OPEN, CLOSE)
STEPS = ("one", "one", "one", "two", "two", "three")


@dataclass
class Folding:
    """Replaces everything from an open call to its close by the learnings; goes on with `next_action`."""

    view: list[Message] = field(default_factory=list)

    def add(self, message: Message, answer: str) -> None:
        (said,) = message.calls
        if said.name == "close_focus":
            opened = max(i for i, m in enumerate(self.view) if any(c.name == "open_focus" for c in m.calls))
            folded = [f"learned: {said.arguments['learnings']}", f"Go on. {said.arguments['next_action']}"]
            self.view[opened:] = [Message(f"fold:{text[:5]}", "user", text, sources=("m1",)) for text in folded]
        else:
            self.view += [message, Message("", "tool", answer, answers=said.id)]


def play(dials: Dials | None = None, seed: int = 0) -> list[str]:
    """What the reader calls while the subtasks of STEPS are asked for, a fact told with each question."""
    one, strategy, calls, step = reader(dials), Folding([user(told(0))]), list[str](), 0
    for turn in range(3 * len(STEPS)):
        reply = one.complete(request(strategy.view, TOOLS, seed)).message
        (said,) = reply.calls
        numbered = Message("", "assistant", reply.content, (Call(f"c{turn}", said.name, said.arguments),))
        if said.name == "paint":
            assert said.arguments["x"] == f"v{step}"
            calls.append(f"paint {step}")
            step += 1
            if step == len(STEPS):
                return calls
            strategy.add(numbered, told(step))
        else:
            calls.append(f"{said.name.split('_')[0]} {said.arguments.get('goal', said.arguments.get('outcome'))}")
            strategy.add(numbered, "ok")
    raise AssertionError(calls)


def told(step: int) -> str:
    return f"k{step}/v is v{step}.\ndo paint: x=value(k{step}/v) @{STEPS[step]}"


def test_the_ideal_reader_opens_at_each_border_and_closes_at_the_next() -> None:
    assert play() == [
        "open one", "paint 0", "paint 1", "paint 2", "close done", "open two", "paint 3", "paint 4",
        "close done", "open three", "paint 5",
    ]  # fmt: skip


def test_a_focus_that_is_left_open_is_nested() -> None:
    assert play(Dials(close=0)) == [
        "open one", "paint 0", "paint 1", "paint 2", "open two", "paint 3", "paint 4", "open three", "paint 5",
    ]  # fmt: skip


def test_without_opening_there_is_nothing_to_close() -> None:
    assert play(Dials(open=0)) == [f"paint {step}" for step in range(6)]


def test_a_border_is_noticed_late_by_up_to_so_many_steps() -> None:
    assert {play(Dials(border=2), seed).index("open one") for seed in range(40)} == {0, 1, 2}
    asked = "do paint: x=value(a/b) @one"
    view = [user(asked), *acted("c1", "paint", "do paint: x=value(c/d) @one")]
    low, high = binomial_bounds(0.5)
    assert low < share({"goal": "one"}, view[:1], Dials(border=1), TOOLS) < high
    assert {call(view, TOOLS, Dials(border=1), seed).name for seed in range(50)} == {"open_focus"}


def test_a_border_is_noticed_once_to_close_and_to_open() -> None:
    plays = [play(Dials(border=2), seed) for seed in range(20)]
    after = [later.split()[0] for calls in plays for now, later in pairwise(calls) if now.startswith("close")]
    assert len(after) > 10 and set(after) == {"open"}


def closing(dials: Dials | None = None, seed: int = 0) -> Call:
    return call(
        [
            user("before/a is 0.\ndo paint: x=value(before/a) @one"),
            *acted("c1", "open_focus", "ok", goal="one"),
            *acted("c2", "paint", "a/b is 1.\nlong text\ndo paint: x=value(a/b) @one"),
            *acted("c3", "paint", "a/b is now 2, not 1.\nlong text\ndo paint: x=value(a/b) @two"),
        ],
        TOOLS,
        dials,
        seed,
    )


def test_closing_carries_what_was_told_inside_and_what_is_next() -> None:
    assert closing() == Call(
        "",
        "close_focus",
        {
            "outcome": "done",
            "learnings": "note: a/b = 1\nnote: a/b = 2 (was 1)",
            "next_action": "next: do paint: x=value(a/b) @two",
        },
    )


def test_the_notes_go_where_learnings_belong_and_the_rest_says_what_it_was_about() -> None:
    texts = {name: {"type": "string"} for name in ("attempted", "learnings")}
    closer = Tool("close_focus", "end", {"type": "object", "properties": texts, "required": list(texts)}, "close")
    view = [
        *acted("c1", "open_focus", "ok", goal="one"),
        *acted("c2", "paint", "a/b is 1.\ndo paint: x=value(a/b) @two"),
    ]
    assert call(view, (PAINT, OPEN, closer)).arguments == {"attempted": "one", "learnings": "note: a/b = 1"}


def test_a_name_is_the_subtask_with_a_number_that_another_task_has_not() -> None:
    opener = Tool("begin", "begin", schema("name", name=TEXT), "open")
    names = [call([user(f"{text}\ndo paint: x=value(a/b) @two")], (PAINT, opener)).arguments["name"] for text in "ab"]
    assert [name.split()[0] for name in names] == ["two", "two"] and len(set(names)) == 2
    begun = acted("c1", "begin", "ok", name=names[0])
    assert call([user("do paint: x=value(a/b) @two"), *begun], (PAINT, opener)).name == "paint"


@pytest.mark.parametrize("p", [0.3, 0.9])
def test_how_often_a_reader_opens_closes_and_carries(p: float) -> None:
    low, high = binomial_bounds(p)
    start = [user("do paint: x=value(a/b) @one")]
    closed = sum(closing(Dials(close=p), seed).name == "close_focus" for seed in range(1000))
    carried = sum("a/b = 2" in closing(Dials(carry=p), seed).arguments["learnings"] for seed in range(1000))
    assert low < share({"goal": "one"}, start, Dials(open=p), TOOLS) < high
    assert low < closed / 1000 < high
    assert low < carried / 1000 < high


def test_a_closed_focus_is_not_closed_again() -> None:
    view = [
        user("do paint: x=value(a/b) @one"),
        *acted("c1", "open_focus", "ok", goal="one"),
        *acted("c2", "paint", "do paint: x=value(a/b) @two"),
        *acted("c3", "close_focus", "ok", outcome="done", learnings="none"),
    ]
    assert call(view, TOOLS) == Call("", "open_focus", {"goal": "two"})


def test_what_was_restated_is_carried_once_and_equal_updates_each() -> None:
    inside = ["n/rows is 5.", "n/rows is 5.", "note: n/rows = 5\nnote: old/fact = 1", "note: old/fact = 1"]
    view = [
        *acted("c1", "open_focus", "ok", goal="one"),
        *(Message("", "assistant" if "note" in text else "user", text) for text in inside),
        user("do paint: x=value(a/b) @two"),
    ]
    learnings = call(view, TOOLS).arguments["learnings"]
    assert learnings == "note: n/rows = 5\nnote: n/rows = 5\nnote: old/fact = 1"


def test_nothing_to_carry_is_said_in_words() -> None:
    learnings = closing(Dials(carry=0)).arguments["learnings"]
    assert learnings == "nothing to note" and notes(learnings) == ()


@pytest.mark.parametrize("tools", [(PAINT,), (PAINT, CLOSE)])
def test_without_a_tool_to_open_the_action_follows(tools: tuple[Tool, ...]) -> None:
    assert call([user("do paint: x=value(a/b) @one")], tools).name == "paint"
