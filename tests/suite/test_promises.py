"""Constraints told early are broken once they are out of view, and kept while they are in it."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from tests.suite.suite import finished

HALF = 3000  # half of the default budget


def broken(folder: Path, pinned: bool) -> tuple[int, int]:
    """Violations, and the goals that put a constraint to the test."""
    one = finished(
        "constraints", "window", folder, "instances=6", f"budget={HALF}", f"strategy.pin_user={str(pinned).lower()}"
    )
    rows = pd.read_parquet(one.folder / "outcomes.parquet")
    assert set(rows["ending"]) == {"completed"}
    assert rows["overflow_turns"].sum() == 0
    return int(rows["violations"].sum()), int(rows["constraint_tests"].sum())


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("promises")


def test_a_window_at_half_budget_breaks_over_a_fifth_of_the_constraints(folder: Path) -> None:
    violations, tests = broken(folder, pinned=False)
    assert tests > 60
    assert violations > 0.2 * tests


def test_the_same_window_with_promises_pinned_breaks_none(folder: Path) -> None:
    violations, tests = broken(folder, pinned=True)
    assert (violations, tests > 60) == (0, True)
