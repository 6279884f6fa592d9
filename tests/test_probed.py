"""What was asked on forks, as a table: shares of an instance first, and nothing where nothing was asked."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from harness import probed
from tests.machine.cli import User, finish

SCOPE = {"family": "graph", "model": "m", "budget": 10, "arm": "a", "tokens": 5}


def asked(instance: str, *verdicts: str, tools: bool = False) -> list[dict[str, object]]:
    return [{**SCOPE, "instance": instance, "tools": tools, "checkpoint": 20, "verdict": one} for one in verdicts]


def test_an_instance_with_many_questions_weighs_no_more_than_one_with_few() -> None:
    rows = [*asked("x", *["right"] * 9, "stale"), *asked("y", "abstained"), *asked("y", "right", tools=True)]
    found = probed.table(pd.DataFrame(rows))
    assert list(found["tools"]) == [False, True]
    first = found.iloc[0]
    assert (first["instances"], first["asked"]) == (2, 11)
    assert (first["right"], first["stale"], first["abstained"], first["wrong"]) == pytest.approx((0.45, 0.05, 0.5, 0.0))
    assert pd.isna(first["low"])  # two instances are too few for an interval


def test_with_enough_instances_there_is_an_interval() -> None:
    rows = [row for n in range(10) for row in asked(f"i{n}", "right" if n % 2 else "wrong", "right")]
    first = probed.table(pd.DataFrame(rows)).iloc[0]
    assert first["low"] < first["right"] == 0.75 < first["high"]


def test_a_sweep_without_probes_says_how_to_have_some(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    user = User.at(tmp_path)
    assert finish(user.start("-m", "strategy=full", "budget=260", "name=m", "quiet=true")).code == 0
    assert probed.main([str(user.folder / "results" / "m")]) == 2
    assert "probes=2" in capsys.readouterr().err
