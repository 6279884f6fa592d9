"""Probes: questions on forks, scored by the values that an answer holds, out of the run's record."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from harness.contract import Call, Fact, Reply, Request
from harness.probes import judge, probe
from tests.machine.arms import Newest, Notebook
from tests.machine.toy import ClerkReader, Desk, Sayings, play, said

FACTS = [
    Fact("f1", "box-1/colour", "v1a", "colour", 1, superseded=5),
    Fact("f2", "box-1/colour", "v2b", "colour", 5),
    Fact("f3", "box-2/colour", "v3c", "colour", 2),
]


@pytest.mark.parametrize(
    "answer, verdict",
    [
        ("v2b", "right"),
        ("It is V2B.", "right"),
        ("v1a", "stale"),
        ("v3c", "wrong"),
        ("v2b or v1a", "wrong"),
        ("v2bx", "wrong"),
        ("Unknown.", "abstained"),
        ("I don't know", "abstained"),
        ("", "abstained"),
        ("a nice colour", "wrong"),
    ],
)
def test_an_answer_is_judged_by_the_values_that_it_holds(answer: str, verdict: str) -> None:
    assert judge(answer, FACTS[1], FACTS) == verdict


class Talker:
    """Answers from what it sees, looks a handle up where it is offered, and works like a clerk otherwise."""

    def __init__(self) -> None:
        self.clerk = ClerkReader()

    def complete(self, request: Request) -> Reply:
        asked = re.search(r"What is the value of (box-\d+/colour)", " ".join(m.content for m in request.view[-9:]))
        if asked is None:
            return self.clerk.complete(request)
        known = {c.key: c.value for m in request.view for c in Sayings().claims(m.content)}
        box = asked[1].split("/")[0]
        handles = [h for m in request.view for h in re.findall(rf"\[{box} kept as (n\d+)\]", m.content)]
        if asked[1] not in known and request.tools and handles:
            return said("", Call("x", "recall", {"handle": handles[0]}))
        return said(known.get(asked[1], "unknown"))


def episode(path: Path, strategy: Any, model: Any) -> Any:
    tasks = Desk(12)
    _, played = play(path, tasks.open(tasks.instances()[0], 0), model, strategy, checkpoints=(6, 10))
    return played


def test_what_left_the_view_is_not_known_and_is_got_back_with_tools_only(tmp_path: Path) -> None:
    tasks = Desk(12)
    facts = tasks.open(tasks.instances()[0], 0).schedule().facts
    path = tmp_path / "e.jsonl"
    played = episode(path, lambda: Notebook(3), Talker())
    alone = path.read_bytes()
    found = list(probe(played, Talker(), facts, each=20))
    assert path.read_bytes() == alone
    assert {one.checkpoint for one in found} == {6, 10}
    plain = {(one.checkpoint, one.fact): one.verdict for one in found if not one.tools}
    tools = {(one.checkpoint, one.fact): one.verdict for one in found if one.tools}
    assert set(plain.values()) == {"right", "abstained"} and set(tools.values()) == {"right"}
    assert all(one.tokens > 0 for one in found)


def test_a_strategy_without_tools_is_asked_once_and_the_number_of_a_kind_is_kept(tmp_path: Path) -> None:
    tasks = Desk(12)
    facts = tasks.open(tasks.instances()[0], 0).schedule().facts
    played = episode(tmp_path / "e.jsonl", lambda: Newest(3), Talker())
    found = list(probe(played, Talker(), facts, each=2))
    assert len(found) == 4 and not any(one.tools for one in found)
    assert found == list(probe(played, Talker(), facts, each=2))
