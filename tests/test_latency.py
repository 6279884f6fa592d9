"""Seconds of a sweep: the line through its turns, and every turn with its own time."""

from __future__ import annotations

import shutil
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness import latency
from harness.report import frames
from tests.machine.cli import User, finish


def rows(anew: list[int], slope: float, fixed: float, late: dict[int, float] | None = None) -> pd.DataFrame:
    call = [fixed + slope * one / 1000 + (late or {}).get(n, 0.0) for n, one in enumerate(anew)]
    return pd.DataFrame({"anew": anew, "call": call})


@given(st.lists(st.integers(0, 2000), min_size=40, max_size=60, unique=True), st.floats(0.1, 9), st.floats(0, 2))
def test_the_line_is_found_and_some_slow_turns_do_not_bend_it(anew: list[int], slope: float, fixed: float) -> None:
    exact = latency.line(rows(anew, slope, fixed))
    slow = latency.line(rows(anew, slope, fixed, {0: 60.0, 1: 60.0}))
    assert exact is not None and slow is not None
    assert (exact.slope, exact.fixed) == (pytest.approx(slope, abs=1e-6), pytest.approx(fixed, abs=1e-6))
    assert slow.slope == pytest.approx(slope, abs=1e-6)


def test_no_line_through_few_turns_or_turns_that_are_all_alike() -> None:
    assert latency.line(rows(list(range(latency.FEWEST - 1)), 1, 1)) is None
    assert latency.line(rows([500] * 50, 1, 1)) is None


@pytest.fixture(scope="module")
def sweep(tmp_path_factory: pytest.TempPathFactory) -> Path:
    user = User.at(tmp_path_factory.mktemp("latency"))
    done = finish(user.start("-m", "strategy=full,window", "budget=260", "name=m", "quiet=true"))
    assert done.code == 0, done.err
    return user.folder / "results" / "m"


def test_every_turn_has_its_time(sweep: Path) -> None:
    results = frames.load(sweep)
    found = pd.concat([latency.turns(cell) for cell in results.cells])
    assert len(found) == len(results.tables["steps"])
    assert (found["whole"] >= found["compose"] + found["call"]).all()


def test_old_text_has_its_share_once_a_turn() -> None:
    laid = latency.Line(slope=2.0, low=1.9, high=2.1, fixed=0.5, n=99)
    own = {"instance": "x", "input": 900, "anew": 500, "call": 1.5, "compose": 0.1, "whole": 1.7}
    played = [{"arm": arm, "draw": d, "turn": n, **own} for arm in "ab" for d in "01" for n in (1, 2, 3)]
    # Two rows of one turn: an eviction and a summary, which break the prefix together.
    # The two episodes are one instance under two seeds, and change at the same turn.
    changes = [("a", "0", "x", 2, 400), ("a", "0", "x", 2, 400), ("a", "1", "x", 2, 200)]
    ledger = pd.DataFrame(changes, columns=["arm", "draw", "instance", "turn", "rewritten"])
    by_arm = latency.table(pd.DataFrame(played), ledger, laid).set_index("arm")
    assert by_arm["rewritten"].to_dict() == {"a": 300, "b": 0}
    assert by_arm["for_old"].to_dict() == {"a": pytest.approx(0.6), "b": 0}
    assert by_arm["whole"]["a"] == pytest.approx(5.1)
    assert latency.table(pd.DataFrame(played), ledger, None)["for_old"].isna().all()


def test_without_times_it_says_where_they_are_missing(sweep: Path, tmp_path: Path) -> None:
    shutil.copytree(sweep, tmp_path / "m")
    for path in (tmp_path / "m").rglob("*.times.jsonl"):
        path.unlink()
    assert latency.main([str(tmp_path / "m")]) == 2


def test_the_table_is_written(sweep: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert latency.main([str(sweep), "--csv", str(tmp_path / "t.csv")]) == 0
    assert "read anew" in capsys.readouterr().out
    assert set(pd.read_csv(tmp_path / "t.csv")["arm"]) == {"full", "window"}
