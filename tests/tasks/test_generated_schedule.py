"""What is told and asked: drawn before the run, consistent, even, and alike for needed and unneeded."""

from collections import Counter
from statistics import mean, median

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tasks.dials import Dials
from tasks.schedule import draw
from tests.tasks.oracle import FAMILIES, dials


def lexicon(family):
    return FAMILIES[family]().family.lexicon


@settings(max_examples=60, deadline=None)
@given(dials(), st.integers(0, 2**40), st.sampled_from(sorted(FAMILIES)))
def test_every_need_was_told_and_holds_when_it_is_asked(dials, seed, family):
    plan = draw(lexicon(family), dials, seed)
    facts = {fact.id: fact for fact in plan.schedule.facts}
    assert len(facts) == len(plan.schedule.facts)
    told = {(step, f"{t.owner}/{t.field}", t.value) for step, rows in enumerate(plan.told) for t in rows}
    assert {(f.stated, f.key, f.value) for f in facts.values()} <= told
    for goal in plan.schedule.goals:
        assert goal.facts and len(set(goal.facts)) == len(goal.facts)
        for fact in map(facts.__getitem__, goal.facts):
            assert fact.stated < goal.step <= dials.horizon
            assert fact.superseded is None or fact.superseded >= goal.step


@settings(max_examples=40, deadline=None)
@given(dials(), st.integers(0, 2**40), st.sampled_from(sorted(FAMILIES)))
def test_a_key_has_at_most_one_newest_value_and_order_and_absence_are_well_defined(dials, seed, family):
    plan = draw(lexicon(family), dials, seed)
    rows = [(step, f"{t.owner}/{t.field}", t) for step, rows in enumerate(plan.told) for t in rows]
    versions = Counter((step, key) for step, key, t in rows)
    assert max(versions.values(), default=1) == 1
    times = Counter(key for _, key, _ in rows)
    sources = {key for _, key, t in rows if t.source}
    for need in plan.needs.values():
        if need.op in ("first", "last"):
            assert all(times[key] == 1 and key not in sources for key in need.keys)
        if need.op == "absent":
            assert sorted(times[key] for key in need.keys) == [0] + [1] * (len(need.keys) - 1)
        if need.op == "sum":
            assert times[need.keys[0]] == len(need.facts)
        assert all(need.answer not in stale for stale in need.stale) or need.op == "join"


@settings(max_examples=15, deadline=None)
@given(dials(), st.integers(0, 2**40), st.sampled_from(sorted(FAMILIES)))
def test_the_plan_is_a_pure_function_of_family_dials_and_seed(dials, seed, family):
    assert draw(lexicon(family), dials, seed) == draw(lexicon(family), dials, seed)


@pytest.mark.parametrize("family", FAMILIES)
def test_instances_differ_and_the_seed_of_open_leaves_the_schedule(family):
    task = FAMILIES[family]()
    schedules = [task.open(instance, 0).schedule() for instance in task.instances()]
    assert len({schedule.goals for schedule in schedules}) == 20
    assert task.open(task.instances()[0], 9).schedule() == schedules[0]
    assert FAMILIES[family](seed=1).instances()[0].seed != task.instances()[0].seed
    assert [instance.id for instance in task.instances()][:2] == [f"{family}-000", f"{family}-001"]


@pytest.mark.parametrize("family", FAMILIES)
def test_goals_are_even_and_mostly_more_than_look_ups(family):
    task, ops = FAMILIES[family](), set()
    for instance in task.instances():
        world = task.open(instance, 0)
        schedule, reports = world.schedule(), world.plan.reports
        steps = [goal.step for goal in schedule.goals]
        for end in range(10, 90, 10):
            due = 80 * task.dials.goal_share * (end / 80) ** (1 + task.dials.late)
            extra = sum(step <= end for step in reports)  # a report takes the place of a goal, or is one more
            assert due - 1 <= sum(step <= end for step in steps) <= due + extra + 1
        look_ups = sum(goal.op == "value" for goal in schedule.goals)
        assert look_ups / len(steps) <= 0.4
        ops |= {goal.op for goal in schedule.goals}
    assert ops == {op for op, cards in task.dials.ops.items() if cards}


@pytest.mark.parametrize("family", FAMILIES)
def test_needs_lie_near_and_far(family):
    task = FAMILIES[family]()
    distances = []
    for instance in task.instances():
        schedule = task.open(instance, 0).schedule()
        stated = {fact.id: fact.stated for fact in schedule.facts}
        distances += [goal.step - stated[fact] for goal in schedule.goals for fact in goal.facts]
    near, far = sum(d <= 5 for d in distances), sum(d >= 30 for d in distances)
    refining = 1 - task.dials.exploring  # asks for what the last rounds said
    assert 0.15 / (1 + task.dials.late) < near / len(distances) < 0.5 + refining / 2
    assert 0.1 - refining / 10 < far / len(distances) < 0.5
    assert min(distances) == 1 and max(distances) >= 65


def law_distances(**dials):
    """Distances of facts made for one look-up each, late enough for the law to show."""
    chosen = Dials(horizon=1500, subtasks=1, ops={"value": 1}, reuse=0, updates=0, lookalikes=0, crowd=99, **dials)
    plan = draw(lexicon("graph"), chosen, 1)
    stated = {fact.id: fact.stated for fact in plan.schedule.facts}
    return [goal.step - stated[goal.facts[0]] for goal in plan.schedule.goals if goal.step > 500]


def test_uniform_distances_fill_their_reach():
    found = law_distances(law="uniform", reach=70)
    assert set(found) == set(range(1, 71)) and 32 < mean(found) < 39


def test_geometric_distances_have_their_mean():
    found = law_distances(law="geometric", mean=15.0)
    assert 13 < mean(found) < 17 and 9 <= median(found) <= 12


def test_power_distances_are_mostly_short_with_a_long_tail():
    found = law_distances(law="power", exponent=1.5, reach=400)
    assert median(found) <= 6 and max(found) > 200


def test_periodic_distances_are_multiples_of_the_period():
    assert set(law_distances(law="periodic", period=12, reach=70)) == {12, 24, 36, 48, 60}


def test_a_rule_is_told_early_asked_late_and_replaced_in_its_subtask_only():
    task = FAMILIES["pipeline"]()
    asked = Counter()
    for instance in task.instances():
        plan = task.open(instance, 0).plan
        facts = {fact.id: fact for fact in plan.schedule.facts}
        rules = [fact for fact in facts.values() if fact.kind == "rule"]
        replaced = {fact.key for fact in facts.values() if fact.kind == "temporary"}
        assert len(rules) == 2 and all(fact.stated <= 2 for fact in rules)
        for goal in plan.schedule.goals:
            batch = f"batch_{plan.subtask(goal.step):02d}"
            for fact in map(facts.__getitem__, goal.facts):
                asked[fact.kind] += 1
                if fact.kind == "temporary":
                    assert fact.key.startswith(f"{batch}/")
                if fact.kind == "rule":
                    assert f"{batch}/{fact.key.partition('/')[2]}" not in replaced
    assert asked["rule"] > 40 and asked["temporary"] > 10


@pytest.mark.parametrize("family", FAMILIES)
def test_unneeded_statements_outnumber_needed_ones_three_to_one(family):
    task = FAMILIES[family]()
    rows = [t for i in task.instances() for rows in task.open(i, 0).plan.told for t in rows]
    assert 0.23 < mean(t.fact is not None for t in rows) < 0.27


def test_a_horizon_of_ten_thousand_steps_has_no_step_that_outgrows_the_others():
    task = FAMILIES["graph"](horizon=10_000, subtasks=100)
    plan = task.open(task.instances()[0], 0).plan
    loads = [len(rows) for rows in plan.told]
    assert max(loads) <= 40
    assert mean(loads[200:1200]) == pytest.approx(mean(loads[8000:9000]), rel=0.1)


@pytest.mark.parametrize(
    "wrong",
    [{"subtasks": 0}, {"subtasks": 81}, {"choices": 1}, {"goal_share": 0.0}, {"ops": {"median": 2}}, {"rules": 9}],
)
def test_dials_that_cannot_be_met_are_refused_by_name(wrong):
    with pytest.raises(ValueError, match=next(iter(wrong))):
        FAMILIES["pipeline"](**wrong)
