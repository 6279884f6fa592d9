"""Sessions, chains of instances, and several agents."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from harness.contract import Brief, Message, Turn
from harness.record import load
from tests.machine.arms import Faulty, Newest, Notebook
from tests.machine.toy import ACT, OPEN, Lines, Stage, act, answered, finished, play, said


def opens(text: str, new_history: bool, session: int) -> Any:
    brief = Brief("Be brief.", text, (ACT,), None, session)
    return lambda reply: Turn(
        (*answered(reply).messages, Message("", "user", "Next.")), brief=brief, new_history=new_history
    )


def test_a_session_begins_with_an_empty_history_and_the_saved_memory(tmp_path: Path) -> None:
    path = tmp_path / "e.jsonl"
    stage = Stage(OPEN, answered, answered, answered, opens("Again.", True, 1), finished)
    play(path, stage, Lines(said("go", act())), Notebook)
    one, two = load(path).segments
    assert [(s.session, s.tasks) for s in (one, two)] == [(0, (1,)), (1, (1,))]
    assert one.messages[-1].role == "tool"
    assert [m.content for m in two.messages[:4]] == ["Be brief.", "Again.", "Next.", "go"]
    notes = [[m.content[:8] for m in turn.made] for turn in load(path).turns]
    assert notes == [[], [], ["1 notes."], ["2 notes."], ["2 notes."]], "the notebook was handed on"
    assert load(path).turns[-1].made[0].sources == ()
    assert [t.step for t in load(path).turns] == [1, 2, 3, 4, 5]


def test_a_strategy_without_saved_state_begins_a_session_afresh(tmp_path: Path) -> None:
    path = tmp_path / "e.jsonl"
    stage = Stage(OPEN, answered, answered, opens("Again.", True, 1), answered, finished)
    assert play(path, stage, Lines(said("go", act())), lambda: Faulty(at=4))[0].ending == "completed"


def test_a_chain_goes_on_in_one_history_under_a_new_task(tmp_path: Path) -> None:
    path = tmp_path / "e.jsonl"
    stage = Stage(OPEN, answered, opens("And this.", False, 1), finished)
    lines = Lines(said("go", act()))
    play(path, stage, lines, lambda: Newest(1))
    (segment,) = load(path).segments
    assert segment.tasks == (1, 7)
    assert [m.content for m in segment.messages[7:9]] == ["And this.", "Next."]
    assert [m.content for m in lines.requests[-1].view] == ["Be brief.", "And this.", "Next."]


def test_each_agent_has_a_history_and_a_strategy_of_its_own(tmp_path: Path) -> None:
    path = tmp_path / "e.jsonl"
    one, two = (Brief(f"You are {name}.", "Work.", (ACT,), name) for name in ("one", "two"))
    stage = Stage(
        Turn((Message("", "user", "to one"),), brief=one),
        lambda r: Turn((*answered(r).messages, Message("", "user", "to two")), brief=two, agent="two"),
        lambda r: Turn((*answered(r).messages, Message("", "user", "back to one")), agent="one"),
        lambda r: Turn((*answered(r).messages, Message("", "user", "stay")), agent="one"),
        lambda r: Turn((*answered(r).messages, Message("", "user", "over to two")), agent="two"),
        finished,
    )
    lines = Lines(said("go", act()))
    play(path, stage, lines)
    record = load(path)
    assert [s.agent for s in record.segments] == ["one", "two"]
    said_by_users = [[m.content for m in s.messages if m.role == "user"] for s in record.segments]
    assert said_by_users == [["Work.", "to one", "back to one", "stay"], ["Work.", "to two", "over to two"]]
    assert [turn.segment for turn in record.turns] == [0, 1, 0, 0, 1]
    assert [r.view[0].content[-4:] for r in lines.requests] == ["one.", "two.", "one.", "one.", "two."]
    assert [c.id for s in record.segments for m in s.messages for c in m.calls] == ["c0", "c2", "c3", "c1", "c4"]


def test_a_turn_for_an_agent_that_never_began_names_it(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="toy: the environment hands over to agent 'ghost', which has no brief"):
        play(
            tmp_path / "e.jsonl",
            Stage(OPEN, lambda r: Turn(answered(r).messages, agent="ghost")),
            Lines(said("go", act())),
        )
