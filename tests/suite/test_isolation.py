"""Every family can be played by a strategy in a process of its own.

What that keeps from the strategy is tested in tests/machine/test_remote.py.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.suite.suite import FAMILIES, TINY, bytes_of, finished


@pytest.mark.parametrize("family", FAMILIES)
def test_a_strategy_in_its_own_process_leaves_the_same_bytes(family: str, tmp_path: Path) -> None:
    here, apart = (
        bytes_of(finished(family, "window", tmp_path / way, *TINY, "budget=2500", f"isolation={way}"))
        for way in ("none", "process")
    )
    assert here
    assert here == apart
