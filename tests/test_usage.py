"""Planned against recorded tokens."""

import pytest

from harness.usage import Paired, compare


def test_sums_are_taken_over_the_requests_that_have_both_sides():
    got = compare(
        [
            Paired(100, 0, 200, 0),
            Paired(300, 150, 200, 100),
            Paired(500, 400, None, None),
            Paired(100, None, 100, 50),
            Paired(100, 50, 100, None),
        ]
    )
    assert (got.requests, got.inputs, got.without_input) == (5, 4, 1)
    assert got.ratio == pytest.approx(1.0)  # 600 of 600
    assert (got.low, got.high) == (pytest.approx(0.575), pytest.approx(1.425))  # of 0.5, 1.0, 1.0, 1.5
    assert (got.caches, got.without_cache) == (2, 3)
    assert (got.predicted, got.recorded) == (pytest.approx(150 / 400), pytest.approx(100 / 400))


def test_without_a_record_every_share_is_missing():
    got = compare([Paired(10, 5), Paired(20, 5)])
    assert (got.ratio, got.low, got.high, got.predicted, got.recorded) == (None,) * 5
    assert (got.without_input, got.without_cache) == (2, 2)
    assert compare([]).requests == 0


def test_one_request_has_a_ratio_and_no_percentiles():
    got = compare([Paired(50, 0, 100, 0)])
    assert (got.ratio, got.low, got.high, got.predicted, got.recorded) == (0.5, None, None, 0.0, 0.0)
