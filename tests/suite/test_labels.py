"""Labels are worth nothing where there are none."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.suite.suite import FAMILIES, TINY, bytes_of, finished


@pytest.mark.parametrize("family", FAMILIES)
def test_without_labels_scrambling_them_changes_no_byte_of_any_view(family: str, tmp_path: Path) -> None:
    """`full` sees every message, and its record holds every view."""
    plain, scrambled = (
        bytes_of(finished(family, "full", tmp_path, *TINY, "task.labels=none", f"task.scramble={n}")) for n in (0, 7)
    )
    assert plain
    assert plain == scrambled


@pytest.mark.parametrize("labels", ["text", "declared"])
def test_with_labels_it_does(labels: str, tmp_path: Path) -> None:
    plain, one, two = (
        bytes_of(finished("pipeline", "full", tmp_path, *TINY, f"task.labels={labels}", f"task.scramble={n}"))
        for n in (0, 7, 8)
    )
    assert plain != one != two
