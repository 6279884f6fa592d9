"""Branches: twins, needs that stay on their branch, returns and what they cost."""

from collections import Counter

from harness.contract import Call, Message
from tasks.branching import FAMILY, branching
from tests.tasks.episodes import build, measured
from tests.tasks.oracle import play


def plans():
    task = branching()
    return [task.open(instance, 0).plan for instance in task.instances()]


def test_a_need_never_looks_to_another_branch():
    for plan in plans():
        facts = {fact.id: fact for fact in plan.schedule.facts}
        for need in plan.needs.values():
            branch = plan.targets[need.step].partition("_")[0]
            assert {key.partition("/")[0].partition(".")[2] for key in need.keys} == {branch}
            for fact in map(facts.__getitem__, need.facts):
                assert plan.strands.heard(fact.stated) == plan.strands.of[need.step]
        assert {plan.targets[step] for step in range(1, 81)} == {"main_01", "hotfix_02", "trial_03"}


def test_most_needed_keys_have_a_twin_with_another_value_on_another_branch():
    twins = Counter()
    for plan in plans():
        told = {}
        for row in (row for rows in plan.told for row in rows if row.kind == "code"):
            told.setdefault(f"{row.owner}/{row.field}", set()).add(row.value)
        facts = {fact.id: fact for fact in plan.schedule.facts}
        for fact in (facts[f] for need in plan.needs.values() for f in need.facts if facts[f].kind == "code"):
            owner, field = fact.key.split("/")
            part, branch = owner.split(".")
            others = [told.get(f"{part}.{b}/{field}", set()) for b in FAMILY.lexicon.branches if b != branch]
            assert all(fact.value not in values for values in others)
            twins[any(others)] += 1
    assert twins[True] / twins.total() > 0.6


def test_the_first_goal_after_a_return_needs_what_was_told_before_the_leave():
    some, goals = 0, 0
    for plan in plans():
        stated = {fact.id: fact.stated for fact in plan.schedule.facts}
        for begin in (step for step in range(1, 81) if plan.strands.returns(step)):
            step = next((s for s in range(begin, plan.strands.end(begin) + 1) if s in plan.needs), None)
            if step is not None:
                goals += 1
                some += any(stated[fact] < begin - 1 for fact in plan.needs[step].facts)
    assert goals > 150 and some / goals > 0.9


def test_each_return_is_recorded_with_its_branch_and_its_visit():
    run = play(branching())
    strands = run.world.plan.strands
    found = [event.detail for event in run.events if event.kind == "returned"]
    assert [detail["step"] for detail in found] == [step for step in range(1, 81) if strands.returns(step)]
    assert len(found) == 12 - 3
    for detail in found:
        assert detail["branch"] == run.world.plan.targets[detail["step"]]
        assert {strands.of[step] for step in range(detail["step"], detail["until"] + 1)} == {strands.of[detail["step"]]}


def test_the_value_of_a_twin_is_a_lure_that_names_it():
    task, lures = branching(), 0
    world = task.open(task.instances()[0], 0)
    world.reset()
    plan = world.plan
    for step in range(1, 81):
        tool, argument = world.pages.phase(step)
        need, given = plan.needs.get(step), "unknown"
        if need is not None and need.op == "value":
            owner, field = need.keys[0].split("/")
            part = owner.partition(".")[0]
            twins = {k: v for v, k in plan.values.items() if k.startswith(f"{part}.") and k.endswith(f"/{field}")}
            twin = next((key for key in twins if key != need.keys[0]), None)
            given = twins[twin] if twin else given
        arguments = {"branch": plan.targets[step], argument: given}
        events = world.step(Message("", "assistant", "", (Call("c", tool, arguments),))).events
        if given != "unknown":
            assert [e.detail for e in events if e.kind == "lure"] == [{"step": step, "key": twin}]
            lures += 1
    assert lures > 4


def test_the_lag_of_a_return_grows_when_the_branch_was_forgotten(tmp_path):
    lags = {}
    for strategy in ("full", "window", "empty"):
        _, found = measured(tmp_path / strategy, build("task=branching", f"strategy={strategy}", "budget=3000"))
        lags[strategy] = found.outcome["return_lag"]
        assert found.outcome["returns"] == 9
        assert [row["returns"] for row in found.checkpoints] == sorted(row["returns"] for row in found.checkpoints)
    assert 1 <= lags["full"] < lags["window"] < lags["empty"]
    assert lags["full"] < 2


def test_without_branches_nothing_is_returned_to(tmp_path):
    for task in ("task=pipeline", "task=team", "task.strands=1"):
        overrides = (task,) if task != "task.strands=1" else ("task=branching", task)
        record, found = measured(tmp_path / task, build(*overrides, "strategy=empty"))
        assert not any(event.kind == "returned" for turn in record.turns for event in turn.events)
        assert found.outcome["return_lag"] is None and found.outcome["returns"] == 0
