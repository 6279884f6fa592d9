"""The regression case: fixed instances, paired differences with the saved curve."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness import regress
from harness.files import write_json

OLD = {"graph success@20": {f"graph-{n:03d}": 0.5 + 0.01 * n for n in range(10)}}
NEW = {"graph success@20": {f"graph-{n:03d}": 0.4 + 0.012 * n for n in range(10)}}


def test_differences_are_paired_by_instance() -> None:
    (one,) = regress.compare(OLD, NEW)
    assert (one.before, one.after) == (pytest.approx(0.545), pytest.approx(0.454))
    estimate = one.difference.estimate
    assert estimate.mean == pytest.approx(-0.091) and estimate.scored == 10
    assert estimate.high is not None and estimate.high < -0.08
    assert one.difference.p == pytest.approx(2 / 2**10)


def test_an_unmoved_curve_says_so_and_a_moved_one_says_where_most() -> None:
    assert "nothing moved" in "\n".join(regress.lines(regress.compare(OLD, OLD)))
    text = "\n".join(regress.lines(regress.compare(OLD, NEW)))
    assert "1 of 1 points moved, most of all graph success@20: 0.545 -> 0.454" in text and "-0.091" in text


def test_only_what_both_curves_have_is_compared() -> None:
    gone = {"graph success@20": {"graph-000": 0.5, "graph-001": None}, "graph retention@20": {"graph-000": None}}
    (one,) = regress.compare(OLD, gone)
    assert one.difference.estimate.scored == 1 and one.before == one.after == 0.5


def test_a_curve_of_another_suite_is_not_compared(tmp_path: Path) -> None:
    file = tmp_path / "window.json"
    assert "there is no" in regress.compared(file, NEW, "v1 aaaa")[-1]
    write_json(file, {"settings": ["strategy=window"], "suite": "v1 aaaa", "curve": OLD})
    assert "1 of 1 points moved" in "\n".join(regress.compared(file, NEW, "v1 aaaa"))
    other = "\n".join(regress.compared(file, NEW, "v2 bbbb"))
    assert "saved under suite v1 aaaa, now it is v2 bbbb" in other and "moved" not in other


def test_the_case_is_fixed_whatever_the_configuration_says() -> None:
    cells = regress.cells(["strategy=window"])
    assert [cell.names["task"] for cell in cells] == ["pipeline", "graph"]
    for cell in cells:
        task = cell.config["task"]
        assert (task["horizon"], task["instances"], task["seed"], cell.config["seed"]) == (80, 10, 0, 0)
        assert (cell.config["budget"], cell.config["checkpoints"]) == (6000, [20, 40, 60, 80])


def test_a_case_is_run_saved_and_compared_in_the_working_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    settings = ["strategy=empty", "task.horizon=20", "task.subtasks=3", "checkpoints=[20]", "instances=2"]
    settings += ["isolate=false", "embedder=none", "limits.output=99"]
    regress.main([*settings, "--save"])
    assert regress.path(settings).is_file() and "saved as" in capsys.readouterr().out
    regress.main(settings)
    assert "nothing moved" in capsys.readouterr().out


def test_settings_make_the_name_of_the_saved_curve() -> None:
    assert regress.path(["strategy=window", "strategy.low_water=0.6"]).name == "window-low_water=0.6.json"
    with pytest.raises(SystemExit):
        regress.main(["low_water=0.6"])
