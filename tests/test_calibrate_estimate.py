"""Dials from readings."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.calibrate.estimate import fit, peak
from harness.calibrate.probes import Reading
from harness.rates import clopper_pearson


def test_unreadable_answers_are_counted_apart_and_change_no_rate() -> None:
    shown = [Reading("note", value) for value in (1, 0, 0, 1, 0, 0, 0, 0)]
    plain, mixed = fit("note", shown), fit("note", [Reading("note", None), *shown, Reading("note", None)])
    assert (plain.value, plain.n, plain.unreadable) == (0.25, 8, 0)
    assert (mixed.value, mixed.n, mixed.unreadable) == (0.25, 8, 2)
    assert (mixed.low, mixed.high) == (plain.low, plain.high) == clopper_pearson(2, 8)


def test_nothing_readable_is_no_estimate() -> None:
    assert fit("note", []).value is None
    only = fit("note", [Reading("note", None)] * 3)
    assert (only.value, only.n, only.unreadable) == (None, 0, 3)


def test_a_border_is_twice_the_mean_delay() -> None:
    found = fit("border", [Reading("border", value) for value in (0, 1, 2, 0, 1, 2, 0, 2)])
    assert found.value == 2.0 and found.low is not None and found.low < 2 < (found.high or 0)
    assert (found.n, found.shown) == (8, 8)


@given(st.integers(1, 40), st.data())
def test_at_equal_depth_in_the_middle_the_peak_is_a_plain_rate(n: int, data: st.DataObject) -> None:
    missed = data.draw(st.integers(0, n))
    value, low, high = peak(missed, [0.5] * n)
    assert value == pytest.approx(missed / n)
    assert (low, high) == pytest.approx(clopper_pearson(missed, n), abs=1e-6)


@given(st.lists(st.floats(0.02, 0.98), min_size=1, max_size=30), st.data())
def test_the_interval_of_the_peak_holds_the_estimate_and_grows_with_the_misses(
    depths: list[float], data: st.DataObject
) -> None:
    missed = data.draw(st.integers(0, len(depths)))
    value, low, high = peak(missed, depths)
    assert 0 <= value <= 1 and low <= high
    assert (low == 0 or missed > 0) and (high == 1 or missed < len(depths))
    if value < 1:
        assert low <= value <= high
    if missed:
        fewer = peak(missed - 1, depths)
        assert all(a <= b + 1e-9 for a, b in zip(fewer, (value, low, high), strict=True))


def test_the_peak_is_recovered_from_all_over_the_view() -> None:
    """Mean of 300 estimates of 0.3 within 4 standard errors; at most 10 % of the 90 % intervals miss, give or take."""
    rng = random.Random(3)
    depths = [(k + 0.5) / 24 for k in range(24)] * 4
    counts = [sum(rng.random() < 0.3 * 4 * d * (1 - d) for d in depths) for _ in range(300)]
    found = {missed: peak(missed, depths, 0.9) for missed in set(counts)}
    values = [found[missed][0] for missed in counts]
    assert abs(sum(values) / 300 - 0.3) < 4 * 0.065 / 300**0.5
    assert sum(not found[missed][1] <= 0.3 <= found[missed][2] for missed in counts) <= 45


def test_facts_at_the_ends_say_nothing_about_the_middle() -> None:
    with pytest.raises(ValueError, match="place facts inside the view"):
        peak(0, [0.0, 1.0])


def test_what_was_missed_is_shown_by_fifth() -> None:
    readings = [Reading("miss", float(depth > 0.3), depth) for depth in (0.1, 0.3, 0.5, 0.55, 0.7, 0.99)]
    assert fit("miss", readings).detail == "missed by fifth of the view 0/1, 0/1, 2/2, 1/1, 1/1"
