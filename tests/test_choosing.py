"""docs/choosing.md: made from tables, and an arm on the front is beaten by none."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from harness import choosing
from tests.machine.cli import ROOT


def rows(arms: dict[str, tuple[float, float]], overflow: float = 0.0) -> pd.DataFrame:
    """success and tokens of each arm."""
    found = []
    for arm, (success, tokens) in arms.items():
        own = {"family": "graph", "arm": arm, "strategy": arm, "reader": "ideal", "budget": 6000}
        own |= {"low": None, "high": None}
        found += [
            {**own, "checkpoint": 80, "measure": "success", "value": success},
            {**own, "checkpoint": None, "measure": "tokens_spent", "value": tokens},
            {**own, "checkpoint": None, "measure": "overflow_share", "value": overflow},
        ]
    return pd.DataFrame(found).astype({"checkpoint": "Int64", "low": "Float64", "high": "Float64"})


def front(arms: dict[str, tuple[float, float]]) -> set[str]:
    return {line.arm for line in choosing.lines(rows(arms), ["ideal"]) if line.front}


def test_the_page_is_what_the_command_prints(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    choosing.main([])
    assert capsys.readouterr().out == (ROOT / "docs" / "choosing.md").read_text()


def test_the_front_holds_who_is_beaten_in_both_by_nobody() -> None:
    assert front({"a": (0.9, 100.0), "b": (0.5, 50.0), "c": (0.4, 60.0)}) == {"a", "b"}
    assert front({"a": (0.9, 50.0), "b": (0.5, 50.0)}) == {"a"}
    assert front({"a": (0.5, 50.0), "b": (0.5, 50.0)}) == {"a", "b"}, "equals beat nobody"


def test_arms_beyond_the_budget_are_no_choice() -> None:
    found = choosing.lines(rows({"full": (1.0, 10.0), "none": (0.9, 10.0), "mask": (0.4, 60.0)}), ["ideal"])
    assert [(line.arm, line.front) for line in found] == [("mask", True)]


def test_who_leans_on_the_last_resort_is_marked(tmp_path: Path) -> None:
    for overflow, mark in ((0.11, True), (0.1, False)):
        rows({"mask": (0.4, 60.0)}, overflow).to_parquet(tmp_path / "summary.parquet")
        assert ("`mask` ‡" in choosing.page([tmp_path])) == mark


def test_no_summary_no_page(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match=r"summary\.parquet is missing: run"):
        choosing.main([str(tmp_path)])
