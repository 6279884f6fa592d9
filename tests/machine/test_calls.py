"""Calls that cannot be made are never made: each is answered by an error, and a row of them ends the episode."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.calls import fault
from harness.contract import Call, Reply, Tool
from harness.record import load
from tests.machine.arms import Notebook, Whole
from tests.machine.toy import LIMITS, OPEN, Lines, Stage, act, answered, finished, play, said

TOOL = Tool(
    "edit",
    "change a file",
    {
        "type": "object",
        "properties": {"path": {"type": "string"}, "line": {"type": "integer"}, "all": {"type": "boolean"}},
        "required": ["path"],
    },
)


@pytest.mark.parametrize(
    "call, said_",
    [
        (Call("x", "edit", {"path": "a", "line": 3, "all": True, "more": None}), None),
        (Call("x", "edit", {}, '{"path": "a'), "the arguments of 'edit' are no JSON object: '{\"path\": \"a'"),
        (Call("x", "look", {}), "there is no tool 'look'. There are: edit."),
        (Call("x", "edit", {"line": 3}), "'edit' needs the argument 'path'"),
        (Call("x", "edit", {"path": 3}), "the argument 'path' of 'edit' must be of type string"),
        (Call("x", "edit", {"path": "a", "line": True}), "'line' of 'edit' must be of type integer"),
        (Call("x", "edit", {"path": "a", "all": "yes"}), "'all' of 'edit' must be of type boolean"),
    ],
)
def test_what_is_wrong_is_said_with_the_name(call: Call, said_: str | None) -> None:
    found = fault(call, (TOOL,))
    assert (found is None) == (said_ is None)
    assert said_ is None or (found is not None and found.startswith("error: ") and said_ in found)


def test_long_nonsense_is_cut_in_the_error() -> None:
    found = fault(Call("x", "edit", {}, "x" * 5000), (TOOL,))
    assert found is not None and len(found) < 250 and "x" * 80 + "…" in found


def test_only_what_can_be_made_reaches_the_environment_and_all_is_answered_in_order(tmp_path: Path) -> None:
    path = tmp_path / "e.jsonl"
    stage = Stage(OPEN, answered, finished)
    bad, good = Call("x", "nothing", {}), act("v2")
    play(path, stage, Lines(said("go", bad, good, Call("x", "act", {}, "[1")), said("end", act())))
    assert [[call.arguments["value"] for call in reply.calls] for reply in stage.got] == [["v2"], ["v1"]]
    record = load(path)
    messages = record.segments[0].messages
    assert [m.answers for m in messages[4:7]] == ["c0", "c1", "c2"]
    assert [m.content.split()[0] for m in messages[4:7]] == ["error:", "did", "error:"]
    assert messages[3].calls[2].broken == "[1"
    assert [turn.acted for turn in record.turns] == [1, 1]


def test_a_reply_of_broken_calls_alone_costs_a_turn_and_leaves_the_environment_alone(tmp_path: Path) -> None:
    path = tmp_path / "e.jsonl"
    stage = Stage(OPEN, finished)
    play(path, stage, Lines(said("go", Call("x", "nothing", {})), said("end", act())), lambda: Notebook(2))
    assert len(stage.got) == 1
    record = load(path)
    assert ([turn.acted for turn in record.turns], record.ending) == ([0, 1], "completed")


@pytest.mark.parametrize(
    "reply", [said(""), Reply(said("I will not.").message, finish="refusal"), said("go", Call("x", "nothing", {}))]
)
def test_a_row_of_replies_that_do_nothing_ends_the_episode_by_name(tmp_path: Path, reply: Reply) -> None:
    ended, _ = play(tmp_path / "e.jsonl", Stage(OPEN, *[answered] * 9), Lines(said("a", act()), reply), Whole)
    assert (ended.ending, ended.reason) == ("broken_replies", "5 replies in a row without a call that could be made")


def test_a_call_in_between_starts_the_count_anew(tmp_path: Path) -> None:
    replies = [said("")] * 4 + [said("a", act())] + [said("")] * 4 + [said("b", act())]
    ended, _ = play(tmp_path / "e.jsonl", Stage(OPEN, *[answered] * 9, finished), Lines(*replies), limits=LIMITS)
    assert ended.ending == "completed"
