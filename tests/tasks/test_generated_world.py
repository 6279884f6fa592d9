"""The environment: steps, verdicts, coupling, files, and answers that never judge."""

import inspect
from dataclasses import fields

import pytest
import yaml

from harness.contract import Call, Message
from tasks.check import verdicts
from tasks.dials import Dials
from tasks.generated import Generated
from tasks.plan import Need
from tasks.suite import HELD_OUT
from tests.tasks.oracle import CONF, FAMILIES, evaluate, play

LOOK_UP = Need(3, "value", ("a_1/x",), ("f2",), ("new-1",), (frozenset({"old-1"}),))
JOIN = Need(
    3, "join", ("a_1/x", "b_2/x"), ("f2", "f3"), ("new-1", "k2"), (frozenset({"old-1"}), frozenset()), joint="+"
)
COUNT = Need(3, "count", ("a_1/x", "b_2/x"), ("f2", "f3"), ("1",), (frozenset({"2"}),), operand="k2")


def act(world, step, value=None):
    """A call of the asked tool, with the right value or another one."""
    tool, argument = world.pages.phase(step)
    need, target = world.plan.needs.get(step), {world.family.target: world.plan.targets[step]}
    if need is None:
        return Call(f"c{step}", "proceed", target)
    return Call(f"c{step}", tool, target | {argument: need.answer if value is None else value})


def reply(*calls):
    return Message("", "assistant", "", calls)


@pytest.mark.parametrize(
    ("need", "given", "expected"),
    [
        (LOOK_UP, "new-1", ["right"]),
        (LOOK_UP, " new-1 ", ["right"]),
        (LOOK_UP, "old-1", ["stale"]),
        (LOOK_UP, "new-10", ["wrong"]),
        (LOOK_UP, "unknown", ["abstained"]),
        (LOOK_UP, "", ["abstained"]),
        (LOOK_UP, None, ["abstained"]),
        (LOOK_UP, ["new-1"], ["wrong"]),
        (JOIN, "new-1+k2", ["right", "right"]),
        (JOIN, "old-1+unknown", ["stale", "abstained"]),
        (JOIN, "k2+new-1", ["wrong", "wrong"]),
        (JOIN, "new-1", ["wrong", "wrong"]),
        (JOIN, "Unknown", ["abstained", "abstained"]),
        (COUNT, 1, ["right", "right"]),
        (COUNT, "2", ["stale", "stale"]),
    ],
)
def test_verdicts(need, given, expected):
    assert list(verdicts(need, given).values()) == expected


@pytest.mark.parametrize("family", FAMILIES)
def test_a_superseded_value_is_judged_stale_and_a_look_alike_is_a_lure(family):
    task = FAMILIES[family](updates=0.5)
    stale = lures = 0
    for number in range(4):
        world = task.open(task.instances()[number], 0)
        world.reset()
        found = spoil_all(world)
        stale, lures = stale + found[0], lures + found[1]
        assert world.score()["success"] < 0.1
    assert stale > 3 and lures > 3


def spoil_all(world):
    """Look-ups with a former value, or else another key's: how many were judged stale, and lures."""
    stale = lures = 0
    for step in range(1, 81):
        need = world.plan.needs.get(step)
        old = next(iter(need.stale[0]), None) if need and need.op == "value" else None
        other = next(v for v, key in world.plan.values.items() if not need or key not in need.keys)
        events = world.step(reply(act(world, step, old if old else other if need else None))).events
        if old:
            assert set(events[0].detail["used"].values()) == {"stale"}
            stale += 1
        elif need and need.op == "value":
            assert [event.kind for event in events if event.kind != "returned"] == ["goal", "lure"]
            lures += 1
    return stale, lures


@pytest.mark.parametrize("family", FAMILIES)
def test_each_action_is_one_step_whatever_it_is_and_the_run_ends_at_the_horizon(family):
    task = FAMILIES[family](horizon=8, subtasks=2)
    world = task.open(task.instances()[0], 0)
    world.reset()
    odd = [
        Call("c", "dance", {}),
        Call("c", "proceed", {"batch": 7}),
        Call("c", "proceed", {}),
        Call("c", "proceed", {"node": None}),
    ] * 2
    turns = [world.step(reply(call)) for call in odd]
    assert [turn.done for turn in turns] == [False] * 7 + [True]
    assert world.score() == {"success": 0.0}
    steps = [event.detail["step"] for turn in turns for event in turn.events]
    assert steps == [goal.step for goal in world.schedule().goals]
    assert world.step(reply(odd[0])).done


@pytest.mark.parametrize("family", FAMILIES)
def test_the_asked_tool_and_target_are_part_of_a_goal(family):
    task = FAMILIES[family]()
    for change in ("tool", "target"):
        world = task.open(task.instances()[0], 0)
        world.reset()
        for step in range(1, 81):
            call = act(world, step)
            name = "proceed" if change == "tool" else call.name
            arguments = dict(call.arguments) | ({world.family.target: "other_1"} if change == "target" else {})
            world.step(reply(Call(call.id, name, arguments)))
        assert world.score() == {"success": 0.0}


@pytest.mark.parametrize("family", FAMILIES)
def test_a_reply_without_a_call_is_answered_by_the_same_instruction_and_is_no_step(family):
    task = FAMILIES[family]()
    world = task.open(task.instances()[0], 0)
    first = world.reset().messages[-1].content
    turn = world.step(reply())
    assert [m.role for m in turn.messages] == ["user"] and not turn.events
    assert task.grammar.question(turn.messages[-1].content) == task.grammar.question(first)


@pytest.mark.parametrize("family", FAMILIES)
def test_parallel_calls_are_steps_in_order_each_answered_once(family):
    task = FAMILIES[family](user_share=1.0)
    world, single = (task.open(task.instances()[0], 0) for _ in range(2))
    world.reset(), single.reset()
    turn = world.step(reply(*(act(world, step) for step in (1, 2, 3))))
    alone = [single.step(reply(act(single, step))) for step in (1, 2, 3)]
    assert [m.answers for m in turn.messages if m.role == "tool"] == ["c1", "c2", "c3"]
    assert [m.role for m in turn.messages] == ["tool"] * 3 + ["user"]
    assert turn.events == tuple(event for one in alone for event in one.events)
    claims = [c for m in turn.messages for c in task.grammar.claims(m.content)]
    assert sorted(claims, key=str) == sorted(
        (c for one in alone for m in one.messages for c in task.grammar.claims(m.content)), key=str
    )
    assert task.grammar.question(turn.messages[-1].content) == task.grammar.question(alone[-1].messages[-1].content)


@pytest.mark.parametrize("family", FAMILIES)
def test_answers_are_the_same_for_right_and_wrong_actions(family):
    task = FAMILIES[family](coupling=1)
    reports = task.open(task.instances()[0], 0).plan.reports  # these are handed on as they are
    right, wrong = play(task), play(task, spoil=lambda step, answer: answer if step in reports else "zz-0000")
    assert right.world.score() == {"success": 1.0} and not any(
        event.detail["met"] for step, event in wrong.goals().items() if step not in reports
    )
    assert right.answers == wrong.answers


@pytest.mark.parametrize("family", FAMILIES)
def test_same_seeds_give_the_same_bytes_and_other_seeds_other_words(family):
    task = FAMILIES[family]()
    first, again, other = play(task), play(FAMILIES[family]()), play(task, seed=1)
    assert first.answers == again.answers
    assert first.world.reset() == again.world.reset()
    assert sum(a != b for a, b in zip(first.answers, other.answers, strict=True)) == 81
    assert first.world.schedule() == other.world.schedule()


@pytest.mark.parametrize("family", FAMILIES)
def test_a_file_says_what_was_told_from_it_so_far_in_its_newest_version_and_costs_no_step(family):
    task = FAMILIES[family](updates=1.0, reread=1.0)
    world = task.open(task.instances()[0], 0)
    pattern = next(tool for tool in world.reset().brief.tools if tool.name == "reread")
    assert pattern.purpose == "retrieve" and "pattern" in pattern.parameters["properties"]["path"]
    looked = 0
    for step in range(1, 81):
        question = task.grammar.question(world.pages.instruction(step))
        for slot in question.slots:
            if slot.source:
                turn = world.step(reply(Call("r", "reread", {"path": slot.source})))
                assert evaluate(slot, task.grammar.claims(turn.messages[0].content)) == world.plan.needs[step].answer
                assert task.grammar.question(turn.messages[-1].content) == question
                assert not turn.events and world.step_now == step
                looked += 1
        for path, rows in world.plan.files.items():
            told = {f"{t.owner}/{t.field}" for stated, t in rows if stated < step}
            text = world.pages.file(path, step - 1)
            assert {c.key for c in task.grammar.claims(text or "")} == told
        world.step(reply(act(world, step)))
    assert looked > 3 and world.score() == {"success": 1.0}


@pytest.mark.parametrize("family", FAMILIES)
def test_a_facts_source_is_the_path_that_the_instruction_names(family):
    task = FAMILIES[family]()
    world = task.open(task.instances()[0], 0)
    facts = {fact.id: fact for fact in world.schedule().facts}
    named = 0
    for goal in world.schedule().goals:
        slot = task.grammar.question(world.pages.instruction(goal.step)).slots[0]
        if goal.op == "value":
            assert slot.source == facts[goal.facts[0]].source
            named += slot.source is not None
    assert named > 0


def test_a_path_that_nothing_was_told_from_is_no_file():
    task = FAMILIES["graph"]()
    world = task.open(task.instances()[0], 0)
    world.reset()
    for path in ("store/mill_0001", "../etc", None, 3):
        assert "no such file" in world.step(reply(Call("r", "reread", {"path": path}))).messages[0].content


@pytest.mark.parametrize("family", FAMILIES)
def test_one_early_error_costs_one_goal_alone_and_more_when_coupled(family):
    lost = {}
    for coupling in (0, 1):
        task = FAMILIES[family](coupling=coupling)
        lost[coupling] = []
        for number in range(8):
            world = task.open(task.instances()[number], 0)
            first = min(step for need in world.plan.needs.values() for step in need.base)
            run = play(task, number, spoil=lambda step, answer, at=first: "zz-0000" if step == at else answer)
            lost[coupling].append(sum(not event.detail["met"] for event in run.goals().values()))
    assert lost[0] == [1] * 8
    assert lost[1] == [2] * 8


def test_spoiled_work_stays_spoiled_until_a_right_value_comes():
    task = FAMILIES["pipeline"](coupling=1, subtasks=1)
    goals = list(task.open(task.instances()[0], 0).plan.needs)
    wrong = set(goals[:3])
    run = play(task, spoil=lambda step, answer: "unknown" if step in wrong else answer)
    met = [event.detail["met"] for event in run.goals().values()]
    assert met == [False] * 4 + [True] * (len(goals) - 4)
    assert [event.detail["step"] for event in run.events if event.kind == "spoiled"] == [goals[3]]
    assert set(run.goals()[goals[3]].detail["used"].values()) == {"right"}


@pytest.mark.parametrize("family", FAMILIES)
def test_the_brief_carries_a_canary_and_tools_that_the_instructions_name(family):
    task = FAMILIES[family]()
    run = play(task)
    brief = run.world.reset().brief
    assert "Canary longhaul 7c1e0b52" in brief.system
    names = {tool.name for tool in brief.tools}
    asked = {task.grammar.question(order).tool for order in run.orders[1:]}
    assert asked == names - {"reread"}


@pytest.mark.parametrize("family", FAMILIES)
def test_the_yaml_sets_every_dial_to_its_default(family):
    conf = yaml.safe_load((CONF / f"{family}.yaml").read_text())
    assert conf.pop("_target_") == f"tasks.{family}.{family}"
    assert conf.pop("instances") == "${instances}"
    task = FAMILIES[family]()
    own = set(inspect.signature(Generated).parameters) - {"family", "dials", "instances"}
    dials = {field.name for field in fields(Dials)}
    everywhere = dials & set(yaml.safe_load((CONF / "graph.yaml").read_text()))
    assert own | everywhere <= set(conf) <= own | dials
    assert all(getattr(task.dials, name) == getattr(Dials(), name) for name in dials - set(conf))
    secret = "${oc.env:LONGHAUL_SALT,null}" if family in HELD_OUT else None
    assert conf.pop("salt") == secret and task.salt is None
    for name, value in conf.items():
        default = getattr(task.dials, name) if hasattr(task.dials, name) else getattr(task, name)
        assert value == (list(default) if name == "styles" else default), name


def test_unknown_settings_are_refused():
    with pytest.raises(TypeError, match="horzion"):
        FAMILIES["graph"](horzion=3)
