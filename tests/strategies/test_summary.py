"""The blocking summary over whole histories: what is covered, when, at what cost; each mechanism on and off."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from harness.contract import Brief, Message, Reply, Request
from strategies.compaction.triggers import When
from strategies.summary import Summary
from tests.conformance.scripts import Script, acts, rounds, scripts, user
from tests.strategies.compactors import Run, Spy, instruction_of, kit, run, said, text_of

LONG = Script("reach the gate", ((), *rounds(40, 30)))
BUDGET = 4000  # about eleven of its rounds


def played(
    ask: Callable[[Request], Reply] | None = None, script: Script = LONG, budget: int = BUDGET, **own: Any
) -> Run:
    return run(Summary(**own), script, budget, ask or Spy())


def raw(view: tuple[Message, ...]) -> list[str]:
    return [message.id for message in view[2:] if not message.sources]


# ---------------------------------------------------------------- nothing is lost


@settings(max_examples=60, deadline=None, derandomize=True, phases=(Phase.generate,))
@given(scripts(), st.integers(0, 1200), st.sampled_from(({}, {"trigger": "steps", "steps": 2, "keep_turns": 1})))
def test_each_message_is_pinned_raw_covered_once_or_named_as_overflow(script: Script, room: int, own: Any) -> None:
    budget = 400 + room
    strategy, lent, history = Summary(summary_share=0.4, **own), kit(Spy()), script.start()
    strategy.reset(lent, script.brief)
    out: set[str] = set()
    for turn in range(len(script.turns)):
        script.append(history, turn)
        view = strategy.compose(history, budget)
        for event in lent.drain():
            if event.kind in ("overflow", "evict"):
                out.update(event.detail["sources"])
        seen = [name for message in view for name in message.sources or (message.id,)]
        assert len(seen) == len(set(seen)), "a message stands twice"
        assert {message.id for message in history if message.role != "system"} <= {*seen, *out}


def test_the_summary_stands_after_the_task_and_names_what_it_covers() -> None:
    view = played().views[-1]
    assert [message.role for message in view[:4]] == ["system", "user", "user", "assistant"]
    summary = view[2]
    assert summary.sources == tuple(f"m{n}" for n in range(2, 2 + len(summary.sources)))
    assert raw((*view[:2], *view[3:]))[0] == f"m{2 + len(summary.sources)}"


def test_the_former_summary_is_in_the_input_of_the_next_one() -> None:
    spy = Spy()
    done = played(spy, levels=["session"], identifiers=False)
    answers = [Spy()(request).message.content for request in spy.requests]
    for former, request in zip(answers, spy.requests[1:], strict=False):
        assert all(line in text_of(request) for line in former.splitlines())
    assert len(done.kinds("compact")) >= 3


# ---------------------------------------------------------------- when


def test_length_fires_at_its_share_and_comes_down_to_low_water() -> None:
    done = played(trigger="length", share=0.8, low_water=0.4)
    sizes = [sum(len(m.content) + 4 + 40 * len(m.calls) for m in view) for view in done.views]
    assert max(sizes) <= 0.95 * BUDGET
    assert set(done.kinds("compact")) == {"length"}
    early = played(trigger="length", share=0.4, low_water=0.3)
    assert len(early.kinds("compact")) > len(done.kinds("compact"))


def test_low_water_decides_how_often() -> None:
    often, seldom = (len(played(trigger="length", low_water=low).kinds("compact")) for low in (0.8, 0.4))
    assert often >= 2 * seldom


def test_steps_fire_every_n_turns_and_leave_the_last_m_raw() -> None:
    done = played(trigger="steps", steps=21, keep_turns=10, budget=100_000)
    assert done.kinds("compact") == ["steps"]  # at 31 raw turns; the next time at 52
    covered = [len(view[2].sources) // 2 if len(view) > 2 and view[2].sources else 0 for view in done.views]
    assert covered[:31] == [0] * 31
    assert covered[31:] == [21] * 10


def test_decay_fires_when_the_old_third_is_not_referred_to() -> None:
    def script(about: Callable[[int], int]) -> Script:
        turns = [acts(f"look at value_{about(n):03d}", f"value_{n:03d} word", first=n) for n in range(30)]
        named = [
            (
                Message(
                    "", "assistant", a.content, tuple(type(c)(c.id, c.name, {"of": a.content[8:]}) for c in a.calls)
                ),
                *r,
            )
            for a, *r in turns
        ]
        return Script("task", ((), *named))

    newest, oldest = script(lambda n: max(0, n - 1)), script(lambda n: n % 3)
    assert set(played(script=newest, budget=100_000, trigger="decay", keep_turns=1).kinds("compact")) == {"decay"}
    assert played(script=oldest, budget=100_000, trigger="decay", keep_turns=1).kinds("compact") == []
    assert played(script=newest, budget=100_000, trigger="mixed", keep_turns=1).kinds("compact") == []


def test_mixed_is_length_first_and_steps_at_the_latest() -> None:
    assert set(played(trigger="mixed", steps=30).kinds("compact")) == {"length"}
    assert set(played(trigger="mixed", steps=5, budget=100_000).kinds("compact")) == {"steps"}


def test_a_view_over_the_budget_is_summarised_whatever_the_trigger() -> None:
    done = played(trigger="steps", steps=100)
    assert set(done.kinds("compact")) == {"budget"}
    assert done.kinds("overflow") == []


# ---------------------------------------------------------------- what stays


@pytest.mark.parametrize("keep", [1, 3])
def test_the_newest_turns_stay_raw(keep: int) -> None:
    script = Script("task", ((), *rounds(60, 6)))
    for view in played(script=script, budget=1500, keep_turns=keep, low_water=0.05).views[keep:]:
        assert sum(message.role == "assistant" for message in view) >= keep


def test_user_messages_stay_raw_where_they_are_pinned() -> None:
    script = Script("task", ((user("never delete db_7"),), *rounds(40, 30)))
    assert "never delete db_7" in [m.content for m in played(script=script, pin_user=True).views[-1]]
    assert "never delete db_7" not in [m.content for m in played(script=script).views[-1]]


def test_identifiers_are_listed_beside_the_summary() -> None:
    def words(request: Request) -> Reply:  # keeps no identifier
        return said("some values were read")

    assert "value_0" in played(words).summary.content.partition("identifiers: ")[2]
    assert "identifiers: " not in played(words, identifiers=False).summary.content
    short, long = (len(played(words, identifier_share=share).summary.content) for share in (0.1, 0.5))
    assert short < long <= 0.5 * 0.2 * BUDGET + 200


def test_the_summary_keeps_to_its_share() -> None:
    for share in (0.1, 0.3):
        done = played(summary_share=share)
        assert 0.4 * share * BUDGET <= len(done.summary.content) <= share * BUDGET


# ---------------------------------------------------------------- levels


def test_deep_asks_at_every_level_and_shallow_at_the_first_one() -> None:
    asked = {}
    for depth in ("deep", "shallow"):
        spy = Spy()
        played(spy, Script("reach the gate", ((), *rounds(90, 30))), depth=depth, summary_share=0.1)
        signs = ("one plain sentence", "one paragraph", "done, blocked, next")
        asked[depth] = [any(sign in instruction_of(request) for request in spy.requests) for sign in signs]
    assert asked == {"deep": [True] * 3, "shallow": [True, False, False]}


def test_subtasks_are_paragraphs_of_their_own() -> None:
    named = [(*acts(f"look {n}", f"value_{n} {'word ' * 30}part {1 + n // 5}/8", first=n),) for n in range(40)]
    script = Script("task", ((), *named))

    def paragraphs(**own: Any) -> int:
        spy = Spy()
        played(spy, script, **own)
        return sum("one paragraph" in instruction_of(request) for request in spy.requests)

    assert paragraphs() > paragraphs(border=None, session_turns=100)


def test_batches_are_the_turns_of_a_request() -> None:
    spies = {batch: Spy() for batch in (1, None)}
    for batch, spy in spies.items():
        played(spy, batch=batch, border=None, session_turns=100)
    assert len(spies[1].requests) > len(spies[None].requests)


# ---------------------------------------------------------------- when it goes wrong


def test_an_echo_is_refused_and_calls_stay_bounded() -> None:
    for echo in (lambda request: said(text_of(request)), lambda request: said(text_of(request) * 2)):
        spy = Spy(echo)
        script = Script("p" * 700, ((), *rounds(20, 4)))
        done = played(spy, script, 1000, share=0.65, summary_share=0.15)
        assert len(spy.requests) <= 2 * len(script.turns) * 3
        assert set(done.kinds("fallback")) <= {"too long", "not shorter"}
        assert done.kinds("infeasible")
        assert all(sum(len(m.content) + 4 for m in view) <= 1000 for view in done.views)


def test_a_trigger_that_cannot_be_met_is_named_once_and_waits_for_the_budget() -> None:
    spy = Spy()
    script = Script("p" * 3000, ((), *rounds(40, 30)))
    done = played(spy, script, trigger="length", share=0.5)
    assert done.kinds("infeasible") == ["over the trigger"]
    assert 0 < len(done.kinds("compact")) < 40
    assert len(spy.requests) < 150


def test_without_room_for_a_summary_the_window_takes_over() -> None:
    spy = Spy()
    done = played(spy, budget=450)
    assert (spy.requests, done.kinds("infeasible")) == ([], ["room"])
    assert "budget" in done.kinds("overflow")
    assert played(spy, budget=450, overflow="error").kinds("overflow") == []


def test_a_broken_compactor_leaves_lines_and_says_so() -> None:
    done = played(lambda request: said(""))
    assert set(done.kinds("fallback")) == {"empty"}
    assert "value_" in done.summary.content


@pytest.mark.parametrize("window", [900, 1500])
def test_no_request_is_over_the_compactors_window(window: int) -> None:
    spy = Spy()
    done = played(spy, compactor_window=window)
    assert spy.requests
    for request in spy.requests:
        assert sum(len(message.content) for message in request.view) + request.max_output <= window
    assert "over the window" not in done.kinds("fallback")


# ---------------------------------------------------------------- state


def test_a_saved_state_asks_nothing_again() -> None:
    strategy, history = Summary(), LONG.start()
    strategy.reset(kit(Spy()), LONG.brief)
    for turn in range(len(LONG.turns)):
        LONG.append(history, turn)
        view = strategy.compose(history, BUDGET)
    spy, fresh = Spy(), Summary()
    fresh.reset(kit(spy), LONG.brief, strategy.export())
    assert list(fresh.compose(history, BUDGET)) == list(view)
    assert spy.requests == []
    assert json.loads(fresh.export()) == json.loads(strategy.export())


def test_the_state_of_another_session_is_left_alone() -> None:
    strategy = Summary()
    strategy.reset(kit(Spy()), LONG.brief)
    strategy.compose(LONG.grown(len(LONG.turns) - 1), BUDGET)
    later = Summary()
    later.reset(kit(Spy()), Brief("You are an agent.", "next", (), session=1), strategy.export())
    assert len(later.compose(Script("next", ((),)).grown(0), BUDGET)) == 2


@pytest.mark.parametrize(
    ("setting", "named"),
    [
        ({"trigger": "often"}, "trigger='often'"),
        ({"share": 0}, "share=0"),
        ({"steps": 0}, "steps=0"),
        ({"keep_turns": 0}, "keep_turns=0"),
        ({"levels": ["global", "fragment"]}, "levels="),
        ({"levels": []}, "levels="),
        ({"depth": "flat"}, "depth='flat'"),
        ({"summary_share": 2}, "summary_share=2"),
        ({"identifier_share": -1}, "identifier_share=-1"),
        ({"batch": 0}, "batch=0"),
        ({"session_turns": 0}, "session_turns=0"),
        ({"retries": -1}, "retries=-1"),
        ({"compactor_window": 0}, "compactor_window=0"),
    ],
)
def test_settings_out_of_range_are_named(setting: dict[str, Any], named: str) -> None:
    with pytest.raises(ValueError, match=named):
        Summary(**setting).reset(kit(Spy()), LONG.brief)


def test_nothing_is_due_before_there_are_old_turns() -> None:
    when = When("mixed", 0.8, 50, 0.5, 3)
    assert when.due([], 3, 10_000, 0, 100) == ("", 0)
