"""Finished sweeps as tidy frames, and every arm against one."""

from __future__ import annotations

import io
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from rich.console import Console

from harness import compare, pairs, repeats, results
from harness.report import frames
from harness.report.block import show
from harness.report.frames import ReportError
from tests.report.sweeps import Cell, Episode, many, sweep


def test_labels_are_text_in_front_and_sweeps_stand_side_by_side(tmp_path: Path) -> None:
    one = sweep(tmp_path / "one", [Cell("none", many(8)), Cell("window", many(8))])
    two = sweep(tmp_path / "two", [Cell("window", many(8), budget=2000)])
    found = results.load([one, two])
    assert list(found.episodes.columns[:8]) == [
        "sweep", "family", "arm", "strategy", "reader", "model", "budget", "draw",
    ]  # fmt: skip
    assert len(found.episodes) == 24 and set(found.episodes["sweep"]) == {"one", "two"}
    assert set(found.episodes["arm"]) == {"none", "window"}
    assert len(found.checkpoints) == 48 and len(results.load(str(one)).episodes) == 16


def test_a_table_that_lacks_rows_is_not_read(tmp_path: Path) -> None:
    folder = sweep(tmp_path, [Cell("window", many(8))])
    path = next(folder.glob("window-*/outcomes.parquet"))
    rows = pd.read_parquet(path)
    pd.concat([rows, rows.head(1)]).to_parquet(path)
    with pytest.raises(ReportError, match="has 9 rows"):
        results.load(folder)


def printed(folder: Path, baseline: str = "full", margin: float | None = None) -> str:
    out = io.StringIO()
    found = compare.compare(frames.load(folder), baseline, margin)
    show(compare.blocks(found, baseline, margin), Console(file=out, width=160))
    return out.getvalue()


def line(found: list[compare.Comparison], arm: str, measure: str = "success") -> compare.Comparison:
    (one,) = [c for c in found if (c.arm, c.measure) == (arm, measure)]
    return one


def test_differences_are_paired_and_the_primary_ones_corrected_together(tmp_path: Path) -> None:
    spread = [(1.0, x) for x in (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8)]
    lower = [(1.0, x - 0.1 - 0.001 * n) for n, (_, x) in enumerate(spread)]
    cells = [
        Cell("full", many(8, success=spread)), Cell("window", many(8, success=lower)),
        Cell("mask", many(8, success=spread)),
    ]  # fmt: skip
    found = compare.compare(frames.load(sweep(tmp_path, cells)), "full", margin=0.2)
    window, mask = line(found, "window"), line(found, "mask")
    assert window.found.estimate.mean == pytest.approx(-0.1035)
    assert window.found.p == pytest.approx(2 / 256) and window.holm == pytest.approx(4 / 256)
    assert (window.inferior, window.primary, window.early) == ("no", True, 0.0)
    assert mask.found.estimate.mean == 0 and mask.holm == 1.0
    assert not line(found, "window", "retention").primary
    text = printed(tmp_path, margin=0.2)
    assert "arm minus full" in text and "-0.10" in text and "worse by > 0.2?" in text


def test_no_headline_under_the_coverage_limit(tmp_path: Path) -> None:
    lost = {f"i{n}": Episode(ending="infrastructure") for n in range(3)}
    cells = [Cell("full", many(10)), Cell("window", many(10, success=[(1.0, 0.5)] * 10) | lost)]
    found = compare.compare(frames.load(sweep(tmp_path, cells)), "full")
    assert line(found, "window").coverage == 0.7
    text = printed(tmp_path)
    assert "too few pairs 7/10" in text and "-0.50" not in text


def test_an_unknown_baseline_is_said_with_the_arms(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="no arm 'full' in this sweep: window"):
        compare.compare(frames.load(sweep(tmp_path, [Cell("window", many(8))])), "full")


@pytest.fixture(scope="module")
def repeated(tmp_path_factory: pytest.TempPathFactory) -> frames.Results:
    """Three repeats of skewed, tied scores of 36 instances; the second arm does better by luck in the first repeat."""
    rng = np.random.default_rng(7)
    cells = []
    for seed in range(3):
        for arm in ("window", "mask"):
            scores = np.round(rng.beta(0.5, 0.5, 36), 1) * (1 if arm == "window" or seed == 0 else 0.8)
            cells.append(Cell(arm, many(36, success=[(1.0, float(x)) for x in scores]), seed=seed))
    return frames.load(sweep(tmp_path_factory.mktemp("repeated"), cells))


def test_comparisons_of_repeats_of_one_arm_reject_at_most_six_per_cent(repeated: frames.Results) -> None:
    """A/A: 2,000 comparisons a size."""
    found = repeats.check(repeated)
    assert [one.n for one in found] == [8, 10, 20, 35] and {one.arms for one in found} == {2}
    for one in found:
        assert one.rejected is not None and 0.02 <= one.rejected <= repeats.MOST and one.holds
    same = [{f"i{n}": [n / 10, n / 10] for n in range(8)}]
    assert repeats.rejected(same, 8, trials=50) == 0.0, "repeats that are all the same are never told apart"


def test_the_check_is_a_command_and_refuses_what_it_cannot_test(
    repeated: frames.Results, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for sizes, said in ((["5"], "n = 5: 2/2^5 exceeds 0.05"), ([], "two repeats: run it with seed=0,1")):
        with pytest.raises(SystemExit, match=re.escape(said)):
            single = sweep(tmp_path / str(len(sizes)), [Cell("window", many(8))])
            compare.main([str(repeated.folder if sizes else single), "--aa", *sizes])
    with pytest.raises(SystemExit) as ended:
        compare.main([str(repeated.folder), "--aa", "8", "40"])
    out = capsys.readouterr().out
    assert ended.value.code == 0 and "holds" in out and "no arm has so many repeated instances" in out


def test_five_pairs_can_show_nothing() -> None:
    assert pairs.sign_flip([0.1, 0.2, 0.3, 0.4, 0.5])[0] is None
