"""What is sent to a compactor, which answers are refused, and what stands in for them."""

from __future__ import annotations

import pytest

from harness.contract import Reply, Request
from strategies.compaction.asking import Ask
from strategies.compaction.layers import blocking
from strategies.compaction.prompts import kind_of
from tests.strategies.compactors import Spy, compactor, instruction_of, known_of, said, text_of, together

TEXT = "\n".join(f"pump_{n} has seal s{n}" for n in range(20))


def asked(ask: Ask, spy: Spy, window: int = 10_000, **settings: object) -> tuple[str, list[tuple[str, str]]]:
    made, noted = compactor(window, **settings)
    return blocking(made.shorten([ask]), together(spy))[0], noted


@pytest.mark.parametrize(
    ("reply", "fault"),
    [
        (said(""), "empty"),
        (said(" \n "), "empty"),
        (said("half a", "length"), "cut off"),
        (said("x" * 101), "too long"),
        (said(TEXT), "too long"),
        (said("sorry", "refusal"), "refusal"),
        (said("timeout", "failed"), "failed"),
    ],
)
def test_a_bad_answer_is_refused_asked_again_and_replaced_in_sight(reply: Reply, fault: str) -> None:
    spy = Spy(lambda request: reply)
    text, noted = asked(Ask("session", TEXT, 100, ("m2",)), spy)
    assert len(spy.requests) == 2
    assert f"refused: it was {fault}" not in instruction_of(spy.requests[0])
    assert f"refused: it was {fault}" in instruction_of(spy.requests[1])
    assert [event for event in noted if event[0] != "template"] == [
        ("refused", fault), ("refused", fault), ("fallback", fault),
    ]  # fmt: skip
    assert text.splitlines()[-1] == "pump_19 has seal s19"  # lines of the text itself, the newest ones
    assert len(text) <= 100
    assert all(line in TEXT.splitlines() for line in text.splitlines())


def test_an_answer_no_shorter_than_the_text_is_refused() -> None:
    made, _ = compactor()
    assert made.fault(said("y" * 30), Ask("session", "x" * 30, 30, ())) == "not shorter"
    assert made.fault(said("y" * 29), Ask("session", "x" * 30, 30, ())) is None


def test_retries_are_counted_and_can_be_switched_off() -> None:
    good = iter([said(""), said("pump_1")])
    spy = Spy(lambda request: next(good))
    assert asked(Ask("session", TEXT, 100, ()), spy)[0] == "pump_1"
    for retries in (0, 3):
        spy = Spy(lambda request: said(""))
        asked(Ask("session", TEXT, 100, ()), spy, retries=retries)
        assert len(spy.requests) == retries + 1


def test_what_fits_as_it_is_is_not_asked() -> None:
    spy = Spy()
    assert asked(Ask("session", TEXT, len(TEXT), ()), spy) == (TEXT, [])
    assert spy.requests == []


@pytest.mark.parametrize("factor", [1.5, 4.0])
@pytest.mark.parametrize("lines", [1, 40])
def test_a_text_over_the_window_is_sent_in_parts_that_fit(factor: float, lines: int) -> None:
    window = 1500
    size = int(factor * window)
    text = "\n".join(f"w{n:03}_" * (size // lines // 5) for n in range(lines))
    spy = Spy()
    ask = Ask("session", text, 200, (), "known " * 10)
    short, _ = asked(ask, spy, window, goal="reach the gate", retries=0)
    assert len(spy.requests) >= factor
    for request in spy.requests:
        assert sum(len(message.content) for message in request.view) + request.max_output <= window
    assert sum(request.max_output for request in spy.requests) <= 200
    assert 0 < len(short) <= 200
    assert "".join(map(text_of, spy.requests)).replace("\n", "") == text.replace("\n", "")  # all of it, once


def test_a_window_too_small_for_any_request_is_named_and_nothing_is_asked() -> None:
    spy = Spy()
    text, noted = asked(Ask("session", TEXT, 100, ()), spy, window=300)
    assert (spy.requests, noted) == ([], [("fallback", "over the window")])
    assert text


def test_a_long_goal_is_left_out_before_it_fills_the_window() -> None:
    spy = Spy()
    asked(Ask("session", TEXT, 100, ()), spy, window=1400, goal="g" * 600)
    asked(Ask("session", TEXT, 100, ()), spy, window=1400, goal="g" * 300)
    assert ["<goal>" in request.view[1].content for request in spy.requests] == [False, True]


def test_the_same_request_is_asked_once_and_a_like_one_again() -> None:
    spy = Spy()
    made, _ = compactor()
    asks = [Ask("session", TEXT, 100, ("m2",)), Ask("session", TEXT, 100, ("m9",)), Ask("session", TEXT + ".", 100, ())]
    for ask in asks:
        blocking(made.shorten([ask]), together(spy))
    assert len(spy.requests) == 2
    made, _ = compactor(cache=None)
    for ask in asks:
        blocking(made.shorten([ask]), together(spy))
    assert len(spy.requests) == 2 + 3


def test_refused_answers_are_not_remembered() -> None:
    spy = Spy(lambda request: said(""))
    made, _ = compactor(retries=0)
    for _ in range(2):
        blocking(made.shorten([Ask("session", TEXT, 100, ())]), together(spy))
    assert len(spy.requests) == 2


def test_several_texts_are_asked_for_at_once() -> None:
    made, _ = compactor()
    stage = made.shorten([Ask("session", f"{TEXT} {n}", 100, ()) for n in range(3)])
    requests = next(stage)
    assert len(requests) == 3
    again = stage.send([said("a"), said(""), said("c")])  # the second one is refused
    assert [text_of(request) for request in again] == [f"{TEXT} 1"]
    with pytest.raises(StopIteration) as end:
        stage.send([said("b")])
    assert end.value.value == ["a", "b", "c"]


def test_what_is_known_goes_with_a_request_and_not_with_each_of_many_parts() -> None:
    spy = Spy()
    asked(Ask("fragment", TEXT, 100, (), "pump_77 is off"), spy)
    assert known_of(spy.requests[0]) == "<known>\npump_77 is off\n</known>"
    spy = Spy()
    asked(Ask("fragment", TEXT * 20, 100, (), "k" * 400), spy, window=1500)
    assert len(spy.requests) > 2
    assert not any(map(known_of, spy.requests))


CONTENT = {
    "code": "def load(path: str) -> int:\n    return open(path).read()\nTraceback (most recent):\nKeyError: 'x'",
    "data": '| pump_1 | seal | s4 |\n["pump_2", "seal", "s5"]\n10:33:37 INFO pump_3 ready\nport=5432',
    "dialogue": "Please send the offer to Ann.\nShe wants it by Friday, but not by mail.\nAgreed.",
    "maths": "Lemma: for n ≥ 2 it holds.\nLet x ∈ R, then x² ≤ 4.\nThe equation has two roots.",
}


@pytest.mark.parametrize("kind", CONTENT)
def test_templates_go_by_content_and_are_noted(kind: str) -> None:
    text = f"<tool>\n{CONTENT[kind]}\n" * 3
    assert kind_of(text) == kind
    instructions: dict[bool, str] = {}
    for templates in (True, False):
        spy = Spy()
        _, noted = asked(Ask("fragment", text, 80, ()), spy, templates=templates)
        instructions[templates] = instruction_of(spy.requests[0])
        assert (("template", kind) in noted) == templates
    assert instructions[True] != instructions[False]


def test_each_level_has_an_instruction_of_its_own() -> None:
    made, _ = compactor(templates=False)
    told = [instruction_of(made.request(Ask(level, TEXT, 100, ()))) for level in ("fragment", "session", "global")]
    assert "one plain sentence for each turn" in told[0]
    assert "one paragraph" in told[1]
    assert "done, blocked, next" in told[2]
    assert all("at most 100 tokens" in text for text in told)


def test_a_request_is_a_legal_one() -> None:
    made, _ = compactor(goal="reach the gate")
    request: Request = made.request(Ask("global", TEXT, 100, (), "known"))
    assert [message.role for message in request.view] == ["system", "user", "user", "user"]
    assert request.max_output == 100
    assert len({message.id for message in request.view}) == 4


def test_a_form_is_asked_for_checked_and_read_back() -> None:
    spy = Spy()
    text, _ = asked(Ask("session", TEXT, 200, ()), spy, form="json")
    request = spy.requests[0]
    assert request.schema is not None and list(request.schema["properties"]) == ["lines"]
    assert '{"lines"' in instruction_of(request)
    assert text and all(line in TEXT.splitlines() for line in text.splitlines())
    plain = Spy()
    asked(Ask("session", TEXT, 200, ()), plain)
    assert plain.requests[0].schema is None and '{"lines"' not in instruction_of(plain.requests[0])


@pytest.mark.parametrize(
    "told", ["Sure, here it is: pump_1", '["pump_1"]', '{"lines": "pump_1"}', '{"lines": [1]}', '{"lines": [], "x": 1}']
)
def test_an_answer_in_another_form_is_refused(told: str) -> None:
    made, _ = compactor(form="json")
    assert made.fault(said(told), Ask("session", TEXT, 100, ())) == "not in the form"
    assert made.fault(said('{"lines": ["pump_1", " pump_2 "]}'), Ask("session", TEXT, 100, ())) is None
    assert made.fault(said('{"lines": [" "]}'), Ask("session", TEXT, 100, ())) == "empty"
    spy = Spy(lambda request: said(told))
    text, noted = asked(Ask("session", TEXT, 100, ()), spy, form="json")
    assert [kind for kind, _ in noted if kind != "template"] == ["refused", "refused", "fallback"]
    assert text.splitlines()[-1] == "pump_19 has seal s19"
