"""Answers that were given before: cached by content, or replayed from a record."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from harness.contract import Call, Message, Request, Tool
from harness.models.cached import Cached, key
from harness.models.replay import Replay, RequestDiffers
from tests.machine.arms import Newest, Whole
from tests.machine.toy import ACT, ClerkReader, Desk, Lines, act, play, said

VIEW = (
    Message("m0", "system", "s"),
    Message("m1", "user", "u"),
    Message("m2", "assistant", "", (Call("c0", "act", {"value": "1"}),)),
    Message("m3", "tool", "done", answers="c0"),
)
REQUEST = Request(VIEW, (ACT,), 5, 100)


def test_the_same_request_is_asked_once_and_the_hit_says_so(tmp_path: Path) -> None:
    model = Lines(said("one", act()), said("two"))
    cached = Cached(model, tmp_path / "calls.sqlite", "settings")
    first, again = cached.complete(REQUEST), cached.complete(REQUEST)
    assert (first.cached, again) == (False, replace(first, cached=True))
    assert cached.complete(replace(REQUEST, seed=6)).message.content == "two"
    assert len(model.requests) == 2
    other = Cached(model, tmp_path / "calls.sqlite", "settings")
    assert other.complete(REQUEST).cached


def test_the_key_holds_all_that_the_answer_depends_on_and_no_ids() -> None:
    renamed = (
        *VIEW[:2],
        replace(VIEW[2], id="m7", calls=(Call("c9", "act", {"value": "1"}),)),
        replace(VIEW[3], id="m8", answers="c9"),
    )
    assert key(replace(REQUEST, view=renamed), "s") == key(REQUEST, "s")
    changed: list[dict[str, Any]] = [
        {"view": VIEW[:2]},
        {"view": (*VIEW[:3], replace(VIEW[3], content="failed"))},
        {"view": (*VIEW[:2], replace(VIEW[2], calls=(Call("c0", "act", {"value": "2"}),)), VIEW[3])},
        {"tools": (Tool("act", "another", {}),)},
        {"seed": 6},
        {"max_output": 99},
        {"schema": {"type": "object"}},
        {"options": {"a": 1}},
    ]
    keys = {key(replace(REQUEST, **change), "s") for change in changed} | {key(REQUEST, "s"), key(REQUEST, "t")}
    assert len(keys) == len(changed) + 2


def desk() -> Any:
    tasks = Desk(9)
    return tasks.open(tasks.instances()[0], 0)


def test_a_record_answers_the_same_requests_and_a_resumed_episode_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "cell" / "episodes" / "desk.jsonl"
    play(path, desk(), ClerkReader(), lambda: Newest(3))
    source = Replay(str(tmp_path / "cell"))
    source.check()
    again = tmp_path / "again.jsonl"
    play(again, desk(), source.open(None, None, 5), lambda: Newest(3))  # type: ignore[arg-type]
    assert again.read_bytes() == path.read_bytes()
    resumed = tmp_path / "resumed.jsonl"
    rows = path.read_bytes().splitlines(keepends=True)
    resumed.with_name("resumed.jsonl.part").write_bytes(b"".join(rows[:9]))
    play(resumed, desk(), source.open(None, None, 5), lambda: Newest(3))  # type: ignore[arg-type]
    assert resumed.read_bytes() == path.read_bytes()


def test_a_request_that_differs_fails_and_shows_where(tmp_path: Path) -> None:
    play(tmp_path / "cell" / "episodes" / "desk.jsonl", desk(), ClerkReader(), lambda: Newest(3))
    answers = Replay(str(tmp_path / "cell")).open(None, None, 5)  # type: ignore[arg-type]
    with pytest.raises(RequestDiffers, match=r"desk\.jsonl, turn 4: message 3 "):
        play(tmp_path / "other.jsonl", desk(), answers, Whole)
    answers = Replay(str(tmp_path / "cell")).open(None, None, 5)  # type: ignore[arg-type]
    system = Message("m0", "system", "You sort bottles.")
    with pytest.raises(RequestDiffers, match="differs at character 11: was …'You sort boxes"):
        answers.complete(Request((system,), (), 0, 9))


def test_what_was_not_recorded_is_said(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="no finished records"):
        Replay(str(tmp_path)).check()
    play(tmp_path / "episodes" / "desk.jsonl", desk(), ClerkReader())
    with pytest.raises(ValueError, match="no record has this instance's seed 77"):
        Replay(str(tmp_path)).open(None, None, 77)  # type: ignore[arg-type]
