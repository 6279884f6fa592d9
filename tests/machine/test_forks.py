"""Forks: what a strategy could still get back at a checkpoint, and that looking leaves no trace."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from harness.contract import Call, Message, Tool
from harness.facts import table
from harness.forks import Fork, recovered
from harness.ranges import unpack
from harness.record import load
from tests.machine.arms import Newest, Notebook
from tests.machine.toy import ClerkReader, Desk, Sayings, play

DESK = Desk(12, back=6)


def run(path: Path, strategy: Callable[[], Any], checkpoints: tuple[int, ...] = (4, 8)) -> Any:
    return play(path, DESK.open(DESK.instances()[0], 0), ClerkReader(), strategy, checkpoints=checkpoints)[1]


def states(path: Path, strategy: Callable[[], Any]) -> dict[int, dict[str, str]]:
    episode = run(path, strategy)
    states, raised = recovered(episode, table(load(path)).facts, Sayings())
    assert not raised
    return states


def test_what_the_tools_return_by_a_handle_in_the_view_is_recoverable(tmp_path: Path) -> None:
    # facts are f1 … f6; before step 8 the reader looked one up, so that the newest two blocks are that and step 7
    found = states(tmp_path / "e.jsonl", Notebook)
    assert {k: sorted(v) for k, v in found.items()} == {4: ["f1"], 8: ["f1", "f2", "f3", "f4", "f5", "f6"]}
    assert set(found[8].values()) == {"recoverable"}


def test_what_is_stored_without_a_handle_is_told_apart(tmp_path: Path) -> None:
    found = states(tmp_path / "e.jsonl", lambda: Notebook(hidden=3))
    assert found[8] == {"f1": "stored", "f2": "stored", "f3": "recoverable", "f4": "recoverable", "f5": "recoverable"}


class Searching(Notebook):
    """Finds its notes by a word, too."""

    @property
    def tools(self) -> Any:
        query = {"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]}
        return (*super().tools, Tool("search", "find a note", query, "retrieve"))

    def answer(self, call: Call) -> Message:
        if call.name == "search":
            return Message("", "tool", "\n".join(m.content for m in self.find(call.arguments["query"])))
        return super().answer(call)


def test_what_a_search_by_key_returns_is_recoverable_without_a_handle(tmp_path: Path) -> None:
    found = states(tmp_path / "e.jsonl", lambda: Searching(hidden=99))
    assert set(found[8].values()) == {"recoverable"}
    assert sorted(found[8]) == ["f1", "f2", "f3", "f4", "f5"]


def test_a_strategy_without_tools_recovers_nothing(tmp_path: Path) -> None:
    assert not any(states(tmp_path / "e.jsonl", lambda: Newest(2)).values())


@pytest.mark.parametrize("strategy", [lambda: Newest(2), lambda: Notebook(2)])
def test_a_fork_composes_the_very_view_of_the_checkpoint(tmp_path: Path, strategy: Callable[[], Any]) -> None:
    path = tmp_path / "e.jsonl"
    episode = run(path, strategy, (1, 4, 8, 12))
    turns = {turn.step: turn for turn in load(path).turns if turn.acted}
    assert sorted(episode.exports) == [1, 4, 8, 12]
    for step, export in episode.exports.items():
        fork = Fork(episode, export)
        view = fork.view()
        assert len(fork.history) == turns[step].length
        assert [message.id for message in view] == unpack(turns[step].view)
        made = {m.id: m for turn in load(path).turns for m in turn.made}
        messages = load(path).segments[0].messages
        assert list(view) == [made.get(m.id) or messages[int(m.id[1:])] for m in view]


def test_the_record_is_the_same_with_and_without_forks(tmp_path: Path) -> None:
    run(tmp_path / "without.jsonl", Notebook, ())
    episode = run(tmp_path / "with.jsonl", Notebook, tuple(range(1, 13)))
    before = (tmp_path / "with.jsonl").read_bytes()
    own = episode.seats[None].strategy
    state, encoded = own.export(), episode.seats[None].counter.encoded
    recovered(episode, table(load(tmp_path / "with.jsonl")).facts, Sayings())
    assert before == (tmp_path / "without.jsonl").read_bytes()
    assert (tmp_path / "with.jsonl").read_bytes() == before
    assert (own.export(), episode.seats[None].counter.encoded) == (state, encoded)


def test_what_a_strategy_raises_on_a_fork_leaves_the_run_and_the_other_checkpoints_alone(tmp_path: Path) -> None:
    class Fails(Notebook):
        def find(self, key: str) -> Sequence[Message]:
            if key:
                raise RuntimeError("no such drawer")
            return []

    path = tmp_path / "e.jsonl"
    episode = run(path, lambda: Fails(2))
    states, raised = recovered(episode, table(load(path)).facts, Sayings())
    assert load(path).ending == "completed"
    assert set(states) == set(episode.exports)
    assert raised and set(raised.values()) == {"RuntimeError: no such drawer"}
