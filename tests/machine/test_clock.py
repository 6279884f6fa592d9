"""Simulated time: deterministic to the bit, and never backwards."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.clock import Clock, Rates, Slots

SECONDS = st.floats(0.01, 50, allow_nan=False)


def test_a_call_takes_its_overhead_and_its_tokens_at_their_rates() -> None:
    rates = Rates(prefill=100, cached=1000, decode=10, overhead=0.5)
    assert rates.seconds(200, 3000, 5) == 0.5 + 2 + 3 + 0.5
    assert rates.seconds(200, 3000, 5, speed=2) == 0.5 + (2 + 3 + 0.5) / 2


def test_calls_wait_for_a_slot_and_the_highest_priority_goes_first() -> None:
    slots = Slots(1)
    first, low, high = slots.submit(0, 10, 0), slots.submit(1, 5, 1), slots.submit(2, 3, 9)
    assert (slots.next_finish(), slots.waiting) == (10, 2)
    slots.advance(100)
    assert slots.finished == {first: 10, high: 13, low: 18}


def test_more_slots_let_calls_run_side_by_side() -> None:
    slots = Slots(2)
    tickets = [slots.submit(0, 10, 0), slots.submit(0, 4, 0), slots.submit(0, 1, 0)]
    slots.advance(9)
    assert slots.finished == {tickets[1]: 4, tickets[2]: 5}


@pytest.mark.parametrize("contention, took", [(0.0, 6.0), (0.5, 8.0), (0.75, 9.0), (1.0, 10.0)])
def test_contention_slows_the_agent_while_a_background_call_runs(contention: float, took: float) -> None:
    clock = Clock(Rates(contention=contention))
    clock.submit(4.0, 0)
    assert clock.work(6.0) == took  # 4 s at a rate of 1 - contention, the rest at full speed
    assert clock.done(0)


def test_a_blocking_wait_lets_the_background_go_on() -> None:
    clock = Clock(Rates(contention=1.0))
    ticket = clock.submit(4.0, 0)
    clock.wait(3.9)
    assert not clock.done(ticket)
    clock.wait(0.1)
    assert (clock.done(ticket), clock.now) == (True, 4.0)


@given(st.lists(st.tuples(st.sampled_from(["submit", "work", "wait"]), SECONDS), max_size=30), st.integers(1, 3),
       st.floats(0, 1))  # fmt: skip
def test_time_goes_forward_every_call_ends_once_and_equal_runs_are_equal(
    moves: Sequence[tuple[str, float]], slots: int, contention: float
) -> None:
    def run() -> tuple[list[float], dict[int, float]]:
        clock, seen = Clock(Rates(slots=slots, contention=contention)), [0.0]
        for what, seconds in moves:
            if what == "submit":
                clock.submit(seconds, priority=seconds)
            elif what == "work":
                assert clock.work(seconds) >= seconds * (1 - 1e-9)
            else:
                clock.wait(seconds)
            seen.append(clock.now)
        clock.wait(1e6)
        return seen, dict(clock.slots.finished)

    seen, finished = run()
    assert seen == sorted(seen)
    assert len(finished) == sum(what == "submit" for what, _ in moves)
    assert (seen, finished) == run()


@pytest.mark.parametrize(
    "bad, message",
    [
        ({"prefill": 0}, "clock.prefill is 0; give a rate above 0"),
        ({"decode": -1.0}, "clock.decode is -1.0"),
        ({"contention": 1.5}, "contention 1.5; give overhead >= 0 seconds, and contention from 0 to 1"),
        ({"slots": 0}, "clock.slots is 0; give a whole number of at least 1"),
    ],
)
def test_impossible_rates_are_refused(bad: dict[str, float], message: str) -> None:
    with pytest.raises(ValueError, match=message.replace(".", r"\.")):
        Rates(**bad).check()  # type: ignore[arg-type]
