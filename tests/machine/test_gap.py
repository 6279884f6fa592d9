"""Public against private: Welch's interval over independent instances, and refusals."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest

from harness import gap
from harness.report.frames import ReportError
from harness.suite import MixedSuites

PUBLIC = [0.5, 0.6, 0.7, 0.5, 0.6, 0.7, 0.5, 0.6, 0.7, 0.6]
PRIVATE = [0.4, 0.5, 0.6, 0.4, 0.5, 0.6, 0.4, 0.5, 0.6, 0.5]


def sweep(
    folder: Path, salt: str | None, values: dict[str, list[float]], budget: int = 6000, share: float | None = None,
    suite: str = "v1 aaaa",
) -> Path:  # fmt: skip
    """A reported sweep: a cell an arm, success at two checkpoints and retention at the last."""
    rows, cells = [], []
    for arm, numbers in values.items():
        cells.append({"folder": arm})
        (folder / arm).mkdir(parents=True)
        config = {"task": {"salt": salt}, "budget": budget, "budget_share": share}
        run = {"suite": suite, "config": config, "names": {"task": "graph", "strategy": arm}}
        (folder / arm / "run.json").write_text(json.dumps(run))
        for number, value in enumerate(numbers):
            for checkpoint, measure in ((20, "success"), (80, "success"), (80, "retention")):
                case = {"family": "graph", "arm": arm, "reader": "ideal", "model": "scripted", "budget": budget}
                one = {"instance": f"i{number}", "checkpoint": checkpoint, "measure": measure, "value": value}
                rows.append(case | one)
    (folder / "plan.json").write_text(json.dumps({"cells": cells}))
    pd.DataFrame(rows).to_parquet(folder / "values.parquet")
    return folder


def test_means_difference_and_interval_are_those_of_two_samples(tmp_path: Path) -> None:
    public = sweep(tmp_path / "a", None, {"window": PUBLIC})
    private = sweep(tmp_path / "b", "sha256:1", {"window": PRIVATE})
    found = gap.gaps(public, private)
    assert sorted((g.checkpoint, g.measure) for g in found) == [(20, "success"), (80, "retention"), (80, "success")]
    for one in found:
        assert one.case == ("graph", "window", "ideal", "scripted", "6000") and one.n == (10, 10)
        assert one.gap == pytest.approx(0.1)
        # Welch: s² = 0.0066667 on each side, standard error 0.0365148, 18 degrees of freedom, t = 2.1009
        assert (one.low, one.high) == (pytest.approx(0.0232854, abs=1e-5), pytest.approx(0.1767146, abs=1e-5))
    assert "+0.100 +0.023 to +0.177 *" in "\n".join(gap.lines(found))


def test_too_few_instances_and_no_spread_have_no_interval(tmp_path: Path) -> None:
    values = {"few": PUBLIC[:7], "full": [1.0] * 10}
    found = gap.gaps(sweep(tmp_path / "a", None, values), sweep(tmp_path / "b", "sha256:1", values))
    assert all(one.low is None and one.high is None for one in found)
    text = "\n".join(gap.lines(found))
    assert "n < 8" in text and "no spread" in text


def test_arms_are_matched_by_the_share_of_their_own_full_history(tmp_path: Path) -> None:
    public = sweep(tmp_path / "a", None, {"window": PUBLIC}, budget=5000, share=0.25)
    private = sweep(tmp_path / "b", "sha256:1", {"window": PRIVATE}, budget=5100, share=0.25)
    assert {one.case[-1] for one in gap.gaps(public, private)} == {"25% of full"}


def test_sides_that_are_not_public_and_private_are_refused(tmp_path: Path) -> None:
    public = sweep(tmp_path / "a", None, {"window": PUBLIC})
    private = sweep(tmp_path / "b", "sha256:1", {"window": PRIVATE})
    other = sweep(tmp_path / "c", "sha256:1", {"mask": PRIVATE})
    newer = sweep(tmp_path / "d", "sha256:1", {"window": PRIVATE}, suite="v2 bbbb")
    with pytest.raises(ReportError, match="LONGHAUL_SALT"):
        gap.gaps(public, public)
    with pytest.raises(ReportError, match="public: run it without"):
        gap.gaps(private, private)
    with pytest.raises(ReportError, match="in common"):
        gap.gaps(public, other)
    with pytest.raises(MixedSuites, match="v2 bbbb"):
        gap.gaps(public, newer)
    with pytest.raises(ReportError, match=r"plan\.json is missing"):
        gap.gaps(tmp_path, private)
