"""Do the ranks of arms hold when a dial of the reader is moved by half?"""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from harness.plan import Cell
from harness.sensitivity import Moved, agreements, main, moves, planned, table


def test_each_dial_moves_down_and_up_within_its_range_and_what_is_off_stays() -> None:
    found = list(moves({"_target_": "x", "retrieve": 0.4, "pick": 0.8, "open": 1.0, "tries": 2, "bluff": 0.0}))
    assert found == [
        Moved("retrieve", 0.2), Moved("retrieve", 0.6), Moved("pick", 0.4), Moved("pick", 1.0), Moved("open", 0.5),
        Moved("tries", 1), Moved("tries", 3),
    ]  # fmt: skip


def test_the_arms_that_change_places_are_named_for_each_move(tmp_path: Path) -> None:
    move = Moved("retrieve", 0.2)
    scores = {
        ("graph", "a", None): 0.9, ("graph", "b", None): 0.5, ("graph", "c", None): 0.1,
        ("graph", "a", move): 0.4, ("graph", "b", move): 0.5, ("graph", "c", move): 0.1,
    }  # fmt: skip
    cells = {}
    for number, (key, value) in enumerate(scores.items()):
        folder = tmp_path / str(number)
        folder.mkdir()
        rows = [{"checkpoint": k, "success": v} for k, v in ((20, 0.0), (80, value), (80, value))]
        pd.DataFrame(rows).to_parquet(folder / "checkpoints.parquet")
        cells[key] = Cell({}, {}, folder)
    found = agreements(cells)
    assert found["graph", move].tau == pytest.approx(1 / 3)
    assert table(found).splitlines()[-1] == "| graph | reader.retrieve=0.2 | 0.33 | 3 | a/b |"
    (tmp_path / "0" / "checkpoints.parquet").unlink()
    assert agreements(cells)["graph", move].missing == 1


def test_every_arm_has_a_cell_for_the_profile_and_for_each_move(tmp_path: Path) -> None:
    given = {"task": "graph", "strategy": "window,mask", "reader": "realistic", "results": str(tmp_path)}
    cells = planned(given)
    names = {move for _, _, move in cells}
    assert len(cells) == 2 * len(names) and None in names and Moved("retrieve", 0.175) in names
    assert cells["graph", "mask", Moved("pick", 1.0)].config["reader"]["pick"] == 1
    assert len({cell.folder for cell in cells.values()}) == len(cells)


def test_what_is_no_setting_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["graph"]) == 2
    assert "'graph' is no setting: write key=value" in capsys.readouterr().out
