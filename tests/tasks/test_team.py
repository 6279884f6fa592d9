"""Several agents: who hears what, what is handed over, and what is measured of each."""

from collections import Counter
from dataclasses import dataclass, replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness import ceilings
from harness.contract import Call, Claim, Message, Reply
from tasks.board import Board
from tasks.plan import subtask
from tasks.strands import draw_strands
from tasks.team import team
from tests.tasks.episodes import build, measured, played
from tests.tasks.oracle import play


@given(st.integers(1, 60), st.integers(1, 12), st.integers(1, 5), st.randoms(use_true_random=False))
def test_strands_take_turns_and_share_out_all_steps(horizon, subtasks, strands, rng):
    subtasks = min(subtasks, horizon)
    made = draw_strands([subtask(step, horizon, subtasks) for step in range(horizon + 1)], strands, rng)
    assert sorted(step for steps in made.steps for step in steps) == list(range(1, horizon + 1))
    visits = Counter(made.parts[1:])
    assert max(visits.values()) - min(visits[b] for b in range(strands)) <= 1
    for before, after in zip(made.parts[1:], made.parts[2:], strict=False):
        assert strands == 1 or before != after
    for step in range(1, horizon + 1):
        assert made.steps[made.of[step]][made.clock[step] - 1] == step
        assert made.begin(step) <= step <= made.end(step)
        assert {made.of[s] for s in range(made.begin(step), made.end(step) + 1)} == {made.of[step]}
        assert made.returns(step) == (made.begin(step) == step and made.clock[step] > 1)


def test_with_everything_in_view_all_goals_are_met_and_each_agent_holds_all_that_it_was_told(tmp_path):
    built = build("task=team", "strategy=full")
    for number in range(3):
        record, found = measured(tmp_path, built, number)
        assert record.score == {"success": 1.0}
        agents = [segment.agent for segment in record.segments]
        assert len(agents) == 3 and set(agents) <= {"ada", "bruno", "chen", "dora"}
        for segment in record.segments:
            assert segment.messages[1].content.startswith(f"You are {segment.agent}. ")
        assert all(row["met"] for row in found.needs) and len(found.needs) > 100
        assert [row["retention"] for row in found.checkpoints] == [1.0] * 4
        assert [row["success"] for row in found.checkpoints] == [1.0] * 4
        assert {row["left"] for row in found.turns} == {0}
        assert found.outcome["arm_class"] == "keep-only" and found.outcome["fired_turns"] == 0


def test_a_fact_is_live_for_those_who_were_told_it_or_got_it_handed_over(tmp_path):
    built = build("task=team", "strategy=full")
    record, found = measured(tmp_path, built)
    facts = {fact.id: fact for fact in record.schedule.facts}
    needed = {fact for goal in record.schedule.goals for fact in goal.facts}
    for k in built.checkpoints:
        turn = next(t for t in record.turns if t.step <= k < t.step + t.acted)
        history = record.segments[turn.segment].messages[: turn.length]
        heard = {
            (claim.key, claim.value)
            for message in history
            if message.role in ("user", "tool")
            for claim in built.task.grammar.claims(message.content)
        }
        live = {i for i in needed if facts[i].stated < k and (facts[i].superseded is None or facts[i].superseded >= k)}
        expected = {i for i in live if (facts[i].key, facts[i].value) in heard}
        assert {row["fact"] for row in found.facts if row["checkpoint"] == k} == expected
        assert 0 < len(expected) < len(live)


def test_a_view_is_compared_with_the_last_one_of_the_same_agent(tmp_path):
    record, found = measured(tmp_path, build("task=team", "strategy=full"))
    before: dict[int, int] = {}
    returns = 0
    for turn, row in zip(record.turns, found.turns, strict=True):
        assert row["cached_ideal"] == before.get(turn.segment, 0)
        returns += turn.n > 1 and turn.segment != record.turns[turn.n - 2].segment and turn.segment in before
        before[turn.segment] = turn.tokens + turn.overhead
    assert returns == 9


@pytest.mark.parametrize("strategy", ["window", "mask", "regex", "head_tail", "trim"])
def test_strategies_that_evict_and_write_are_measured_across_agents(tmp_path, strategy):
    record, found = measured(tmp_path, build("task=team", f"strategy={strategy}", "budget=4000", "task.horizon=80"))
    assert {turn.segment for turn in record.turns} == {0, 1, 2}
    for turn in record.turns:
        assert turn.tokens + turn.overhead <= 4000
    assert 0 < found.outcome["hit_ratio"] < 1
    causes = {row["lost_by"] for row in found.needs if not row["met"]}
    assert causes - {"never shown"} and all(c in ("never shown", "dropped") or ":" in c for c in causes)
    for row in found.needs:
        assert row["lost_turn"] is None or row["lost_turn"] <= row["turn"]


def test_an_unbroken_and_a_resumed_episode_give_the_same_bytes(tmp_path):
    built = build("task=team", "strategy=window", "budget=4000", "task.horizon=30", "checkpoints=[20]")
    whole = played(tmp_path / "whole", built).read_bytes()
    lines = whole.splitlines(keepends=True)
    part = tmp_path / "part" / "episodes" / "0.jsonl.part"
    part.parent.mkdir(parents=True)
    part.write_bytes(b"".join(lines[: len(lines) // 2]))
    assert played(tmp_path / "part", built).read_bytes() == whole


@dataclass(frozen=True)
class Silent:
    """A reader that reports `record` whatever it knows."""

    source: Any
    record: str

    def open(self, task, environment, seed):
        return SilentReader(self.source.open(task, environment, seed), self.record)


@dataclass(frozen=True)
class SilentReader:
    reader: Any
    record: str

    def complete(self, request):
        message = self.reader.complete(request).message
        calls = tuple(
            replace(c, arguments={**c.arguments, "record": self.record}) if c.name == "report" else c
            for c in message.calls
        )
        return Reply(replace(message, calls=calls))


def test_what_is_not_reported_is_never_shown_to_the_others(tmp_path):
    built = build("task=team", "strategy=full")
    built = replace(built, model=Silent(built.model, "unknown"))
    record, found = measured(tmp_path, built)
    assert not any(event.kind in ("merged", "conflict") for turn in record.turns for event in turn.events)
    unmet = [row for row in found.needs if not row["met"]]
    assert {row["lost_by"] for row in unmet} == {"never shown"}
    plan = built.task.open(built.instances[0], built.episode_seed(built.instances[0])).plan
    stated = {fact.id: fact.stated for fact in plan.schedule.facts}
    across = [
        (need.step, fact)
        for need in plan.needs.values()
        for fact in need.facts
        if plan.strands.heard(stated[fact]) != plan.strands.of[need.step]
    ]
    assert {(row["step"], row["fact"]) for row in unmet} <= set(across) and len(across) > 8
    # a file can be read again by anybody, and a key that somebody revised was told to two
    assert len(unmet) > len(across) / 2
    assert [row["retention"] for row in found.checkpoints] == [1.0] * 4, "what was never told is not lost"


def test_what_others_are_told_is_what_was_submitted(tmp_path):
    """Right or wrong: the board does not judge."""
    task = team()
    run = play(task, spoil=lambda step, answer: _forged(answer) if step in reports(task) else answer)
    merged = [event.detail for event in run.events if event.kind == "merged"]
    assert len(merged) == len(reports(task)) == 11
    first = merged[0]
    entries = [Claim(key, "zz-0000") for key in first["keys"]]
    following = task.grammar.claims(run.answers[first["step"]][-1].content)
    assert following[: len(entries)] == entries
    assert not any(run.goals()[step].detail["met"] for step in reports(task))


def _forged(answer):
    joint = next(sign for sign in "+~|:" if sign in answer)
    return joint.join("zz-0000" for _ in answer.split(joint))


def reports(task):
    return task.open(task.instances()[0], 0).plan.reports


def test_of_two_agents_that_write_on_one_key_the_newest_wins_and_the_conflict_is_recorded():
    board = Board()
    assert [e.kind for e in board.merge("ada", 5, {"a_1/x": "v1", "b_1/x": "v2"})] == ["merged"]
    assert [e.kind for e in board.merge("ada", 9, {"a_1/x": "v3"})] == ["merged"], "one's own write may change"
    assert [e.kind for e in board.merge("bruno", 12, {"b_1/x": "v2"})] == ["merged"], "two agents agree"
    _, conflict = board.merge("bruno", 20, {"a_1/x": "v4"})
    assert conflict.kind == "conflict"
    assert conflict.detail == {
        "step": 20, "key": "a_1/x", "agents": ["ada", "bruno"], "kept": "v4", "dropped": "v3",
    }  # fmt: skip
    assert [(e.key, e.value) for e in board.news("ada", 9)] == [("a_1/x", "v4")]
    assert [(e.key, e.value) for e in board.news("chen", 0)] == [("b_1/x", "v2"), ("a_1/x", "v4")]
    assert board.news("bruno", 5) == []


def test_conflicts_are_planned_and_what_holds_afterwards_is_the_newest_value():
    conflicts = 0
    for number in range(20):
        run = play(team(), number)
        facts = {(fact.key, fact.value): fact for fact in run.world.plan.schedule.facts}
        for detail in (event.detail for event in run.events if event.kind == "conflict"):
            kept, dropped = (facts[detail["key"], detail[which]] for which in ("kept", "dropped"))
            assert dropped.superseded is not None and dropped.superseded <= kept.stated < detail["step"]
            conflicts += 1
    assert conflicts > 40


def test_needs_of_an_agent_were_told_to_it_or_reported_before_its_shift():
    across = 0
    for instance in team().instances():
        plan = team().open(instance, 0).plan
        facts = {fact.id: fact for fact in plan.schedule.facts}
        strands = plan.strands
        for need in plan.needs.values():
            me = strands.of[need.step]
            for fact in map(facts.__getitem__, need.facts):
                if strands.heard(fact.stated) == me:
                    continue
                reported = [step for step in plan.reports if fact.id in plan.needs[step].facts]
                assert any(step < strands.begin(need.step) and strands.of[step] != me for step in reported)
                across += 1
    assert across / 20 > 10


def test_news_for_an_absent_agent_waits_until_it_acts():
    """Calls that go on past the end of a shift are steps like any other; nobody hears what is for somebody else."""
    task = team(user_share=1.0)
    world, single = (task.open(task.instances()[0], 0) for _ in range(2))
    world.reset(), single.reset()
    strands = world.plan.strands
    until = strands.end(strands.end(1) + 1)  # two shifts in one reply
    calls = tuple(Call(f"c{step}", "proceed", {}) for step in range(1, until + 1))
    turn = world.step(Message("", "assistant", "", calls))
    claims = Counter(c for m in turn.messages if m.role == "tool" for c in task.grammar.claims(m.content))
    told = world.plan.told
    own = [t for step in range(1, until + 1) if strands.heard(step) == strands.of[1] for t in told[step]]
    if strands.of[until + 1] == strands.of[1]:
        claims += Counter(task.grammar.claims(turn.messages[-1].content))
    assert claims == Counter(Claim(f"{t.owner}/{t.field}", t.value, t.former) for t in own)
    # the agent whose shift was played by another finds its news when it comes
    skipped = strands.of[until]
    while world.shifts.agents.index(world.shifts.acting) != skipped:
        turn = world.step(Message("", "assistant", "", (Call("c", "proceed", {}),)))
    waited = [t for step in range(until) if strands.heard(step) == skipped for t in told[step]]
    found = Counter(task.grammar.claims(turn.messages[-1].content))
    assert not Counter(Claim(f"{t.owner}/{t.field}", t.value, t.former) for t in waited) - found


def test_bounds_of_several_histories_add_up(tmp_path):
    built = build("task=team", "strategy=full", "checkpoints=[40,80]")
    record, _ = measured(tmp_path, built)
    needs = sum(len(goal.facts) for goal in record.schedule.goals)
    for budget, whole in ((20_000, True), (2_500, False)):
        half, end = ceilings._instance(record, ceilings._traces(record, built.task, budget), [40, 80])
        assert end["n"] == needs > half["n"] > 0
        assert (end["keep"] == end["any"] == 1.0) == whole
        assert end["keep"] <= end["any"] and end["keep_goals"] <= end["any_goals"]


def test_more_agents_than_there_are_names_for_are_refused():
    with pytest.raises(ValueError, match="strands=9"):
        team(strands=9)
    assert play(team(strands=4)).world.score() == play(team(strands=1)).world.score() == {"success": 1.0}
