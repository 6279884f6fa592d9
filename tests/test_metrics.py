"""The table of metrics: decisions compared with their own noise, tokens saved on common steps, seconds, views."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness import metrics as command
from harness.decisions import actions, agree
from harness.metrics import metrics
from harness.record import Record, load
from harness.report import frames
from harness.report.frames import ReportError
from tests.machine.cli import User, finish

RUNS = st.lists(st.dictionaries(st.integers(1, 5), st.sampled_from("ab"), min_size=1), min_size=2, max_size=4)


@given(RUNS, RUNS)
def test_agreement_is_a_share_alike_both_ways_and_a_run_is_not_its_own_pair(these: list, those: list) -> None:
    both, back = agree(these, those), agree(those, these)
    assert both == pytest.approx(back) if both is not None else back is None
    assert both is None or 0 <= both <= 1
    same = [these[0]] * 3
    assert agree(same, same) == 1.0 and agree([these[0]], [dict(these[0])]) == 1.0
    one = [these[0]]
    assert agree(one, one) is None


def test_agreement_counts_common_steps() -> None:
    assert agree([{1: "a", 2: "b", 3: "c"}], [{1: "a", 2: "x"}]) == 0.5
    noisy = [{1: "a"}, {1: "a"}, {1: "b"}]
    assert agree(noisy, noisy) == pytest.approx(1 / 3)


@pytest.fixture(scope="module")
def sweep(tmp_path_factory: pytest.TempPathFactory) -> Path:
    user = User.at(tmp_path_factory.mktemp("metrics"))
    done = finish(user.start("-m", "strategy=full,window", "budget=260", "seed=0,1", "name=m", "quiet=true"))
    assert done.code == 0, done.err
    return user.folder / "results" / "m"


def test_actions_are_what_took_a_step(sweep: Path) -> None:
    records: list[Record] = [load(p) for p in sweep.glob("full-*/episodes/*-0.jsonl")]
    for record in records or [load(p) for p in sweep.rglob("episodes/*-0.jsonl")]:
        found = actions(record)
        assert list(found) == list(range(1, record.steps + 1))
        assert all(action.startswith("act ") for action in found.values())


def test_a_line_an_arm_against_the_one_that_manages_nothing(sweep: Path) -> None:
    results = frames.load(sweep)
    ((_, lines),) = metrics(results, "full").items()
    full, window = lines
    assert (full.arm, full.saving, full.consistency, full.floor) == ("full", 0, 0, full.agreement)
    steps = results.tables["steps"]
    sums = {arm: part["input"].sum() for arm, part in steps.groupby("arm")}
    assert window.saving == pytest.approx(1 - sums["window"] / sums["full"])  # the desk's runs have equal steps
    assert window.view_p99 is not None and window.view_p99 <= 260 < (full.view_p99 or 0)
    assert window.agreement is not None and window.agreement < 1 and window.runs == 2
    assert window.consistency == pytest.approx(window.agreement - 1)
    assert window.latency_ratio is None or window.latency_ratio > 0
    with pytest.raises(ReportError, match="no arm 'fool' to compare with; there are full, window"):
        metrics(results, "fool")


def test_the_command_prints_and_writes_the_table(sweep: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command.main([str(sweep), "--out", str(sweep / "m.parquet")])
    printed = capsys.readouterr().out
    assert "consistency" in printed and "window" in printed and "under 5 the floor" in printed
    assert (sweep / "m.parquet").is_file()
