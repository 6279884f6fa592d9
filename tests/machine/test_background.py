"""Calls that the agent does not wait for: when their answers are seen is the same after any break."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from harness.clock import Rates, Wall
from harness.contract import History, Message, Reply, Request
from harness.journal import read
from harness.record import load
from tests.machine.arms import Whole
from tests.machine.toy import OPEN, ClerkReader, Desk, Lines, Stage, act, answered, finished, play, said

RATES = Rates(prefill=1000, cached=10_000, decode=100, overhead=0.0, contention=0.5)


class Beside(Whole):
    """Asks once, shows the answer as soon as it is there, and notes when that was."""

    def __init__(self, blocking: bool = False) -> None:
        self.blocking = blocking

    def reset(self, kit: Any, brief: Any, saved: bytes | None = None) -> None:
        self.kit = kit
        self.ticket: int | None = None
        self.seen = False

    def compose(self, history: History, budget: int) -> Sequence[Message]:
        request = Request((history[0], history[1]), (), 0, 50)
        if self.ticket is None:
            if self.blocking:
                self.kit.ask(request)
            self.ticket = self.kit.ask_later(request)
        reply = self.kit.poll(self.ticket)
        if reply is not None and not self.seen:
            self.seen = True
            self.kit.event("arrived", f"{reply.finish} at {self.kit.clock():.1f}", ["m1"])
        return list(history)


def desk() -> Any:
    tasks = Desk(9)
    return tasks.open(tasks.instances()[0], 0)


def test_the_answer_is_seen_once_the_clock_has_come_to_its_end(tmp_path: Path) -> None:
    path = tmp_path / "e.jsonl"
    play(path, desk(), ClerkReader(), Beside, compactor=Lines(said("word " * 60)), clock=RATES)
    turns = load(path).turns
    (arrived,) = [n for n, turn in enumerate(turns, 1) if any(kind == "arrived" for kind, _, _ in turn.noted)]
    assert 1 < arrived < len(turns)
    (row,) = [row for row in read(path) if row["row"] == "later"]
    assert sum(turn.asked for turn in turns) == row["tokens"] > 100
    times = [turn.time for turn in turns]
    assert all(time is not None and time[0] == 0 < time[1] for time in times)  # nobody waited


def test_waiting_for_the_answer_is_a_stall(tmp_path: Path) -> None:
    path = tmp_path / "e.jsonl"
    play(path, desk(), ClerkReader(), lambda: Beside(blocking=True), compactor=Lines(said("word " * 60)), clock=RATES)
    stalls = [turn.time[0] for turn in load(path).turns if turn.time is not None]
    assert stalls[0] > 0.5 and set(stalls[1:]) == {0.0}


class AtOnce(Whole):
    """Asks three questions together, once."""

    def reset(self, kit: Any, brief: Any, saved: bytes | None = None) -> None:
        self.kit, self.asked = kit, False

    def compose(self, history: History, budget: int) -> Sequence[Message]:
        if not self.asked:
            self.asked = True
            requests = [Request((history[0],), (), 0, 50) for _ in range(3)]
            assert [reply.message.content for reply in self.kit.ask_all(requests)] == ["word " * 60] * 3
        return list(history)


@pytest.mark.parametrize("slots, calls", [(1, 3), (2, 2), (3, 1), (9, 1)])
def test_calls_made_at_once_share_the_slots(tmp_path: Path, slots: int, calls: int) -> None:
    def stall(many: int) -> float:
        path = tmp_path / f"{many}.jsonl"
        rates = replace(RATES, slots=many)
        play(path, desk(), ClerkReader(), AtOnce, compactor=Lines(said("word " * 60)), clock=rates)
        assert sum(row["row"] == "ask" for row in read(path)) == 3
        time = load(path).turns[0].time
        assert time is not None
        return time[0]

    assert stall(slots) == pytest.approx(calls * stall(3), rel=1e-4)


@pytest.mark.parametrize("clock", [RATES, Wall()])
def test_a_break_between_submission_and_arrival_changes_nothing(tmp_path: Path, clock: Any) -> None:
    whole = tmp_path / "whole.jsonl"
    play(whole, desk(), ClerkReader(), Beside, compactor=Lines(said("word " * 60)), clock=clock)
    lines = whole.read_bytes().splitlines(keepends=True)
    for cut in range(1, len(lines)):
        path = tmp_path / f"cut{cut}.jsonl"
        path.with_name(path.name + ".part").write_bytes(b"".join(lines[:cut]))
        play(path, desk(), ClerkReader(), Beside, compactor=Lines(said("word " * 60)), clock=clock)
        again = path.read_bytes().splitlines(keepends=True)
        assert again[:cut] == lines[:cut]
        if isinstance(clock, Rates):
            assert again == lines  # on the wall the rest may come at other times


class Gate:
    """A model that answers when it is let."""

    def __init__(self) -> None:
        self.open = threading.Event()
        self.gone = threading.Event()
        self.asked = 0

    def complete(self, request: Request) -> Reply:
        self.asked += 1
        assert self.open.wait(10)
        self.gone.set()
        return said("now")


def test_on_the_wall_the_turn_of_arrival_is_recorded_and_honoured(tmp_path: Path) -> None:
    path, gate = tmp_path / "e.jsonl", Gate()

    def let(reply: Message) -> Any:
        gate.open.set()
        assert gate.gone.wait(10)
        return answered(reply)

    def stage() -> Stage:
        return Stage(OPEN, answered, let, *[answered] * 40, finished)

    play(path, stage(), Lines(said("go", act())), Beside, compactor=gate, clock=Wall())
    lines = path.read_bytes().splitlines(keepends=True)
    (place,) = [n for n, row in enumerate(read(path)) if row["row"] == "arrived"]
    assert sum(row["row"] == "turn" for row in read(path)[:place]) >= 2 and gate.asked == 1
    again = tmp_path / "again.jsonl"
    again.with_name("again.jsonl.part").write_bytes(b"".join(lines[: place + 1]))
    play(again, stage(), Lines(said("go", act())), Beside, compactor=gate, clock=Wall())
    rows = read(again)
    assert [row["row"] for row in rows[: place + 1]] == [row["row"] for row in read(path)[: place + 1]]
    assert gate.asked == 1  # the recorded answer is not asked for again


class Broken:
    def complete(self, request: Request) -> Reply:
        raise ConnectionError("refused")


def test_a_failed_call_in_a_thread_ends_no_episode(tmp_path: Path) -> None:
    path = tmp_path / "e.jsonl"
    turns = [answered] * 20

    def slow(reply: Message) -> Any:
        threading.Event().wait(0.01)
        return answered(reply)

    ended, _ = play(
        path, Stage(OPEN, slow, *turns, finished), Lines(said("go", act())), Beside, compactor=Broken(), clock=Wall()
    )
    assert ended.ending == "completed"
    triggers = [trigger for turn in load(path).turns for _, trigger, _ in turn.noted]
    assert [trigger.split()[0] for trigger in triggers] == ["failed"]


def test_without_a_clock_nothing_is_asked_in_the_background(tmp_path: Path) -> None:
    ended, _ = play(tmp_path / "e.jsonl", desk(), ClerkReader(), Beside, compactor=Lines(said("x")))
    assert ended.ending == "strategy_error" and "set clock=simulated" in ended.reason
