"""Chains: several instances of a task in one history."""

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from harness import record as records
from harness.contract import Call, Message
from tasks import suite
from tasks.chain import Chain
from tasks.replay import Replay
from tests.machine.toy import Desk
from tests.tasks.episodes import build, measured, played
from tests.tasks.oracle import FAMILIES, evaluate

SMALL = {"instances": 4, "horizon": 24, "subtasks": 4, "reach": 16}
IN_CHAINS = [
    "task=chain",
    "instances=2",
    "task.n=2",
    "task.task.horizon=24",
    "task.task.subtasks=4",
    "task.task.reach=16",
]


def small(family="graph", **more):
    return FAMILIES[family](**SMALL | more)


def start(chain, number=0):
    environment = chain.open(chain.instances()[number], 0)
    return environment, environment.reset()


def turns(chain, number=0, answer=evaluate) -> Iterator:
    """The environment with each turn in order, played by an agent that believes what its own task has said."""
    environment, turn = start(chain, number)
    heard, agent = {}, None
    yield environment, turn
    step = 0
    while not turn.done:
        if turn.brief is not None and (turn.brief.agent not in heard or not turn.new_history):
            heard[turn.brief.agent] = []
        follows = turn.brief.agent if turn.brief is not None else turn.agent
        for message in turn.messages:
            # Answers at a border belong to the old task: its facts are never needed again.
            to = agent if message.role == "tool" else follows
            if not (message.role == "tool" and turn.brief is not None):
                heard.setdefault(to, []).extend(chain.grammar.claims(message.content))
        agent = follows
        question = chain.grammar.question(turn.messages[-1].content)
        values = {slot.argument: answer(slot, heard[agent]) for slot in question.slots}
        step += 1
        call = Call(f"c{step}", question.tool, {**question.fixed, **values})
        turn = environment.step(Message("", "assistant", "", (call,)))
        yield environment, turn


def last(chain, **more):
    """The environment at the end, and all turns."""
    found = list(turns(chain, **more))
    return found[-1][0], [turn for _, turn in found]


# ---------------------------------------------------------------- playing


@pytest.mark.parametrize("family", ["graph", "pipeline", "debugging", "constraints"])
def test_gold_answers_score_one_in_a_chain(family):
    environment, found = last(Chain(small(family), 3))
    assert environment.score() == {"success": 1.0, "success_1": 1.0, "success_2": 1.0, "success_3": 1.0}
    assert len(found) == 1 + 3 * 24


def test_a_border_ends_with_the_answers_and_begins_with_a_brief_in_the_same_history():
    _, found = last(Chain(small("support"), 2))
    first, border = (turn for turn in found if turn.brief is not None)
    assert border is found[24] and not border.done
    assert (first.new_history, border.new_history) == (False, False)
    assert first.brief.task.startswith("Task 1 of 2. ") and border.brief.task.startswith("Task 2 of 2. ")
    assert first.brief.system == border.brief.system and first.brief.tools == border.brief.tools
    assert [message.role for message in border.messages] == ["tool", "user"]
    assert "The run is over." in border.messages[0].content and "[step 1/24" in border.messages[1].content


def test_an_instance_is_the_same_text_at_any_length_of_the_chain():
    def said(n, number):
        texts = []
        for turn in last(Chain(small(), n), number=number)[1]:
            texts += [message.content for message in turn.messages]
        return texts

    alone, chained = said(1, 0) + said(1, 1), said(2, 0)
    assert alone == chained


def test_alone_it_is_the_instance_itself():
    one, (instance, *_) = Chain(small(), 1), small().instances()
    assert [i.id for i in one.instances()] == [i.id for i in small().instances()]
    environment, turn = start(one)
    (link,) = one.instances()[0].data
    assert link == instance
    assert turn.brief == small().open(instance, 0).reset().brief
    assert environment.schedule() == small().open(instance, 0).schedule()


def test_what_was_not_reached_counts_nothing():
    environment, _ = start(Chain(small(), 2))
    assert environment.score() == {"success": 0.0, "success_1": 0.0}
    play = turns(Chain(small(), 2))
    for _ in range(25):
        environment, _ = next(play)
    assert environment.score() == {"success": 0.5, "success_1": 1.0, "success_2": 0.0}


def test_wrong_answers_are_counted_where_they_were_given():
    calls = []

    def forgets(slot, claims):
        calls.append(slot)
        return "unknown" if len(calls) > goals else evaluate(slot, claims)

    goals = len(small().open(small().instances()[0], 0).schedule().goals)
    environment, _ = last(Chain(small(), 2), answer=forgets)
    assert environment.score() == {"success": 0.5, "success_1": 1.0, "success_2": 0.0}


# ---------------------------------------------------------------- facts and goals


def test_facts_and_goals_stand_where_they_come_up_and_end_with_their_instance():
    environment, _ = start(Chain(small(), 3))
    schedule, task = environment.schedule(), small()
    own = [task.open(instance, 0).schedule() for instance in task.instances()[:3]]
    assert len({fact.id for fact in schedule.facts}) == sum(len(one.facts) for one in own)
    facts = {fact.id: fact for fact in schedule.facts}
    goals = iter(schedule.goals)
    for place, one in enumerate(own):
        begins, ends = place * 24, (place + 1) * 24
        for goal in one.goals:
            moved = next(goals)
            assert (moved.step, moved.op) == (goal.step + begins, goal.op)
            for name, before in zip(moved.facts, goal.facts, strict=True):
                fact, old = facts[name], next(f for f in one.facts if f.id == before)
                assert (fact.key, fact.value, fact.kind, fact.source) == (old.key, old.value, old.kind, old.source)
                assert fact.stated == old.stated + begins
                kept = ends if place < 2 else None
                assert fact.superseded == (kept if old.superseded is None else old.superseded + begins)


def test_events_name_the_steps_and_facts_of_the_schedule():
    environment, found = last(Chain(small("branching", coupling=1), 2), answer=lambda slot, claims: "unknown")
    goals = {goal.step: set(goal.facts) for goal in environment.schedule().goals}
    events = [event for turn in found for event in turn.events]
    judged = {event.detail["step"]: set(event.detail["used"]) for event in events if event.kind == "goal"}
    assert judged == goals
    returns = [event.detail for event in events if event.kind == "returned"]
    assert any(detail["step"] > 24 for detail in returns)
    assert all(detail["step"] <= detail["until"] <= 48 for detail in returns)


def test_whoever_acted_before_goes_on_in_the_same_history():
    _, found = last(Chain(small("team"), 2))
    begun = [(turn.brief.agent, turn.new_history) for turn in found if turn.brief is not None]
    seen, expected = set(), []
    for position, (agent, _) in enumerate(begun):
        expected.append((agent, position > 0 and agent not in seen))
        seen.add(agent)
    assert begun == expected and len(begun) > len(seen)


def test_sessions_are_numbered_through_the_chain():
    _, found = last(Chain(small(sessions=2), 2))
    begun = [(turn.brief.session, turn.new_history) for turn in found if turn.brief is not None]
    assert begun == [(0, False), (1, True), (1, False), (2, True)]


# ---------------------------------------------------------------- what cannot be chained


@pytest.mark.parametrize("n", [0, -1, True, 1.5])
def test_a_chain_has_a_whole_number_of_links(n):
    with pytest.raises(ValueError, match=r"task\.n="):
        Chain(small(), n).instances()


def test_instances_that_are_left_over_are_not_played_and_too_few_are_refused():
    assert [[link.id for link in i.data] for i in Chain(small(), 3).instances()] == [
        ["graph-000", "graph-001", "graph-002"]
    ]
    assert [instance.id for instance in Chain(small(), 2).instances()] == ["graph-000-and-1", "graph-002-and-1"]
    with pytest.raises(ValueError, match=r"task\.n=5: the task has 4 instances"):
        Chain(small(), 5).instances()


def test_recorded_runs_cannot_be_chained(tmp_path):
    for name in ("a", "b"):
        messages = (
            '[{"role":"system","content":"s"},{"role":"user","content":"t"},{"role":"assistant","content":"done"}]'
        )
        (tmp_path / f"{name}.json").write_text(f'{{"messages":{messages}}}')
    with pytest.raises(ValueError, match="recorded runs cannot be chained"):
        start(Chain(Replay(str(tmp_path)), 2))


class Doors:
    """A task without a horizon whose environments say when they are opened and closed."""

    def __init__(self, known=False):
        self.inner, self.log, self.known = Desk(2), [], known
        self.grammar = self.inner.grammar

    def instances(self):
        return self.inner.instances()

    def open(self, instance, seed):
        log, environment = self.log, self.inner.open(instance, seed)
        log.append(f"open {instance.id}")
        environment.close = lambda: log.append(f"close {instance.id}")
        if not self.known:
            environment.schedule = lambda: None
        return environment


def test_a_schedule_without_a_horizon_is_refused():
    environment, _ = start(Chain(Doors(known=True), 2))
    with pytest.raises(ValueError, match="no horizon"):
        environment.schedule()


def test_one_environment_is_open_at_a_time():
    doors = Doors()
    environment, _ = start(Chain(doors, 2))
    assert environment.schedule() is None and Chain(doors, 2).horizon is None
    for step in range(4):
        environment.step(Message("", "assistant", "", (Call(f"c{step}", "act", {"value": "x"}),)))
    environment.close()
    environment.close()
    assert doors.log == ["open desk-0", "close desk-0", "open desk-1", "close desk-1"]


# ---------------------------------------------------------------- in the machine


def test_one_history_whose_pinned_task_is_the_current_one(tmp_path):
    built = build(*IN_CHAINS, "strategy=window", "budget=2000", "checkpoints=[24,48]")
    record, found = measured(tmp_path, built)
    (segment,) = record.segments
    assert [segment.messages[place].content[:11] for place in segment.tasks] == ["Task 1 of 2", "Task 2 of 2"]
    first, second = (f"m{place}" for place in segment.tasks)
    for turn, view in zip(record.turns, records.views(record), strict=True):
        pinned = {message.id for message in view} & {first, second}
        assert (second if turn.step > 24 else first) in pinned
    assert not any(first in {m.id for m in view} for view in records.views(record)[-5:])  # a message like any other
    assert built.limits.turns == 48 * 1.5 + 10
    assert found.outcome["score_success"] == (record.score["success_1"] + record.score["success_2"]) / 2
    live = {row["checkpoint"]: {fact["fact"] for fact in found.facts if fact["checkpoint"] == row["checkpoint"]}
            for row in found.checkpoints}  # fmt: skip
    assert not any(name.startswith("2:") for name in live[24]) and all(name.startswith("2:") for name in live[48])


def test_all_in_view_an_ideal_reader_is_not_misled_by_earlier_tasks(tmp_path):
    _, found = measured(tmp_path, build(*IN_CHAINS, "strategy=full", "checkpoints=[48]"))
    assert found.outcome["score_success"] == 1.0


@pytest.mark.parametrize("strategy", ["window", "cwl"])
def test_cut_anywhere_a_chain_goes_on_to_the_same_record(strategy, tmp_path):
    built = build(*IN_CHAINS, f"strategy={strategy}", "reader=realistic", "budget=3000", "checkpoints=[24,48]")
    path = played(tmp_path / "whole", built)
    whole = path.read_bytes()
    border = whole.index(b"Task 2 of 2")
    for cut in (border - 200, border, border + 2000, random.Random(strategy).randrange(len(whole))):
        again = tmp_path / f"{cut}" / "episodes" / "0.jsonl"
        again.parent.mkdir(parents=True)
        again.with_name("0.jsonl.part").write_bytes(whole[:cut])
        assert played(tmp_path / f"{cut}", built).read_bytes() == whole


def test_the_chain_is_no_part_of_the_suite_but_tells_its_version():
    names = {path.name for path in suite.sources(Path(suite.__file__).parent, suite.FAMILIES)}
    assert "world.py" in names and "chain.py" not in names
    assert Chain(small(), 2).suite == small().suite
    assert Chain(small(), 3).horizon == 72
