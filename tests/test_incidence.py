"""Who left by when, and why: causes compete, and only what is unknown is censored."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.incidence import Exit, incidence

EXITS = st.builds(Exit, st.integers(1, 20), st.sampled_from(["missed", "limit", "done", None]))


def test_without_censoring_it_is_the_plain_share() -> None:
    exits = [Exit(3, "missed"), Exit(5, "limit"), Exit(9, "missed"), Exit(9, "done")]
    assert incidence(exits, [2, 5, 9]) == {"missed": [0, 0.25, 0.5], "limit": [0, 0.25, 0.25], "done": [0, 0, 0.25]}


def test_an_example_written_out_with_a_censored_episode() -> None:
    exits = [Exit(1, "missed"), Exit(2, None), Exit(3, "missed"), Exit(4, "limit")]
    found = incidence(exits, [1, 3, 4])  # at 3 two are left of those that stood for three quarters
    assert found["missed"] == pytest.approx([0.25, 0.625, 0.625])
    assert found["limit"] == pytest.approx([0, 0, 0.375])


@given(st.lists(EXITS, min_size=1, max_size=30))
def test_shares_grow_and_never_exceed_one_together(exits: list[Exit]) -> None:
    found = incidence(exits, range(1, 21))
    assert all(a <= b + 1e-12 for shares in found.values() for a, b in pairwise(shares))
    total = sum(shares[-1] for shares in found.values())
    assert total <= 1 + 1e-9
    if all(one.cause for one in exits):
        assert total == pytest.approx(1)
