"""A summary with its originals beside it."""

from __future__ import annotations

from typing import Any

import pytest

from harness.contract import Call
from strategies.summary_retrieve import SummaryRetrieve
from tests.conformance.laws import kit, play, whole
from tests.conformance.scripts import Script, acts, rounds

SCRIPT = Script(
    "task",
    (
        (),
        acts("go", "the colour of the boat is green\n" + "filler words go here\n" * 20, first=0),
        *(acts("go", f"apples number {n} were sold\n" + "crates of fruit\n" * 20, first=n) for n in range(1, 9)),
        acts("go", "what was the colour of the boat?", first=9),
    ),
)
QUICK = {"trigger": "steps", "steps": 2, "keep_turns": 2, "levels": ["fragment"], "identifiers": False}


def last(strategy: SummaryRetrieve, script: Script = SCRIPT) -> list[Any]:
    return list(list(play(strategy, script, whole(script)))[-1].view)


def test_the_original_comes_back_beside_the_summary() -> None:
    view = last(SummaryRetrieve(top=1, lines=1, summary=QUICK))
    assert any(message.id.startswith("summary:") for message in view)
    assert view[-1].id.startswith("retrieved:") and "the colour of the boat is green" in view[-1].content
    assert view[-1].sources == ("m3",)


def test_on_call_nothing_stands_in_the_view_and_the_tool_finds_it() -> None:
    strategy = SummaryRetrieve(when="on_call", top=1, lines=1, summary=QUICK)
    assert not any(message.id.startswith("retrieved:") for message in last(strategy))
    answer = strategy.answer(Call("x", strategy.tools[0].name, {"query": "colour of the boat"}))
    assert "the boat is green" in answer.content
    assert len(strategy.find("colour/boat")) == 1
    assert SummaryRetrieve().tools == ()


def test_only_what_is_out_of_the_view_is_stored() -> None:
    strategy = SummaryRetrieve(lines=1, summary={**QUICK, "steps": 99})
    last(strategy, Script("task", ((), *rounds(3))))
    assert strategy.find("seen") == []


def test_share_is_the_room_of_what_comes_back() -> None:
    script = SCRIPT
    for turn in play(SummaryRetrieve(share=0.1, top=20, lines=20, summary=QUICK), script, whole(script) // 2):
        found = [message for message in turn.view if message.id.startswith("retrieved:")]
        assert kit().count(found) <= 0.1 * (whole(script) // 2)


@pytest.mark.parametrize(
    "bad, message", [({"top": 0}, "top=0"), ({"share": 0}, "share=0"), ({"when": "never"}, "when='never'")]
)
def test_settings_out_of_range_are_refused(bad: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        SummaryRetrieve(**bad).reset(kit(), SCRIPT.brief)
    with pytest.raises(ValueError, match="keep_turns=0"):
        SummaryRetrieve(summary={"keep_turns": 0}).reset(kit(), SCRIPT.brief)
