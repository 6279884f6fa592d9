"""Text at the door, and messages as plain values and back."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from harness.codec import event_from, event_to, message_from, message_to, reply_from, reply_to
from harness.contract import Call, Event, Labels, Message, Reply, Usage
from harness.text import admitted, clean, clean_message, clean_value
from harness.tokens import compact

anything = st.text(st.characters(codec=None))
values: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | anything,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(anything, inner, max_size=3),
    max_leaves=6,
)


@given(anything)
def test_cleaned_text_can_be_written_anywhere_and_stays(text: str) -> None:
    cleaned = clean(text)
    cleaned.encode()
    assert len(cleaned) == len(text)
    assert clean(cleaned) is cleaned
    assert all(a == b or b == "\ufffd" for a, b in zip(text, cleaned, strict=True))


def test_what_is_replaced_and_what_is_kept() -> None:
    assert clean("\x00\x1b\x7f\ud800\udfff") == "\ufffd" * 5
    kept = "\t\n\r \u2028\u200b\ufeff\U0001f600é中"
    assert clean(kept) is kept


@given(values)
def test_cleaned_values_survive_json(value: Any) -> None:
    cleaned = clean_value(value)
    assert json.loads(compact(cleaned).encode()) == cleaned


def test_a_clean_message_is_handed_through() -> None:
    message = Message("m1", "assistant", "fine", (Call("c1", "act", {"value": ["x"]}),))
    assert clean_message(message) is message
    assert clean_message(Message("m1", "user", "\x00", author="a", sources=("m0",))) == Message(
        "m1", "user", "\ufffd", author="a", sources=("m0",)
    )


names = st.text(max_size=5)
messages = st.builds(
    Message,
    names,
    st.sampled_from(["system", "user", "assistant", "tool"]),
    st.text(),
    st.lists(st.builds(Call, names, names, st.dictionaries(names, st.integers() | names, max_size=2)), max_size=2).map(
        tuple
    ),
    st.none() | names,
    st.none() | names,
    st.none()
    | st.builds(Labels, names, st.lists(names, max_size=2).map(tuple), st.lists(names, max_size=2).map(tuple)),
    st.lists(names, max_size=2).map(tuple),
    st.none() | st.lists(names, max_size=2),
)


@given(messages)
def test_a_message_comes_back_from_json(message: Message) -> None:
    assert message_from(json.loads(compact(message_to(message)))) == message


usages = st.builds(Usage, *[st.none() | st.integers(0, 9)] * 4)


@given(messages, usages, names.map(clean))
def test_a_reply_comes_back_from_json(message: Message, usage: Usage, finish: str) -> None:
    reply = Reply(message, usage, finish, ({"cleared": 3},))
    assert reply_from(json.loads(compact(reply_to(reply)))) == reply


@given(messages, usages, anything)
def test_an_unclean_finish_comes_back_cleaned_and_all_else_as_it_was(
    message: Message, usage: Usage, finish: str
) -> None:
    reply = Reply(message, usage, finish, ({"cleared": 3},))
    assert reply_from(json.loads(compact(reply_to(reply)))) == replace(reply, finish=clean(finish))


def test_what_is_kept_of_an_unclean_finish() -> None:
    back = reply_from(reply_to(Reply(Message("m1", "assistant", "fine"), finish="st\x08op\ud800")))
    assert back.finish == "st\ufffdop\ufffd"


def test_an_event_comes_back_from_json() -> None:
    event = Event("goal", {"step": 3, "met": True, "used": {"f1": "right"}})
    assert event_from(json.loads(compact(event_to(event)))) == event


def test_blank_text_gets_a_visible_filler_that_is_counted_and_calls_need_none() -> None:
    for text in ("", "\n", " \t\u00a0 "):
        for role in ("user", "tool", "assistant"):
            assert admitted(Message("", role, text)).content == "(empty)"  # type: ignore[arg-type]
    call = Message("", "assistant", "", (Call("c", "act", {}),))
    thought = Message("", "assistant", "", opaque={"anthropic": [1]})
    said = Message("", "tool", " x ")
    assert all(admitted(message) is message for message in (call, thought, said))
