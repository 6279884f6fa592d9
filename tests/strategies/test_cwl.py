"""Evicting episodes that the agent has bracketed."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from harness.contract import Brief, Call
from harness.tokens import Characters, Counter
from strategies.cwl import Cwl
from tests.conformance import laws
from tests.conformance.laws import Shown, kit, play, whole
from tests.conformance.scripts import Script
from tests.strategies.cwl_scripts import Made, Story, act, end, expl, grep, run, stories, story

LONG = "word " * 30
HUGE = run("word " * 500)  # the last answer: only with it is there too much
LEVELS = ["reasoning", "search", "output", "episode"]


def shown(strategy: Cwl, script: Script, budget: int) -> list[Shown]:
    return list(play(strategy, script, budget))


def cwl(**changed: Any) -> Cwl:
    """Without the last resort, and with what stands between episodes left alone."""
    return Cwl(**{"overflow": "error", "outside": "stay"} | changed)


def ids(turn: Shown) -> list[str]:
    return [message.id for message in turn.view if message.role != "system"]


def noted(turns: Sequence[Shown]) -> list[tuple[int, str, str, list[str]]]:
    """Number of the turn, kind, trigger and ids of each event."""
    return [(t.number, e.kind, e.detail["trigger"], e.detail["sources"]) for t in turns for e in t.events]


def tokens(turn: Shown) -> int:
    return Counter(Characters()).messages(turn.view)


def budgets(script: Script) -> range:
    """From the whole history down to where an earlier turn than the last would need room too."""
    counter, grown = Counter(Characters()), script.grown(len(script.turns) - 2)
    return range(whole(script), counter.messages(grown), -8)


def stages(script: Script, **changed: Any) -> list[list[str]]:
    """The last view at ever smaller budgets, as long as the rule meets them: each form that it takes, once."""
    found: list[list[str]] = []
    for budget in budgets(script):
        view = shown(cwl(**changed), script, budget)[-1]
        if tokens(view) <= budget and (not found or found[-1] != ids(view)):
            found.append(ids(view))
    return found


def smallest(script: Script, **changed: Any) -> Shown:
    """The last view when all that the rule may take is taken."""
    return shown(cwl(**changed), script, budgets(script)[-1])[-1]


def triggers(script: Script, **changed: Any) -> list[str]:
    """What the rule takes then."""
    turns = shown(cwl(**changed), script, budgets(script)[-1])
    return [trigger for _, kind, trigger, _ in noted(turns) if kind == "evict"]


# m2, m3: a reply; the exploration m4 to m11 (start, search, output, end); then two replies
EXPLORED = story(
    [run("before")], [expl("the parser")], [grep(LONG)], [run(LONG)], [end("p is 1")], [run("next")], [HUGE]
)  # fmt: skip
THOUGHT = "I think " * 30


# ---------------------------------------------------------------- levels


def test_nothing_leaves_while_the_budget_holds() -> None:
    turns = shown(Cwl(), EXPLORED, whole(EXPLORED))
    assert ids(turns[-1]) == [f"m{n}" for n in range(1, 16)]
    assert noted(turns) == []


def test_levels_are_applied_in_order_until_the_budget_holds() -> None:
    said = ["m1", "m2", "m3", "cwl:said:m4", "m5"]
    after = ["cwl:end:m10", "cwl:end:m11", "m12", "m13", "m14", "m15"]
    assert stages(EXPLORED) == [
        [f"m{n}" for n in range(1, 16)],
        [*said, "cwl:said:m6", "m7", "cwl:said:m8", "m9", *after],
        [*said, "cwl:said:m8", "m9", *after],
        [*said, *after],
        ["m1", "m2", "m3", "cwl:learned:m10", "m12", "m13", "m14", "m15"],
    ]
    assert triggers(EXPLORED) == LEVELS


@pytest.mark.parametrize("without", LEVELS)
def test_a_level_that_is_left_out_is_not_applied(without: str) -> None:
    assert triggers(EXPLORED, levels=[level for level in LEVELS if level != without]) == [
        level for level in LEVELS if level != without
    ]


def test_reasoning_is_what_was_said_and_thought_with_a_call() -> None:
    told = Story().say(expl("a")).say(run("x"), text=THOUGHT).say(end("a is 1")).say(run("y")).say(HUGE).script
    message = smallest(told, levels=["reasoning"]).view[4]
    assert (message.id, message.content, message.sources) == ("cwl:said:m4", "", ("m4",))
    assert message.calls == (Call("c1", "run", {}),)


def test_a_reply_without_calls_is_reasoning_as_a_whole() -> None:
    told = Story().say(expl("a")).say(text=THOUGHT).say(end("a is 1")).say(run("y")).say(HUGE).script
    assert ids(smallest(told, levels=["reasoning"]))[1:4] == ["cwl:said:m2", "m3", "cwl:end:m5"]


def test_an_act_keeps_what_was_said_until_it_goes() -> None:
    told = Story().say(expl("a")).say(end("a is 1")).say(act("b", "a")).say(run("x"), text=THOUGHT).say(end())
    script = told.say(run("y")).say(HUGE).script
    assert triggers(script)[0] == "output"
    first = next(view for view in stages(script) if "m8" not in view)
    assert first[7] == "cwl:calls:m8" and "m9" not in first


def test_bulk_output_is_that_of_search_tools_and_of_search_programs() -> None:
    programs = ("grep -rn x | head", "cd a && ls -R", "make; find .", "pytest -q", "lsof")
    calls = [*(run(LONG, command=program) for program in programs), grep(LONG)]
    told = story([expl("a")], *[[call] for call in calls], [end("a")], [run()], [HUGE])

    def out(**changed: Any) -> list[str]:
        view = ids(smallest(told, **changed))
        return [name for name in (f"m{n}" for n in range(5, 17, 2)) if name not in view]

    assert out(levels=["search"]) == ["m5", "m7", "m9", "m15"]
    assert out(levels=["search"], search="lsof") == ["m13"]
    assert out(levels=["output"]) == ["m11", "m13"]
    assert out(levels=["output"], output="pytest") == ["m11"]


def test_a_call_leaves_with_its_answer_and_the_others_of_its_reply_stay() -> None:
    told = story([expl("a")], [grep(LONG), run("x"), grep(LONG)], [end("a is 1")], [run()], [HUGE])
    turn = smallest(told, levels=["search"])
    assert ids(turn)[3:5] == ["cwl:calls-c2:m4", "m6"]
    assert turn.view[4].calls == (Call("c2", "run", {}),) and turn.view[5].answers == "c2"
    assert noted([turn])[0][2:] == ("search", ["m4", "m5", "m7", "m8", "m9"])  # the end, whose description moved
    silent = smallest(told, levels=["reasoning", "search"])
    assert ids(silent)[3] == "cwl:silent-c2:m4" and silent.view[4].content == ""


def test_with_a_placeholder_the_call_stays() -> None:
    view = ids(smallest(EXPLORED, levels=["search"], placeholder="[gone]"))
    assert view[5:8] == ["m6", "cwl:out:m7", "m8"]


def test_an_output_that_is_no_longer_than_its_placeholder_stays() -> None:
    told = story([expl("a")], [run("short")], [run(LONG)], [end("a")], [run()], [HUGE])
    turn = smallest(told, levels=["output"], placeholder="[gone]")
    assert ids(turn)[4] == "m5" and ids(turn)[6] == "cwl:out:m7" and turn.view[7].content == "[gone]"


# ---------------------------------------------------------------- what stays


def test_of_an_exploration_its_description_stays_in_its_place() -> None:
    (learned,) = [m for m in smallest(EXPLORED).view if m.id == "cwl:learned:m10"]
    assert (learned.role, learned.sources) == ("user", ("m10", "m11"))
    assert learned.content == "[explored] the parser:\np is 1"


def test_once_something_was_stripped_the_description_stands_in_the_answer_and_only_there() -> None:
    turn = shown(cwl(), EXPLORED, whole(EXPLORED) - 1)[-1]
    call, answer = (next(m for m in turn.view if m.id == f"cwl:end:m{n}") for n in (10, 11))
    assert call.calls == (Call("c4", "delimiter_end", {}),) and call.content == ""
    assert answer.content == "end [expl] the parser\np is 1"


def test_without_descriptions_nothing_of_an_exploration_stays() -> None:
    turn = smallest(EXPLORED, descriptions=False)
    assert ids(turn) == ["m1", "m2", "m3", "m12", "m13", "m14", "m15"]
    assert noted([turn])[-2][2:] == ("episode", ["m4", "m5", "m10", "m11"])  # though levels before had named some


def test_of_an_act_nothing_stays() -> None:
    told = story([expl("a")], [end("a is 1")], [act("b", "a")], [run(LONG)], [end()], [run()], [HUGE])
    assert stages(told, levels=["output", "episode"])[:3] == [
        [f"m{n}" for n in range(1, 16)],
        ["m1", "m2", "m3", "m4", "m5", "m6", "m7", "cwl:calls:m8", "m10", "m11", "m12", "m13", "m14", "m15"],
        ["m1", "m2", "m3", "m4", "m5", "m12", "m13", "m14", "m15"],
    ]


def test_what_no_episode_covers_stays() -> None:
    told = story([run(LONG)], [expl("a")], [run("x")], [end("a is 1")], [run(LONG)], [run("y")], [HUGE])
    stay = ["m10", "m11", "m12", "m13", "m14", "m15"]
    assert ids(smallest(told)) == ["m1", "m2", "m3", "cwl:learned:m8", *stay]


def test_between_episodes_a_block_goes_like_an_exploration_after_the_acts() -> None:
    told = story(
        [run(LONG)], [expl("a")], [end("a is 1")], [run(LONG)],
        [act("b", "a")], [run(LONG)], [end()], [run("y")], [HUGE],
    )  # fmt: skip
    starts = {"0": "m2", "a": "m4", "1": "m8", "b": "m10", "2": "m16"}
    assert left(told, starts, outside="last") == ["0a1b2", "0a12", "012", "02", "0"]
    assert left(told, starts, outside="stay") == ["0a1b2", "0a12", "012"]


def test_the_open_episode_stays_and_a_budget_that_cannot_be_met_is_said() -> None:
    told = story([run("x")], [expl("a")], [run(LONG)], [run("y")], [run("z")])
    turns = shown(Cwl(overflow="error"), told, whole(told) // 2)
    assert ids(turns[-1]) == [f"m{n}" for n in range(1, 12)]
    assert noted(turns) == [(3, "unmet", "protected", [])]  # once, not each turn
    kinds = [kind for _, kind, _, _ in noted(shown(Cwl(), told, whole(told) // 2))]
    assert kinds[:2] == ["unmet", "overflow"]


def test_user_messages_in_an_episode_stay_unless_they_are_not_pinned() -> None:
    told = Story().say(expl("a")).say(run(LONG), then=["use tabs"]).say(end("a is 1")).say(run()).say(HUGE).script
    after = ["cwl:learned:m7", "m9", "m10", "m11", "m12"]
    assert ids(smallest(told)) == ["m1", "m6", *after]
    assert ids(smallest(told, pin_user=False)) == ["m1", *after]


def test_an_episode_with_the_newest_action_stays_until_there_is_a_newer_one() -> None:
    told = story([run("x")], [expl("a")], [run(LONG)], [end("a is 1")], [expl("b")], [run("y")])
    turns = shown(Cwl(overflow="error"), told, 250)
    assert [("m7" in ids(turn)) for turn in turns[3:]] == [True, True, True, False]
    assert tokens(turns[5]) > 250 >= tokens(turns[6])


# ---------------------------------------------------------------- which episode is next

# Explorations a (m2 to m7), b (m8 to m13); acts c on a (m14 to m19), d on b (m20 to m25)
WORKED = story(
    [expl("a")], [run(LONG)], [end("a is 1")],
    [expl("b")], [run(LONG)], [end("b is 2")],
    [act("c", "a")], [run(LONG)], [end()],
    [act("d", "b")], [run(LONG)], [end()],
    [run("next")], [HUGE],
)  # fmt: skip


def left(script: Script, starts: dict[str, str], **changed: Any) -> list[str]:
    """The episodes that are in view, stage by stage."""
    views = stages(script, levels=["episode"], **changed)
    return ["".join(name for name, start in starts.items() if start in view) for view in views]


def test_the_oldest_act_goes_first_then_the_next_then_explorations() -> None:
    assert left(WORKED, {"a": "m2", "b": "m8", "c": "m14", "d": "m20"}) == ["abcd", "abd", "ab", "b", ""]


def test_an_exploration_stays_while_an_act_that_builds_on_it_is_open() -> None:
    told = story(
        [expl("a")], [run(LONG)], [end("a is 1")], [expl("b")], [run(LONG)], [end("b is 2")],
        [act("c", "a")], [run("x")], [HUGE],
    )  # fmt: skip
    assert left(told, {"a": "m2", "b": "m8", "c": "m14"}) == ["abc", "ac"]


def test_by_age_the_oldest_goes_that_nothing_in_view_builds_on() -> None:
    told = story(
        [expl("a")], [run(LONG)], [end("a is 1")], [expl("b")], [run(LONG)], [end("b is 2")],
        [act("c", "b")], [run(LONG)], [end()], [run("x")], [HUGE],
    )  # fmt: skip
    starts = {"a": "m2", "b": "m8", "c": "m14"}
    assert left(told, starts) == ["abc", "ab", "b", ""]
    assert left(told, starts, order="age") == ["abc", "bc", "b", ""]


def test_stripping_goes_on_where_it_stopped() -> None:
    for budget in range(whole(WORKED), whole(WORKED) // 4, -60):
        turns = shown(Cwl(), WORKED, budget)
        made = {m.id: m for turn in turns for m in turn.view if m.sources}
        assert all(made[m.id] == m for turn in turns for m in turn.view if m.sources)
        assert all(set(ids(new)) >= {i for i in ids(old) if i in ids(turns[-1])} for old, new in pairwise(turns))


# ---------------------------------------------------------------- trigger and room


def test_a_trigger_is_a_share_of_the_budget_or_tokens() -> None:
    full = whole(WORKED)
    for trigger in (0.6, int(0.6 * full)):
        turns = shown(Cwl(trigger=trigger), WORKED, full)
        assert tokens(turns[-1]) <= 0.6 * full < tokens(shown(Cwl(), WORKED, full)[-1])
    assert noted(shown(Cwl(trigger=10 * full), WORKED, full)) == []


def test_low_water_evicts_further_and_less_often() -> None:
    told = story(*(turn for n in range(12) for turn in ([expl(f"e{n}")], [run(LONG)], [end("x")])), [run()], [run()])
    budget = whole(told) // 2

    def count(low_water: float) -> int:
        return len({number for number, *_ in noted(shown(Cwl(low_water=low_water), told, budget))})

    assert count(0.6) < count(1.0) / 1.5


def test_the_last_resort_keeps_the_newest_blocks_and_the_start_of_the_open_episode() -> None:
    told = story([run("x")], [expl("a")], *[[run("word " * 20)] for _ in range(12)])
    budget = whole(told) // 2
    turns = shown(Cwl(), told, budget)
    assert all(tokens(turn) <= budget for turn in turns)
    view = ids(turns[-1])
    assert view[:3] == ["m1", "m4", "m5"] and view[-1] == "m29" and "m6" not in view
    assert {(kind, trigger) for _, kind, trigger, _ in noted(turns)} == {("unmet", "protected"), ("overflow", "budget")}


def test_one_huge_answer_is_dropped_alone() -> None:
    told = story([run("x")], [run("y" * 3000)], [run("z")])
    turns = shown(Cwl(), told, 500)
    assert ids(turns[-1]) == ["m1", "m2", "m3", "m6", "m7"]
    assert (2, "overflow", "oversize", ["m4", "m5"]) in noted(turns)


# ---------------------------------------------------------------- the tool


def replies(*turns: Sequence[Made], form: str = "two") -> list[str]:
    """What a strategy answers to the last of these turns, after those before."""
    told = Story()
    for turn in turns[:-1]:
        told.say(*turn)
    strategy = Cwl(delimiter=form)  # type: ignore[arg-type]
    strategy.reset(kit(), Brief("You are an agent.", "task", ()))
    strategy.compose(told.script.grown(len(turns) - 1), 10_000)
    return [strategy.answer(Call(f"x{n}", name, arguments)).content for n, (name, arguments) in enumerate(turns[-1])]


def test_answers_say_what_was_begun_and_ended() -> None:
    assert replies([expl("a"), end("known"), act("b", "a", "a"), end()]) == [
        "start [expl] a", "end [expl] a", "start [act] b on a", "end [act] b"
    ]  # fmt: skip


A = [[expl("a")], [end("a is 1")]]


@pytest.mark.parametrize(
    ("turns", "error"),
    [
        ([[end("x")]], "no episode is open, so none was ended"),
        ([[expl("a")], [expl("b")]], "the episode 'a' is open: end it first"),
        ([[expl("a")], [end()]], "the expl 'a' needs a description at its end. It is still open"),
        ([*A, [expl("a")]], "there was an episode 'a' before: give another name"),
        ([[expl(" ")]], "an episode needs a name"),
        ([[act("b")]], "an act names at least one earlier expl among its dependencies"),
        ([[act("b", "a")]], "the dependency 'a' is no earlier expl"),
        ([*A, [act("b", "a")], [end()], [act("c", "b")]], "the dependency 'b' is no earlier expl"),
        ([*A, [act("b", "a")], [end("x")]], "the act 'b' takes no description at its end. It is still open"),
        ([[("delimiter_start", {"name": "a", "type": "look"})]], "type 'look' is neither expl nor act"),
        ([[("delimiter", {"action": "stop"})]], "action 'stop' is neither start nor end"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_answered_with_an_error(turns: Sequence[Sequence[Made]], error: str) -> None:
    assert replies(*turns) == [f"error: {error}."]


def test_what_was_given_beyond_need_is_not_looked_at() -> None:
    start = ("delimiter", {"action": "start", "name": "b", "type": "expl", "dependencies": ["a", "none"]})
    ends = ("delimiter", {"action": "end", "name": "other", "type": "act", "description": "x"})
    assert replies(*A, [start, ends]) == ["start [expl] b", "end [expl] b"]


def test_an_error_changes_nothing() -> None:
    assert replies([expl("a")], [expl("b"), end("a known"), expl("b")])[2] == "start [expl] b"
    refused = story([expl("a")], [run(LONG)], [end()], [run()], [HUGE])  # it stays open
    assert len(stages(refused)) == 1


def test_the_paper_s_single_tool_does_the_same() -> None:
    assert [tool.name for tool in Cwl(delimiter="one").tools] == ["delimiter"]
    assert [(tool.name, tool.purpose) for tool in Cwl().tools] == [
        ("delimiter_start", "open"),
        ("delimiter_end", "close"),
    ]
    start = {"action": "start", "name": "a", "type": "expl"}
    one = [("delimiter", start), ("delimiter", {"action": "end", "description": "a is 1"})]
    assert replies(one, form="one") == ["start [expl] a", "end [expl] a"]
    told = story([one[0]], [run(LONG)], [one[1]], [run()], [HUGE])
    assert ids(smallest(told, delimiter="one")) == ["m1", "cwl:learned:m6", "m8", "m9", "m10", "m11"]
    kept = shown(Cwl(delimiter="one"), told, whole(told) - 1)[-1].view[6]
    assert kept.id == "cwl:end:m6" and kept.calls[0].arguments == {"action": "end"}


def test_a_reply_may_end_one_episode_and_start_the_next() -> None:
    both = [end("a is 1"), expl("b")]
    told = story([expl("a")], [run(LONG)], both, [run("y")], [run(LONG)], [end("b is 2")], [run()], [HUGE])
    _, first, second = stages(told, levels=["episode"])
    assert first[:4] == ["m1", "m6", "m7", "m8"]  # the block belongs to b, and a's description stands in its call
    assert second[:3] == ["m1", "cwl:learned:m6", "cwl:learned:m13"]
    learned = [m.content for m in smallest(told).view if m.id.startswith("cwl:learned")]
    assert learned == ["[explored] a:\na is 1", "[explored] b:\nb is 2"]


@pytest.mark.parametrize(
    "changed",
    [
        {"trigger": 0},
        {"low_water": 0},
        {"order": "size"},
        {"levels": ["all"]},
        {"delimiter": "three"},
        {"outside": "go"},
        {"placeholder": " "},
        {"placeholder": ["output evicted"]},
    ],
)
def test_settings_out_of_range_are_refused(changed: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=next(iter(changed))):
        Cwl(**changed).reset(kit(), Brief("s", "t", ()))


# ---------------------------------------------------------------- laws

SETTINGS: list[dict[str, Any]] = [
    {},
    {"order": "age", "low_water": 0.5},
    {"pin_user": False, "trigger": 0.6},
    {"levels": ["episode"]},
    {"levels": ["reasoning", "output"], "low_water": 0.8, "placeholder": "[output evicted]"},
    {"descriptions": False, "outside": "stay"},
    {"overflow": "error", "trigger": 200},
]


@settings(max_examples=25, deadline=None, derandomize=True, phases=(Phase.generate, Phase.shrink))
@given(script=stories(), share=st.floats(0.05, 1.1), pick=st.integers(0, len(SETTINGS) - 1))
def test_the_laws_hold_for_histories_with_episodes(script: Script, share: float, pick: int) -> None:
    budget = int(share * whole(script))
    for law in laws.ALL:
        law(lambda: Cwl(**SETTINGS[pick]), script, budget)
