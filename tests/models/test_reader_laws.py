"""Laws of every reader: purity, nothing from outside the view, no luck for the ideal one, the right question."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.contract import Message, Tool
from harness.models.dials import Dials
from harness.models.filling import fill
from harness.models.scripted import Scripted
from tests.models.toy import (
    CLOSE,
    FETCH,
    FIND,
    OPEN,
    PAINT,
    READ,
    acted,
    call,
    fresh_reader,
    made,
    reader,
    request,
    user,
)

TOOLS = (PAINT, FETCH, READ, FIND, OPEN, CLOSE)
SOME = Dials(0.5, 0.5, 0.5, 2, 0.5, 0.5, 2, 0.5, 0.5, 0.5, 10, 0.5, 0.5)
LINES = (
    "a/color is red.",
    "a/color is now blue, not red.",
    "b/color is green.",
    "n/rows is 3.",
    "m4 tells of a and color",
    "error: no such thing",
    "note: b/color = black",
    "do paint: x=value(a/color) @one",
    "do paint: x=join(a/color, b/color; joint=-, source=a.txt) | y=sum(n/rows) @two",
    "next: do paint: x=absent(a/color, b/color) @one",
)
texts = st.lists(st.sampled_from(LINES), min_size=1, max_size=4).map("\n".join)


@st.composite
def views(draw: st.DrawFn) -> list[Message]:
    view: list[Message] = []
    for number in range(draw(st.integers(0, 8))):
        match draw(st.sampled_from(["user", "made", "call"])):
            case "user":
                view.append(user(draw(texts)))
            case "made":
                view.append(made(draw(texts)))
            case "call":
                tool = draw(st.sampled_from(TOOLS))
                arguments = fill(tool, draw(st.sampled_from(["one", "two", "m4"])))
                view += acted(f"c{number}", tool.name, draw(texts), **arguments)
    return view


@given(st.lists(views(), min_size=1, max_size=4), st.sampled_from([SOME, Dials()]), st.integers(0, 3))
def test_a_reply_depends_on_its_request_alone(asked_before: list[list[Message]], dials: Dials, seed: int) -> None:
    one = reader(dials)
    replies = [one.complete(request(view, TOOLS, seed)) for view in asked_before]
    assert [one.complete(request(view, TOOLS, seed)) for view in reversed(asked_before)] == replies[::-1]
    assert [fresh_reader(dials).complete(request(view, TOOLS, seed)) for view in asked_before] == replies


@given(views(), st.integers(), st.integers())
def test_no_luck_touches_the_ideal_reader(view: list[Message], seed: int, other: int) -> None:
    assert reader().complete(request(view, TOOLS, seed)) == reader().complete(request(view, TOOLS, other))


@given(views())
def test_every_reply_is_an_assistant_text_with_at_most_one_call_that_fits_a_tool(view: list[Message]) -> None:
    reply = reader(SOME).complete(request(view, TOOLS))
    assert reply.message.role == "assistant" and reply.usage.input is None and len(reply.message.calls) == 1
    tool = next(tool for tool in TOOLS if tool.name == reply.message.calls[0].name)
    if tool.purpose is not None:
        assert set(tool.parameters["required"]) <= set(reply.message.calls[0].arguments)


@given(st.permutations(["a/color is red.", "b/color is green.", "c/color is blue."]), st.sampled_from("abc"))
def test_without_its_message_a_fact_is_unknown(statements: Sequence[str], key: str) -> None:
    question = user(f"do paint: x=value({key}/color)")
    told = {text[0]: text.split()[-1].rstrip(".") for text in statements}
    assert call([*map(user, statements), question]).arguments["x"] == told[key]
    rest = [user(text) for text in statements if text[0] != key]
    assert call([*rest, question]).arguments["x"] == "unknown"


def test_the_newest_question_is_answered() -> None:
    first = user("a/color is red.\ndo paint: x=value(a/color)")
    view = [first, *acted("c1", "paint", "ok\ndo paint: y=value(a/color)")]
    assert call(view).arguments == {"by": "me", "y": "red"}


def test_a_question_in_a_fetched_text_is_an_old_one() -> None:
    fetched = acted("c1", "fetch", "a/color is red.\ndo paint: old=value(b/color)", id="m3")
    view = [user("do paint: new=value(a/color)"), *fetched]
    assert call(view, TOOLS).arguments == {"by": "me", "new": "red"}


def test_a_question_that_a_strategy_recalls_is_an_old_one_unless_marked_as_next() -> None:
    view = [user("do paint: new=value(a/color)"), made("do paint: old=value(b/color)")]
    assert "new" in call(view).arguments
    assert "old" in call(view[1:]).arguments
    assert "old" in call([view[0], made("continue. next: do paint: old=value(b/color)")]).arguments


def test_a_shortened_answer_still_asks() -> None:
    shortened = acted("c1", "paint", "[…]\ndo paint: new=value(a/color)")
    answer = Message("cut:m2", "tool", shortened[1].content, answers="c1", sources=("m2",))
    assert "new" in call([user("do paint: old=value(a/color)"), shortened[0], answer]).arguments


def test_without_a_question_the_first_action_is_called_with_nothing_claimed() -> None:
    action = call([user("a/color is red.")], TOOLS[::-1])
    assert (action.name, action.arguments) == ("paint", {"shade": "unknown"})


@pytest.mark.parametrize("tools", [(), (FETCH,)])
def test_without_the_action_among_the_tools_the_answer_is_text(tools: tuple[Tool, ...]) -> None:
    reply = reader().complete(request([user("a/color is red."), user("do paint: x=value(a/color)")], tools))
    assert (reply.message.content, reply.message.calls) == ("by = me\nx = red", ())


def test_a_task_without_a_grammar_is_refused() -> None:
    class Mute:
        grammar = None

    with pytest.raises(ValueError, match="Mute has no grammar"):
        Scripted(Dials()).open(Mute(), None, 0)  # type: ignore[arg-type]


@pytest.mark.parametrize("dials", [Dials(retrieve=1.5), Dials(miss=-0.1), Dials(tries=-1), Dials(border=0.5)])  # type: ignore[arg-type]
def test_a_dial_out_of_range_is_refused_by_name(dials: Dials) -> None:
    with pytest.raises(ValueError, match=r"reader\.(retrieve|miss|tries|border) is"):
        reader(dials)
