"""Folding what a completed focus covers."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from harness.contract import Brief, Call, Message
from strategies.focus import Focus
from tests.conformance import laws
from tests.conformance.laws import Shown, kit, play, whole
from tests.conformance.scripts import Script
from tests.strategies.focus_scripts import Story, complete, start, stories, story, work

EXPLORED = story(
    [work("first")],
    [start("the parser")],
    [work("p is 1")],
    [work("q is 2")],
    [complete("p is 1\nq is 2", next_action="fix q")],
    [work("fixed")],
)
KNOWN = """Knowledge:
[1] the parser (success)
goal: know the parser
attempted: looked
learned:
p is 1
q is 2"""


def shown(strategy: Focus, script: Script, budget: int | None = None) -> list[Shown]:
    return list(play(strategy, script, budget or 2 * whole(script) + 4000))


def ids(turn: Shown) -> list[str]:
    return [message.id for message in turn.view if message.role != "system"]


def noted(turns: Sequence[Shown]) -> list[tuple[str, str, list[str]]]:
    return [(e.kind, e.detail["trigger"], e.detail["sources"]) for turn in turns for e in turn.events]


def passive(**changed: object) -> Focus:
    return Focus(prompting="passive", **changed)  # type: ignore[arg-type]


# ---------------------------------------------------------------- completing


def test_what_a_focus_covers_leaves_and_an_entry_and_a_continuation_stay() -> None:
    turns = shown(passive(), EXPLORED)
    assert ids(turns[4]) == ["m1", "m2", "m3", "m4", "m5", "m6", "m7", "m8", "m9"]
    assert ids(turns[5]) == ["m1", "m2", "m3", "focus:next:m11"]
    assert ids(turns[6]) == ["m1", "m2", "m3", "focus:next:m11", "m12", "m13"]
    system, continued = turns[5].view[0], turns[5].view[-1]
    assert system.content.startswith("You are an agent.\n\n[memory]\n") and system.content.endswith("\n\n" + KNOWN)
    assert "Knowledge:" not in turns[4].view[0].content
    assert system.sources == ("m4", "m10") and continued.sources == ("m10", "m11")
    assert continued.role == "user"
    assert continued.content == (
        "Focus 1 is complete (success): its messages were removed, see Knowledge. Continue:\nnext: fix q"
    )


def test_a_completion_is_an_event_that_names_all_that_it_covers() -> None:
    assert noted(shown(passive(), EXPLORED)) == [
        ("focus", "success", ["m4", "m5", "m6", "m7", "m8", "m9", "m10", "m11"])
    ]


def test_without_a_next_action_the_task_goes_on() -> None:
    turns = shown(passive(), story([start("a")], [complete("b", "abandoned")]))
    assert turns[-1].view[-1].content.endswith("Continue with the task.")
    assert noted(turns)[0][1] == "abandoned"


def test_an_instruction_that_says_next_is_not_announced_twice() -> None:
    turns = shown(passive(), story([start("a")], [complete("b", next_action="next: go")]))
    assert turns[-1].view[-1].content.endswith("Continue:\nnext: go")


def test_focuses_nest_and_the_newest_is_closed_first() -> None:
    inner = ([start("inner")], [work()], [complete("inner known")])
    turns = shown(passive(), story([start("outer")], [work()], *inner, [work()], [complete("all known")]))
    assert ids(turns[5]) == ["m1", "m2", "m3", "m4", "m5", "focus:next:m11"]
    assert ids(turns[7]) == ["m1", "focus:next:m15"]
    text = turns[7].view[0].content
    assert text.index("[1] inner (success)") < text.index("[2] outer (success)")


def test_what_the_user_said_inside_leaves_unless_it_is_pinned() -> None:
    told = Story().say(start("a")).say(work(), then=["use tabs"]).say(complete("b")).script
    assert ids(shown(passive(), told)[-1]) == ["m1", "focus:next:m8"]
    assert ids(shown(passive(pin_user=True), told)[-1]) == ["m1", "m6", "focus:next:m8"]


# ---------------------------------------------------------------- several calls at once


def test_a_block_with_another_call_stays_since_its_answer_is_unread() -> None:
    turns = shown(passive(), story([start("a")], [work()], [complete("b"), work("new")], [work()]))
    assert ids(turns[3]) == ["m1", "m6", "m7", "m8", "focus:next:m7"]
    assert ids(turns[4]) == ["m1", "m6", "m7", "m8", "focus:next:m7", "m9", "m10"]
    assert noted(turns) == [("focus", "success", ["m2", "m3", "m4", "m5", "m7"])]


def test_a_message_may_close_one_focus_and_open_the_next() -> None:
    script = story([start("a")], [complete("a known"), start("b")], [work()], [complete("b known")])
    turns = shown(passive(), script)
    assert ids(turns[2]) == ["m1", "m4", "m5", "m6", "focus:next:m5"]
    assert ids(turns[4]) == ["m1", "focus:next:m10"]


def test_a_message_may_close_two() -> None:
    script = story([start("a")], [start("b")], [complete("b known"), complete("a known")])
    turns = shown(passive(), script)
    assert ids(turns[3]) == ["m1", "focus:next:m8"]
    assert [kind for kind, _, _ in noted(turns)] == ["focus", "focus"]


@pytest.mark.parametrize("place", ["system", "tail"])
def test_opened_and_closed_in_one_message(place: str) -> None:
    turns = shown(passive(knowledge=place), story([start("a"), work("x"), complete("known")], [work()]))
    entry = ["focus:entry:1:0"] if place == "tail" else []
    assert ids(turns[1]) == ["m1", "m2", "m3", "m4", "m5", *entry, "focus:next:m5"]
    assert noted(turns) == [("focus", "success", ["m5"])]


# ---------------------------------------------------------------- calls without effect


def test_completing_without_a_start_is_an_error_and_changes_nothing() -> None:
    turns = shown(passive(), story([work()], [complete("b")], [work()]))
    assert ids(turns[-1]) == [f"m{n}" for n in range(1, 8)]
    assert turns[-1].view[5].content == (
        "error: no focus is open, so nothing was completed. Call start_focus where a piece of work begins."
    )
    assert noted(turns) == []


def test_an_unknown_outcome_is_an_error_and_the_focus_stays_open() -> None:
    turns = shown(passive(), story([start("a")], [complete("b", "great")], [complete("b", "partial")]))
    assert turns[2].view[-1].content == (
        "error: outcome 'great' is none of success, partial, blocked, abandoned. The focus is still open."
    )
    assert ids(turns[3]) == ["m1", "focus:next:m7"]


def test_a_call_that_was_refused_opens_nothing() -> None:
    calls = (Call("c0", "start_focus", {"goal": "b"}),)
    refused = Message("", "tool", "error: 'start_focus' needs the argument 'description'.", answers="c0")
    turns = shown(passive(), Script("task", ((), (Message("", "assistant", "", calls), refused))))
    assert ids(turns[-1]) == ["m1", "m2", "m3"]
    assert reply_after(turns[-1], complete("x")).startswith("error: no focus is open")


def reply_after(turn: Shown, *made: tuple[str, dict[str, str]]) -> str:
    """The last answer of a fresh strategy that has composed this history."""
    strategy = Focus()
    strategy.reset(kit(), Brief("You are an agent.", "task", ()))
    strategy.compose(turn.history, 10_000)
    answers = [strategy.answer(Call(f"x{n}", name, arguments)) for n, (name, arguments) in enumerate(made)]
    assert [answer.answers for answer in answers] == [f"x{n}" for n in range(len(made))]
    return answers[-1].content


def test_answers_know_what_is_open_from_the_history_and_from_each_other() -> None:
    (*_, opened) = play(passive(), story([start("a")]), 4000)
    (*_, closed) = play(passive(), story([start("a")], [complete("b")]), 4000)
    assert reply_after(opened, start("b")) == "Focus started (level 2). Complete it with complete_focus."
    assert reply_after(opened, complete("b")) == "Focus completed, its entry is in Knowledge."
    assert reply_after(opened, complete("b"), complete("c")).startswith("error")
    assert reply_after(closed, complete("b")).startswith("error")
    assert not reply_after(closed, start("c"), complete("c")).startswith("error")
    assert not reply_after(closed, complete("b"), start("c"), complete("c")).startswith("error")


# ---------------------------------------------------------------- where knowledge stands


def test_in_the_system_text_a_completion_breaks_the_whole_prefix_in_its_place_only_from_the_checkpoint() -> None:
    before, after = shown(passive(), EXPLORED)[4:6]
    assert before.view[0] != after.view[0]
    before, after = shown(passive(knowledge="tail"), EXPLORED)[4:6]
    assert before.view[:4] == after.view[:4]  # system text, task, and the turn before the checkpoint
    assert ids(after)[3:] == ["focus:entry:1:0", "focus:next:m11"]
    assert after.view[4].role == "user"
    assert after.view[4].content == KNOWN.replace("Knowledge:\n", "Knowledge ")


def test_in_its_place_an_entry_outlives_the_focus_around_it() -> None:
    script = story([start("outer")], [start("inner")], [complete("i")], [work()], [complete("o")])
    assert ids(shown(passive(knowledge="tail"), script)[-1]) == [
        "m1", "focus:entry:1:0", "focus:entry:2:0", "focus:next:m11"
    ]  # fmt: skip


# ---------------------------------------------------------------- prompts and reminders


def test_prompting_says_when_to_focus_or_only_what_the_tools_do() -> None:
    def prompt(**changed: object) -> str:
        return shown(Focus(**changed), EXPLORED)[0].view[0].content  # type: ignore[arg-type]

    directive, plain, paper = prompt(), prompt(prompting="passive"), prompt(prompts="paper")
    for rule in ("ALWAYS call start_focus before", "10 to 15 tool calls", "more than 20", "4 to 6 focuses"):
        assert rule in directive and rule not in plain
    assert "start_focus marks" in plain
    assert "Write tests of your own first" in paper and "Write tests" not in directive


WORKED = story(*[[work()]] * 3, [start("a")], [work()], [complete("b")], [work()])


def reminders(strategy: Focus) -> list[list[str]]:
    return [[m.content for m in turn.view if m.id.startswith("focus:reminder")] for turn in shown(strategy, WORKED)]


def test_reminders_begin_with_the_nth_call_and_come_each_step_until_a_completion() -> None:
    found = reminders(Focus(remind_after=2))
    assert [len(texts) for texts in found] == [0, 0, 1, 2, 2, 3, 2, 2]  # opening a focus is no step
    assert found[5][0] == (
        "Reminder: 2 tool calls since the last focus was completed. None is open: call start_focus now, then "
        "complete_focus with what you know."
    )
    assert found[5][2] == "Reminder: 4 tool calls since the last focus was completed. Call complete_focus for 'a' now."


def test_a_reminder_is_the_last_message_when_it_comes_and_stays_there() -> None:
    third, fourth = shown(Focus(remind_after=3), WORKED)[3:5]
    assert third.view[-1].id == "focus:reminder:m6" and third.view[-1].sources == ("m6",)
    assert fourth.view[: len(third.view)] == third.view


@pytest.mark.parametrize("strategy", [Focus(remind_after=0), Focus(prompting="passive", remind_after=1), Focus()])
def test_no_reminder_when_off_or_passive_or_too_early(strategy: Focus) -> None:
    assert reminders(strategy) == [[]] * 8


# ---------------------------------------------------------------- room

FACTS = "\n".join(f"fact {n} is {'x' * 30}" for n in range(8))
THREE = story(*(turn for n in range(3) for turn in ([start(f"part {n}")], [work("y" * 200)], [complete(FACTS)])))


def knowledge(turns: Sequence[Shown]) -> list[str]:
    return turns[-1].view[0].content.partition("\n\nKnowledge")[2].splitlines()


def test_knowledge_is_not_touched_while_it_fits_its_share() -> None:
    turns = shown(passive(knowledge_share=0.5), THREE, 1200)
    assert sum(line.startswith("fact ") for line in knowledge(turns)) == 24
    assert "knowledge" not in [kind for kind, _, _ in noted(turns)]


def test_beyond_its_share_the_oldest_entries_are_shortened_then_dropped_with_events() -> None:
    turns = shown(passive(knowledge_share=0.2), THREE, 1200)
    lines = knowledge(turns)
    assert lines[0] == " (the oldest 1 of 3 left out):"
    assert "[3] part 2 (success)" in lines and "[1] part 0 (success)" not in lines
    assert "goal: know part 1" not in lines and "learned (older ones left out):" in lines
    assert lines[-1] == FACTS.splitlines()[-1]
    own = [(trigger, sources) for kind, trigger, sources in noted(turns) if kind == "knowledge"]
    assert ("dropped", ["m2", "m6"]) in own and own[0][0] == "shortened"
    added = len(turns[-1].view[0].content) - len("You are an agent.")
    assert added / 4 <= 0.2 * 1200 + 1  # the tokenizer's estimate: four characters each, rounded up


def test_entries_in_their_place_are_shortened_and_dropped_too() -> None:
    turns = shown(passive(knowledge="tail", knowledge_share=0.2), THREE, 1200)
    assert [name for name in ids(turns[-1]) if name.startswith("focus:entry")] == ["focus:entry:2:2", "focus:entry:3:1"]


LONG = story([start("a")], [complete("known fact")], [start("b")], *[[work("z" * 400)]] * 8)


@pytest.mark.parametrize("place", ["system", "tail"])
def test_the_last_resort_keeps_entries_and_what_is_open(place: str) -> None:
    turns = shown(passive(knowledge=place), LONG, 700)
    view = turns[-1].view
    assert any("known fact" in message.content for message in view)
    assert "m6" in ids(turns[-1]) and "m8" not in ids(turns[-1])  # the checkpoint; the work after it
    assert ("overflow", "budget") in [(kind, trigger) for kind, trigger, _ in noted(turns)]


def test_the_last_resort_evicts_down_to_low_water() -> None:
    def overflows(low_water: float) -> int:
        return sum(kind == "overflow" for kind, _, _ in noted(shown(passive(low_water=low_water), LONG, 900)))

    assert 1 <= overflows(0.6) < overflows(1.0)


def test_overflow_error_hands_out_the_view_as_it_is() -> None:
    turns = shown(passive(overflow="error"), LONG, 700)
    assert ids(turns[-1]) == ["m1", "focus:next:m5", *(f"m{n}" for n in range(6, 24))]


def test_a_continuation_that_the_last_resort_drops_is_named_again() -> None:
    found = noted(shown(passive(), LONG, 700))
    assert ("overflow", "continuation", ["m4", "m5"]) in found


def test_a_prompt_larger_than_its_share_is_left_out_with_an_event() -> None:
    turns = shown(Focus(), EXPLORED, 250)
    assert "ALWAYS" not in turns[0].view[0].content
    assert ("overflow", "prompt", []) in noted(turns)


# ---------------------------------------------------------------- laws and settings

VARIANTS = (
    {},
    {"knowledge": "tail", "remind_after": 2},
    {"prompting": "passive", "pin_user": True, "knowledge_share": 0.1},
    {"knowledge": "tail", "prompting": "passive", "knowledge_share": 0.2, "low_water": 0.6},
    {"prompting": "passive", "remind_after": 1, "overflow": "error"},
)


@settings(max_examples=60, deadline=None, derandomize=True, phases=(Phase.generate, Phase.shrink))
@given(script=stories(), share=st.floats(0.1, 1.6), changed=st.sampled_from(VARIANTS))
def test_every_law_holds_where_focuses_are_opened_and_closed(
    script: Script, share: float, changed: dict[str, object]
) -> None:
    for law in laws.ALL:
        law(lambda: Focus(**changed), script, int(share * whole(script)))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "wrong",
    [
        {"knowledge": "top"}, {"prompting": "mild"}, {"prompts": "own"}, {"remind_after": -1}, {"knowledge_share": 0},
        {"low_water": 2}, {"overflow": "drop"},
    ],
)  # fmt: skip
def test_settings_out_of_range_are_refused(wrong: dict[str, object]) -> None:
    (name,) = wrong
    with pytest.raises(ValueError, match=f"{name}="):
        Focus(**wrong).reset(kit(), EXPLORED.brief)  # type: ignore[arg-type]
