"""Clearing tool uses, pinning statements, retrieving only."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from omegaconf import OmegaConf

from harness.contract import Call, Message
from strategies.clear_tool_uses import ClearToolUses
from strategies.pin import Pin
from strategies.retrieve_only import RetrieveOnly
from tests.conformance.laws import kit, play, whole
from tests.conformance.scripts import Script, acts, rounds, user

CONF = Path(__file__).parents[2] / "conf"
TEN = Script("task", ((), *rounds(10)))


def last(strategy: Any, script: Script, budget: int) -> list[Message]:
    return list(list(play(strategy, script, budget))[-1].view)


def cleared(strategy: ClearToolUses, script: Script = TEN, share: float = 0.9) -> list[list[str]]:
    """Ids of the cleared messages in each view."""
    found = play(strategy, script, int(share * whole(script)))
    return [[m.sources[0] for m in turn.view if m.id.startswith("clear:")] for turn in found]


# ---------------------------------------------------------------- clear_tool_uses


def test_nothing_is_cleared_under_the_trigger_and_then_much_at_once() -> None:
    found = cleared(ClearToolUses(trigger=0.8, low_water=0.5, at_least=0.1))
    sizes = [len(ids) for ids in found]
    assert sizes[0] == 0 and max(sizes) > 2
    assert sum(b > a for a, b in pairwise(sizes)) < 4  # in batches, not turn by turn


def test_the_newest_uses_stay_however_long_the_view_is() -> None:
    ids = cleared(ClearToolUses(trigger=0.1, low_water=0.01, keep=4, at_least=0.0))[-1]
    answers = [m.id for m in TEN.grown(10) if m.role == "tool"]
    assert ids == answers[:-4]
    assert cleared(ClearToolUses(trigger=0.1, low_water=0.01, keep=0, at_least=0.0))[-1] == answers[:-1]


def test_what_would_clear_too_little_is_left_alone() -> None:
    assert cleared(ClearToolUses(trigger=0.1, low_water=0.01, keep=3, at_least=0.9), share=2.0)[-1] == []


def test_excluded_tools_keep_their_results_and_inputs_go_only_when_asked() -> None:
    assert cleared(ClearToolUses(trigger=0.1, low_water=0.01, at_least=0.0, exclude=("run",)), share=2.0)[-1] == []
    plain = last(ClearToolUses(trigger=0.1, low_water=0.01, at_least=0.0), TEN, 2 * whole(TEN))
    assert all(call.arguments for message in plain for call in message.calls)
    bare = last(ClearToolUses(trigger=0.1, low_water=0.01, at_least=0.0, inputs=True), TEN, 2 * whole(TEN))
    assert [bool(call.arguments) for message in bare for call in message.calls] == [False] * 7 + [True] * 3


def test_a_trigger_above_one_is_a_number_of_tokens() -> None:
    assert cleared(ClearToolUses(trigger=100_000, at_least=0.0), share=2.0)[-1] == []
    assert cleared(ClearToolUses(trigger=40, at_least=0.0), share=2.0)[-1] != []


def test_low_water_says_how_far_it_comes_down() -> None:
    long = Script("task", ((), *rounds(10, words=60)))
    batch = {}
    for low in (0.9, 0.5):
        found = cleared(ClearToolUses(low_water=low, keep=0, at_least=0.0), long)
        batch[low] = next(len(ids) for ids in found if ids)
    assert batch == {0.9: 3, 0.5: 7}


def test_a_cleared_result_is_the_placeholder_and_answers_its_call() -> None:
    view = last(ClearToolUses(trigger=0.1, low_water=0.01, at_least=0.0, placeholder="[gone]"), TEN, 2 * whole(TEN))
    made = [message for message in view if message.id.startswith("clear:")]
    assert {(message.content, message.role) for message in made} == {("[gone]", "tool")}
    assert [message.answers for message in made] == [f"c{n}" for n in range(7)]


def test_clearing_is_an_event_and_what_still_does_not_fit_is_an_overflow() -> None:
    turns = list(play(ClearToolUses(at_least=0.0), TEN, whole(TEN) // 2))
    triggers = {(event.kind, event.detail["trigger"]) for turn in turns for event in turn.events}
    assert triggers == {("evict", "length"), ("overflow", "budget")}
    loose = list(play(ClearToolUses(at_least=0.0, overflow="error"), TEN, whole(TEN) // 2))
    assert {event.kind for turn in loose for event in turn.events} == {"evict"}


def test_the_vendor_file_has_the_provider_s_settings() -> None:
    config = OmegaConf.load(CONF / "strategy" / "clear_tool_uses_vendor.yaml")
    assert (config.trigger, config.keep, config.at_least, config.inputs, list(config.exclude)) == (
        100000,
        3,
        0,
        False,
        [],
    )


@pytest.mark.parametrize(
    "bad, message",
    [
        ({"placeholder": " "}, "placeholder=' '"),
        ({"trigger": 0}, "trigger=0"),
        ({"at_least": 2}, "at_least=2"),
        ({"keep": -1}, "keep=-1"),
    ],
)
def test_settings_out_of_range_are_refused(bad: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ClearToolUses(**bad).reset(kit(), TEN.brief)


# ---------------------------------------------------------------- pin


def told(*answers: str) -> Script:
    """A script with one answer a turn, long enough to push the first ones out."""
    rest = tuple(acts("go", answer + " filler" * 30, first=n) for n, answer in enumerate(answers))
    return Script("task", ((), *rest, *rounds(3)))


def listed(strategy: Pin, script: Script, share: float = 0.6) -> str:
    view = last(strategy, script, int(share * whole(script)))
    return "\n".join(message.content for message in view if message.id.startswith("pin:"))


def test_what_left_the_window_is_noted_with_its_name() -> None:
    text = listed(Pin(), told("The port of db_01 is p8443.\nNothing here.", "ok", "ok"))
    assert "The port of db_01 is p8443." in text and "Nothing here" not in text


def test_a_later_value_replaces_the_former_one_and_other_names_stay() -> None:
    script = told("The port of db_01 is p8443.\nThe port of db_02 is p1.", "The port of db_01 is p9.", "ok", "ok")
    text = listed(Pin(), script, 0.5)
    assert "p9" in text and "p8443" not in text and "The port of db_02 is p1." in text


def test_the_list_is_bounded_and_forgets_the_oldest_first() -> None:
    script = told(*(f"The port of db_{n:02d} is p{n:04d}." for n in range(12)))
    wide, narrow = listed(Pin(share=0.9), script, 0.5), listed(Pin(share=0.05), script, 0.5)
    assert narrow.count("port") < wide.count("port")
    assert "db_00" not in narrow


def test_the_list_is_a_user_message_after_the_task_that_names_its_sources_and_its_changes() -> None:
    script = told("The port of db_01 is p8443.", "ok", "ok")
    turns = list(play(Pin(), script, int(0.6 * whole(script))))
    made = turns[-1].view[2]
    assert made.id.startswith("pin:") and made.role == "user" and made.sources == ("m3",)
    writes = [event.detail["sources"] for turn in turns for event in turn.events if event.kind == "write"]
    assert writes == [["m3"]]  # once: the list did not change any more


def test_low_water_and_pin_user_act_on_the_window_beside_the_list() -> None:
    script = Script("task", ((), (*acts("go", "ok " * 30, first=0), user("task two")), *rounds(9)[1:]))
    budget = int(0.5 * whole(script))
    ids = {low: {m.id for m in last(Pin(low_water=low), script, budget)} for low in (1.0, 0.5)}
    assert len(ids[0.5]) < len(ids[1.0])
    assert "m4" not in ids[1.0]
    assert "m4" in {m.id for m in last(Pin(pin_user=True), script, budget)}


def test_long_lines_are_no_statements_and_agents_are_not_quoted() -> None:
    assert listed(Pin(longest=20), told("The port of db_01 is p8443.", "ok", "ok")) == ""
    script = Script("task", ((), acts("db_01 has p8443", "ok", first=0), *rounds(6)))
    assert "p8443" not in listed(Pin(), script, 0.4)


# ---------------------------------------------------------------- retrieve_only


SCRIPT = Script(
    "task",
    (
        (),
        acts("go", "the colour of the boat is green\nthe boat lies in the harbour", first=0),
        acts("go", "prices of apples rose again this year\nfarmers sell them by the crate", first=1),
        acts("go", "what was the colour of the boat in the harbour?", first=2),
    ),
)


def retrieved(strategy: RetrieveOnly, budget: int | None = None) -> list[str]:
    view = last(strategy, SCRIPT, budget or whole(SCRIPT))
    return [message.content for message in view if message.id.startswith("retrieved:")]


def test_what_is_like_the_newest_text_comes_back_and_nothing_old_stays() -> None:
    view = last(RetrieveOnly(top=1, lines=2), SCRIPT, whole(SCRIPT))
    assert [m.id for m in view[:4]] == ["m0", "m1", "m6", "m7"]
    assert "the boat is green" in view[-1].content and "apples" not in view[-1].content
    assert view[-1].sources == ("m3",)


def test_top_and_share_bound_what_comes_back() -> None:
    assert "apples" in retrieved(RetrieveOnly(top=9, lines=1))[0]
    pinned = whole(Script("task", SCRIPT.turns[-1:]))
    assert retrieved(RetrieveOnly(top=9, lines=1), pinned + 5) == []


def test_newest_is_the_number_of_turns_that_stay_whole() -> None:
    assert [m.id for m in last(RetrieveOnly(newest=2, top=1), SCRIPT, whole(SCRIPT))[:6]] == [
        "m0", "m1", "m4", "m5", "m6", "m7"
    ]  # fmt: skip


def test_the_last_paragraph_or_all_of_the_newest_text_is_the_query() -> None:
    noisy = "apples apples apples, prices and farmers\n\nwhat was the colour of the boat?"
    script = Script("task", (*SCRIPT.turns[:3], acts("go", noisy, first=2)))
    found = {}
    for query in ("last", "whole"):
        found[query] = last(RetrieveOnly(query=query, top=1, lines=2), script, whole(script))[-1].sources
    assert found == {"last": ("m3",), "whole": ("m5",)}


def test_what_comes_back_is_at_the_tail_and_an_event_when_it_changes() -> None:
    turns = list(play(RetrieveOnly(top=1, lines=2), SCRIPT, whole(SCRIPT)))
    assert turns[-1].view[-1].role == "user" and turns[-1].view[-1].id.startswith("retrieved:")
    found = [event.detail["sources"] for turn in turns for event in turn.events if event.kind == "retrieve"]
    assert found == [["m2"], ["m3"]]  # to a text on prices nothing fits, and "go" fits least badly


def test_on_call_the_model_asks_and_the_view_holds_nothing_retrieved() -> None:
    strategy = RetrieveOnly(when="on_call", lines=2, top=1)
    assert retrieved(strategy) == []
    assert [tool.name for tool in strategy.tools] == ["search_memory"]
    answer = strategy.answer(Call("x", "search_memory", {"query": "boat colour"}))
    assert "the boat is green" in answer.content and answer.sources == ("m3",)
    assert [m.content.splitlines()[0] for m in strategy.find("boat/colour")] == ["the colour of the boat is green"]
    assert RetrieveOnly().tools == ()


def test_recalled_text_is_not_stored_again_and_users_are() -> None:
    script = Script("task", ((user("the mast of the boat is oak"),), *SCRIPT.turns[1:], *rounds(2)))
    strategy = RetrieveOnly(top=9, lines=1)
    for turn in play(strategy, script, whole(script)):
        assert sum("boat is oak" in message.content for message in turn.view) <= 2
    assert len(strategy.find("boat/oak")) == 1
