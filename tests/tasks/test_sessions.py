"""Dial `sessions`: the history ends at subtask borders, a new brief begins, and nothing that was told goes unheard."""

import pytest

from harness.contract import Call, Message
from tasks.wording import CANARY
from tests.tasks.oracle import FAMILIES, evaluate, play

ALONE = [name for name, make in FAMILIES.items() if not make().family.lexicon.agents]


def turns(task, calls_at_once=1):
    """All turns of an episode played with what is right."""
    world = task.open(task.instances()[0], 0)
    found = [world.reset()]
    grammar = task.grammar
    claims = [c for m in found[0].messages for c in grammar.claims(m.content)]
    while not found[-1].done:
        calls = []
        for step in range(world.step_now, min(world.step_now + calls_at_once, 81)):
            question = grammar.question(world.pages.instruction(step))
            slots = {slot.argument: evaluate(slot, claims) for slot in question.slots}
            calls.append(Call(f"c{step}", question.tool, {**question.fixed, **slots}))
        found.append(world.step(Message("", "assistant", "", tuple(calls))))
        claims += [c for m in found[-1].messages for c in grammar.claims(m.content)]
    return world, found


@pytest.mark.parametrize("family", ALONE)
@pytest.mark.parametrize("calls_at_once", [1, 3])
def test_a_session_begins_with_a_new_history_a_new_brief_and_the_next_instruction(family, calls_at_once):
    task = FAMILIES[family](sessions=3)
    world, found = turns(task, calls_at_once)
    begun = [turn for turn in found if turn.brief is not None]
    assert [turn.brief.session for turn in begun] == [0, 1, 2]
    assert [turn.new_history for turn in begun] == [False, True, True]
    for number, turn in enumerate(begun, 1):
        assert f"This is session {number} of 3" in turn.brief.task and CANARY in turn.brief.system
        assert turn.brief.tools == begun[0].brief.tools
        assert turn.messages[-1].role == "user"
    if calls_at_once == 1:
        first = [task.grammar.question(turn.messages[-1].content) for turn in begun]
        assert first == [task.grammar.question(world.pages.instruction(step)) for step in (1, *world.plan.starts)]
        assert world.score() == {"success": 1.0}  # what earlier sessions told is needed, and is enough


@pytest.mark.parametrize("family", ALONE)
def test_what_the_last_answers_of_a_session_tell_is_told_in_the_next_history(family):
    task = FAMILIES[family](sessions=4)
    for calls_at_once in (1, 2, 5):
        world, found = turns(task, calls_at_once)
        for turn in found[1:]:
            if turn.new_history:
                tools = [m for m in turn.messages if m.role == "tool"]
                assert len(tools) == calls_at_once
                assert not [c for m in tools for c in task.grammar.claims(m.content)]
                said = {(c.key, c.value) for c in task.grammar.claims(turn.messages[-1].content)}
                last = world.plan.told[int(tools[-1].answers[1:])]
                assert {(f"{t.owner}/{t.field}", t.value) for t in last} <= said
        heard = {(c.key, c.value) for turn in found for m in turn.messages for c in task.grammar.claims(m.content)}
        assert {(f.key, f.value) for f in world.schedule().facts} <= heard


@pytest.mark.parametrize("family", ALONE)
def test_sessions_leave_the_schedule_alone_and_facts_of_earlier_ones_are_needed(family):
    one, three = (play(FAMILIES[family](sessions=n)).world for n in (1, 3))
    assert one.schedule() == three.schedule()
    stated = {fact.id: fact.stated for fact in three.schedule().facts}
    begin = three.plan.starts[0]
    assert sum(stated[f] < begin - 1 <= g.step for g in three.schedule().goals for f in g.facts) > 10


def test_agents_have_histories_of_their_own_and_no_sessions():
    for name in set(FAMILIES) - set(ALONE):
        with pytest.raises(ValueError, match="sessions=2"):
            FAMILIES[name](sessions=2)
