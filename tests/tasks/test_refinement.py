"""Rounds of edit and test: what holds now, what is stale, and the dial from refining to exploring."""

from statistics import mean

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.contract import Call, Message
from tasks.refinement import FAMILY, refinement
from tests.tasks.oracle import play


def plan_of(number=0, **dials):
    task = refinement(**dials)
    return task.open(task.instances()[number], 0).plan


def refines(need, facts):
    return all(facts[fact].kind == "running" for fact in need.facts)


@settings(max_examples=20, deadline=None)
@given(st.floats(0, 1), st.floats(0, 1), st.integers(1, 3), st.integers(0, 19))
def test_a_refining_goal_asks_for_the_newest_of_all_versions_of_its_own_file(churn, exploring, running, number):
    plan = plan_of(number, churn=churn, exploring=exploring, running=running)
    facts = {fact.id: fact for fact in plan.schedule.facts}
    versions = {}
    for step, rows in enumerate(plan.told):
        for row in rows:
            if row.kind == "running":
                versions.setdefault(f"{row.owner}/{row.field}", []).append((step, row.value))
    for need in (n for n in plan.needs.values() if refines(n, facts)):
        assert need.op == ("value" if len(need.keys) == 1 else "join")
        for key, part, stale in zip(need.keys, need.parts, need.stale, strict=True):
            assert key.startswith(f"{plan.targets[need.step]}/")
            past = [value for step, value in versions[key] if step < need.step]
            assert part == past[-1] and stale == set(past[:-1])


def test_every_subtask_has_a_file_of_its_own_and_more_than_ten_rounds():
    plan = plan_of()
    files = [plan.targets[step] for step in range(1, 81)]
    assert len(set(files)) == 5 and all(files.count(name) == 16 for name in files)
    world = play(refinement()).world
    assert [world.pages.phase(step)[0] for step in range(1, 5)] == ["edit", "run_tests"] * 2


def test_any_former_value_is_judged_stale():
    task = refinement(exploring=0.0)
    world = task.open(task.instances()[0], 0)
    world.reset()
    oldest = 0
    for step in range(1, 81):
        need, (tool, argument) = world.plan.needs.get(step), world.pages.phase(step)
        given = "unknown"
        if need is not None and need.op == "value" and need.stale[0]:
            given = min(need.stale[0])
        arguments = {"file": world.plan.targets[step], argument: given}
        events = world.step(Message("", "assistant", "", (Call("c", tool, arguments),))).events
        if given != "unknown":
            assert set(events[0].detail["used"].values()) == {"stale"}
            oldest = max(oldest, len(need.stale[0]))
    assert oldest > 3


def test_the_dial_leads_from_short_distances_to_long_ones():
    means, shares = [], []
    for exploring in (0.0, 0.35, 0.7, 1.0):
        distances, kinds = [], []
        for number in range(6):
            plan = plan_of(number, exploring=exploring)
            facts = {fact.id: fact for fact in plan.schedule.facts}
            kinds += [not refines(need, facts) for need in plan.needs.values()]
            distances += [need.step - facts[f].stated for need in plan.needs.values() for f in need.facts]
        means.append(mean(distances))
        shares.append(mean(kinds))
    assert means == sorted(means) and means[0] < 4 and means[-1] > 12
    assert shares[0] == 0 and shares[-1] == 1
    assert shares[1] == pytest.approx(0.35, abs=0.08) and shares[2] == pytest.approx(0.7, abs=0.08)


def test_more_running_values_than_there_are_words_for_are_refused():
    assert len(FAMILY.lexicon.running) == 12
    with pytest.raises(ValueError, match="running=4"):
        refinement(running=4)
    assert play(refinement(running=6, lookalikes=1)).world.score() == {"success": 1.0}
