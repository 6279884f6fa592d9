"""Episodes that share slots on one clock: fair to the byte, killed and resumed, and never a leak between them."""

from __future__ import annotations

import itertools
import json
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from harness import cell
from harness.clock import Rates
from harness.contract import History, Message, Request
from harness.identity import identity
from harness.journal import Diverged
from harness.parts import Parts, SettingsError, build
from harness.record import load
from harness.serving import log
from harness.serving.__main__ import lines, main
from harness.serving.figures import figures, lengths, opened
from harness.serving.group import groups, play, whole
from harness.serving.log import Log, Served
from harness.serving.turns import together
from harness.serving.world import Share, World
from harness.setup import Limits
from harness.tokens import Characters
from tests.machine.arms import Newest, Whole
from tests.machine.cli import User, finish
from tests.machine.test_cell import contents, settings
from tests.machine.toy import Clerk, Desk, DeskRun, Letters, Lines, said
from tests.tasks import episodes

RATES = Rates(prefill=500, cached=10_000, decode=40, overhead=0.1, contention=0.3)


class Talker:
    """A source of compactors that always say the same."""

    def open(self, task: Any, environment: Any, seed: int) -> Lines:
        return Lines(said("word " * 30))


class Eager(Whole):
    """Asks every third turn, in the background or standing still, and notes all that it can learn of the others."""

    def __init__(self, blocking: bool = False) -> None:
        self.blocking = blocking

    def reset(self, kit: Any, brief: Any, saved: bytes | None = None) -> None:
        self.kit = kit
        self.tickets: list[int] = []
        self.composed = 0

    def compose(self, history: History, budget: int) -> Sequence[Message]:
        self.composed += 1
        if self.composed % 3 == 0:
            requests = [Request(tuple(history), (), 0, 50), Request((history[0],), (), 0, 50)]
            if self.blocking:
                self.kit.ask_all(requests)
            else:
                self.tickets += [self.kit.ask_later(request, len(history)) for request in requests]
        there = [ticket for ticket in self.tickets if self.kit.poll(ticket) is not None]
        self.kit.event("seen", f"{there} {self.kit.queue()} {self.kit.clock():.6f} {self.kit.rng.random():.6f}")
        return list(history)


class Dying(Eager):
    """Kills its process at compose number `at` of all episodes together."""

    def __init__(self, count: Any, at: int) -> None:
        super().__init__()
        self.count, self.at = count, at

    def compose(self, history: History, budget: int) -> Sequence[Message]:
        if next(self.count) == self.at:
            os.kill(os.getpid(), signal.SIGKILL)
        return super().compose(history, budget)


class Uneven(Desk):
    """Each episode is two steps longer than the one before."""

    def open(self, instance: Any, seed: int) -> DeskRun:
        return DeskRun(Desk(self.horizon + 2 * instance.seed), instance)


def desk(
    serving: int | None, strategy: Callable[[], Any] = Eager, rates: Rates = RATES, model: Any = None, count: int = 4
) -> Parts:
    task = Uneven(9, count)
    return Parts(
        task, tuple(task.instances()), strategy, model or Clerk(), Characters(), Letters(), Talker(), 4000,
        Limits(turns=40), (5,), 0, rates, serving=serving,
    )  # fmt: skip


def played(built: Parts, folder: Path) -> dict[str, bytes]:
    for group in groups(built):
        play(built, group, folder)
        assert whole(built, group, folder)
    return contents(folder)


def records(files: Mapping[str, bytes]) -> dict[str, bytes]:
    return {name: content for name, content in files.items() if name.startswith("episodes/")}


@pytest.mark.parametrize("blocking", [False, True])
def test_one_episode_in_a_world_is_an_episode_on_a_clock_of_its_own(tmp_path: Path, blocking: bool) -> None:
    arm = partial(Eager, blocking)
    alone, one = played(desk(None, arm), tmp_path / "alone"), played(desk(1, arm), tmp_path / "one")
    assert len(alone) == 4
    assert records(one) == alone
    assert len(one) == 8  # with the log of each


@pytest.mark.parametrize("strategy", ["background_summary", "summary", "window", "block_summary"])
def test_that_holds_for_real_arms(tmp_path: Path, strategy: str) -> None:
    built = episodes.build(f"strategy={strategy}", "task=graph", "instances=1", "clock.contention=0.5")
    alone, one = played(built, tmp_path / "alone"), played(replace(built, serving=1), tmp_path / "one")
    assert records(one) == records(alone)
    assert len(records(alone)) == 1


@pytest.mark.parametrize("blocking", [False, True])
def test_with_slots_for_all_sharing_changes_no_byte(tmp_path: Path, blocking: bool) -> None:
    arm, wide = partial(Eager, blocking), replace(RATES, contention=0.0, slots=50)
    alone, four = (played(desk(n, arm, wide), tmp_path / str(n)) for n in (None, 4))
    assert records(four) == records(alone)


def test_who_asks_nothing_is_not_touched_by_the_others(tmp_path: Path) -> None:
    alone, four = (played(desk(n, Newest), tmp_path / str(n)) for n in (None, 4))
    assert records(four) == records(alone)


def test_with_few_slots_each_waits_for_the_others_and_equal_groups_are_equal(tmp_path: Path) -> None:
    alone, four, again = (played(desk(n), tmp_path / str(i)) for i, n in enumerate((None, 4, 4)))
    assert four == again
    assert all(records(four)[name] != alone[name] for name in alone)
    waits = [call.started - call.asked for call in log.load(tmp_path / "1/slots/desk-0.json").calls if call.started]
    assert max(waits) > 4


@pytest.mark.parametrize("at, ended", [(0, 0), (9, 0), (22, 0), (47, 3)])
def test_a_group_that_was_killed_ends_like_an_unbroken_one(tmp_path: Path, at: int, ended: int) -> None:
    unbroken = played(desk(4), tmp_path / "unbroken")
    asks = tmp_path / "asks"
    dying = desk(4, partial(Dying, itertools.count(), at), model=Clerk(log=str(asks)))
    child = multiprocessing.get_context("fork").Process(target=played, args=(dying, tmp_path / "killed"))
    child.start()
    child.join()
    assert child.exitcode == -signal.SIGKILL
    assert len(list((tmp_path / "killed/episodes").glob("desk-?.jsonl"))) == ended
    assert played(desk(4, model=Clerk(log=str(asks))), tmp_path / "killed") == unbroken
    again = len(asks.read_text().split()) - (9 + 11 + 13 + 15)
    assert 0 <= again <= 3 - ended  # at most the replies that had not come to their end on the clock


def test_a_fault_stops_the_group_and_the_next_run_goes_on(tmp_path: Path) -> None:
    unbroken = played(desk(2), tmp_path / "unbroken")
    broken = desk(2, model=Clerk(fails_at="desk-1"))
    first, second = groups(broken)
    with pytest.raises(ConnectionError) as fault:
        play(broken, first, tmp_path / "e")
    assert "in episode desk-1" in fault.value.__notes__[0]
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("desk-")]
    play(broken, second, tmp_path / "e")
    assert not whole(broken, first, tmp_path / "e")
    assert played(desk(2), tmp_path / "e") == unbroken


def test_a_cell_names_what_its_group_left_without_a_result(tmp_path: Path) -> None:
    clerk = {"_target_": "tests.machine.toy.Clerk", "fails_at": "desk-1"}
    clock = {"_target_": "harness.clock.Rates"}
    assert not cell.run(settings(model=clerk, clock=clock, serving=3), tmp_path, {"task": "desk"})
    errors = {path.stem: path.read_text() for path in (tmp_path / "errors").iterdir()}
    assert set(errors) == {"desk-0", "desk-1", "desk-2"}
    assert all("in episode desk-1; those that share its time stopped with it" in text for text in errors.values())
    assert json.loads((tmp_path / "metrics.json").read_text())["missing"] == ["desk-0", "desk-1", "desk-2"]


def test_where_a_record_cannot_be_continued_all_of_its_group_start_anew(tmp_path: Path) -> None:
    unbroken = played(desk(4), tmp_path / "unbroken")
    folder = tmp_path / "e"
    played(desk(4, partial(Eager, blocking=True)), folder)
    with pytest.raises(Diverged):
        play(desk(4), groups(desk(4))[0], folder)
    assert len(list((folder / "episodes").glob("*.discarded-1"))) == 4
    assert played(desk(4), folder) == unbroken


SCRIPT = st.lists(st.tuples(st.floats(0, 9), st.floats(0.1, 9)), max_size=6)


@given(st.lists(SCRIPT, min_size=2, max_size=6), st.integers(1, 3))
@hypothesis_settings(max_examples=60, deadline=None)
def test_more_episodes_never_shorten_a_wait(scripts: Sequence[Sequence[tuple[float, float]]], slots: int) -> None:
    """Each asks at times that are fixed beforehand, all at one priority."""

    def waits(some: Sequence[Sequence[tuple[float, float]]]) -> dict[tuple[str, float], list[float]]:
        def act(script: Sequence[tuple[float, float]], share: Share) -> None:
            for pause, seconds in script:
                share.wait(pause)
                share.submit(seconds, 0.0)
            share.wait(1e6)

        world = World(Rates(slots=slots))
        together(world, {f"e{n}": partial(act, script) for n, script in enumerate(some)})
        found: dict[tuple[str, float], list[float]] = {}
        for ticket, call in enumerate(world.calls):
            found.setdefault((call.owner, call.at), []).append(world.slots.started[ticket] - call.at)
        return found

    fewer, more = waits(scripts[:-1]), waits(scripts)
    assert all(a <= b + 1e-9 for asked, own in fewer.items() for a, b in zip(own, more[asked], strict=True))


def test_a_call_of_one_slows_the_work_of_another_and_who_stands_goes_first() -> None:
    world, took = World(Rates(contention=0.5)), {}

    def asks(share: Share) -> None:
        share.submit(4.0, 0.0)
        share.submit(2.0, 0.0)
        share.submit(9.0, 0.0)
        took["stands"] = share.stand([1.0])  # after the call that runs, before those that wait

    def works(share: Share) -> None:
        took["works"] = share.work(6.0)

    together(world, {"a": asks, "b": works})
    assert took == {"stands": 5.0, "works": 9.5}  # slowed for seven seconds
    assert world.ends == {"a": 5.0, "b": 9.5}
    assert world.slots.started == {0: 0.0, 3: 4.0, 1: 5.0}  # the last one went with its episode


def test_figures_of_a_log_that_can_be_checked_by_hand(tmp_path: Path) -> None:
    calls = (Served("a", False, 4.0, 0.0, 0.0), Served("b", False, 3.0, 1.0, 4.0), Served("a", False, 9.0, 2.0, None))
    one = Log(1, {"a": 6.0, "b": 10.0}, calls)
    assert [piece for piece in lengths(one) if piece[1]] == [(0, 1.0), (1, 1.0), (2, 2.0), (1, 2.0), (0, 4.0)]
    played(desk(None, count=2), tmp_path)
    two = [load(path) for path in sorted((tmp_path / "episodes").glob("desk-?.jsonl"))]
    found = figures([one], two)
    assert (found.episodes, found.steps, found.seconds) == (2 / 10 * 3600, 20 / 10 * 3600, 8.0)
    assert (found.length, found.length_p95, found.length_most, found.busy) == (0.7, 2.0, 2, 0.7)
    assert (found.wait, found.calls, found.unanswered) == (1.5, 1.5, 1 / 3)


def test_a_breaker_is_open_until_its_next_change_or_the_end(tmp_path: Path) -> None:
    played(desk(None, count=1), tmp_path)
    record = load(tmp_path / "episodes/desk-0.jsonl")
    seconds = [sum(turn.time or ()) + turn.seconds for turn in record.turns]
    said = {1: ["open: queue"], 4: ["half-open: cooled down", "open: latency"], 6: ["half-open: x", "closed: trial"]}
    noted = [tuple(("breaker", why, []) for why in said.get(n, ())) for n in range(len(record.turns))]
    changed = [replace(turn, noted=own) for turn, own in zip(record.turns, noted, strict=True)]
    assert opened(replace(record, turns=tuple(changed))) == pytest.approx(sum(seconds[1:6]))
    assert opened(replace(record, turns=tuple(changed[:6]))) == pytest.approx(sum(seconds[1:6]))
    assert opened(record) == 0


def test_settings_that_cannot_work_are_refused_and_absent_is_neutral() -> None:
    clock = {"_target_": "harness.clock.Rates"}
    with pytest.raises(SettingsError, match=r"serving=2: give a number of episodes that divides the 3 instances"):
        build(settings(serving=2, clock=clock))
    with pytest.raises(SettingsError, match="serving=3: only simulated time can be shared: set clock=simulated"):
        build(settings(serving=3, clock={"_target_": "harness.clock.Wall"}))
    assert identity(settings(serving=None)) == identity(settings())
    assert identity(settings(serving=1)) != identity(settings())


def test_the_report_has_a_line_for_each_number_of_episodes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    user = User.at(tmp_path)
    done = finish(user.start("-m", "serving=1,2", "strategy=background_summary", "task=desk", "name=s", "budget=700"))
    assert done.code == 0, done.err
    found = lines(tmp_path / "results/s")
    assert [(line.arm, line.serving) for line in found] == [("background_summary", 1), ("background_summary", 2)]
    assert all(line.figures.calls > 0 for line in found)
    main([str(tmp_path / "results/s")])
    assert "simulated: desk" in capsys.readouterr().out
    with pytest.raises(SystemExit, match=r"plan\.json is missing"):
        main([str(tmp_path)])
