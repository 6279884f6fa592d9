"""An agent that is told what it needs scores 1.0; one that sees instructions alone scores what guessing gives."""

from dataclasses import asdict, replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.contract import Claim, Message, Request
from harness.models.dials import Dials as Reader
from harness.models.scripted import Scripted
from tests.tasks.oracle import FAMILIES, dials, play

SETTINGS = {
    "default": {},
    "coupling": {"coupling": 1},
    "geometric": {"law": "geometric"},
    "power": {"law": "power"},
    "periodic": {"law": "periodic"},
    "wide": {"fan_in": 5, "choices": 5, "chain": 6, "goal_share": 1.0, "late": 0.0},
    "short": {"horizon": 12, "subtasks": 3},
    "bare": {"noise_tokens": 0, "lookalikes": 0, "user_share": 0.0},
    "restless": {"updates": 1.0, "reread": 1.0, "reuse": 0.9, "user_share": 1.0},
}


@pytest.mark.parametrize("family", FAMILIES)
def test_the_whole_history_gives_every_goal_on_every_instance(family):
    task = FAMILIES[family]()
    assert len(task.instances()) == 20
    for number in range(20):
        assert play(task, number).world.score() == {"success": 1.0}


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("settings", SETTINGS)
def test_the_whole_history_gives_every_goal_under_every_dial(family, settings):
    task = FAMILIES[family](**SETTINGS[settings])
    for number in range(3):
        assert play(task, number, seed=number).world.score() == {"success": 1.0}


@settings(max_examples=25, deadline=None)
@given(dials(), st.integers(0, 1), st.integers(0, 2**30), st.sampled_from(sorted(FAMILIES)))
def test_the_whole_history_gives_every_goal_whatever_the_dials(dials, coupling, seed, family):
    task = FAMILIES[family](**asdict(dials), coupling=coupling, seed=seed)
    goals = len(task.open(task.instances()[0], 0).schedule().goals)
    assert play(task).world.score() == ({"success": 1.0} if goals else {})


def test_the_whole_history_gives_every_goal_of_a_long_graph():
    assert play(FAMILIES["graph"](horizon=300, subtasks=20)).world.score() == {"success": 1.0}


@pytest.mark.parametrize("family", FAMILIES)
def test_the_needed_facts_alone_give_every_goal(family):
    """The schedule names all that a goal depends on: nothing else need be known."""
    task = FAMILIES[family]()
    for number in range(20):
        schedule = task.open(task.instances()[number], 0).schedule()
        facts = {fact.id: fact for fact in schedule.facts}
        needed = {
            goal.step: [Claim(facts[f].key, facts[f].value) for f in sorted(goal.facts, key=lambda f: facts[f].stated)]
            for goal in schedule.goals
        }
        assert play(task, number, sees=lambda step, needed=needed: needed.get(step, ())).world.score() == {
            "success": 1.0
        }


@pytest.mark.parametrize("family", FAMILIES)
def test_instructions_alone_give_what_guessing_gives(family):
    """One of so many keys, a number from 0 to theirs, or what the instruction itself suggests; nothing else."""
    task = FAMILIES[family](instances=20)
    runs = [play(task, number, sees=lambda step: ()).world for number in range(20)]
    needs = [need for run in runs for need in run.plan.needs.values()]
    expected = sum(map(by_chance, needs)) / len(needs)
    assert expected - 0.06 < sum(run.score()["success"] for run in runs) / 20 < expected + 0.06
    assert expected < 0.35


def by_chance(need):
    """How likely a guess is right that knows the instruction alone."""
    if need.default:
        return float(need.default == need.answer)
    choices = {"first": 0, "last": 0, "absent": 0, "except": 0, "count": 1}
    return 1 / (len(need.keys) + choices[need.op]) if need.op in choices else 0.0


def begun(brief):
    return [Message("m0", "system", brief.system), Message("m1", "user", brief.task)]


@pytest.mark.parametrize("family", FAMILIES)
def test_the_ideal_scripted_reader_meets_every_goal_with_all_in_view(family):
    task = FAMILIES[family]()
    for number in range(3):
        world = task.open(task.instances()[number], 5)
        turn = world.reset()
        reader = Scripted(Reader()).open(task, world, 1)
        agent, tools = turn.brief.agent, turn.brief.tools
        views = {agent: [*begun(turn.brief), *turn.messages]}
        while not turn.done:
            view = views[agent]
            message = reader.complete(Request(tuple(view), tools, 1, 200)).message
            calls = tuple(replace(call, id=f"c{len(view)}") for call in message.calls)
            view.append(replace(message, calls=calls))
            turn = world.step(view[-1])
            view += [m for m in turn.messages if m.role == "tool"]
            agent = turn.brief.agent if turn.brief else turn.agent
            if turn.brief:
                views[agent] = begun(turn.brief)
            views[agent] += [m for m in turn.messages if m.role != "tool"]
        assert world.score() == {"success": 1.0}
