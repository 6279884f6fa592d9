"""Instances are read from every kind of file, and a bad row is said before anything runs."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pandas as pd
import pytest

from tasks.swebench import choice
from tasks.swebench.rows import SINCE_5, Row, load
from tests.swebench.toyrows import ID, row, written

MANY = [row(instance_id=f"toy__adder-{n}") for n in range(30)]


def rows() -> list[Row]:
    return [Row(str(raw["instance_id"]), "", "", "", "", "", {}) for raw in MANY]


def test_every_kind_of_file_gives_the_same_rows(tmp_path: Path) -> None:
    (tmp_path / "rows.json").write_text(json.dumps(MANY))
    pd.DataFrame(MANY).to_parquet(tmp_path / "rows.parquet")
    lines = written(tmp_path, *reversed(MANY))
    found = [load(str(tmp_path / name), "test") for name in ("rows.json", "rows.parquet")] + [load(lines, "test")]
    assert found[0] == found[1] == found[2]
    assert [one.id for one in found[0]] == sorted(raw["instance_id"] for raw in MANY)
    assert found[0][0].everything == MANY[0]


def test_an_old_file_is_told_what_it_lacks_and_where_to_get_it(tmp_path: Path) -> None:
    old = {key: value for key, value in row().items() if key not in SINCE_5}
    with pytest.raises(ValueError, match=r"no column image, eval_script.*older than version 5.*SWE-bench_Lite"):
        load(written(tmp_path, row(instance_id="a-1"), old), "test")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"image": ""}, "image is ''"),
        ({"eval_script": None}, "eval_script is None"),
        ({"FAIL_TO_PASS": "test_a, test_b"}, "FAIL_TO_PASS"),
        ({"PASS_TO_PASS": "{}"}, "PASS_TO_PASS"),
        ({"instance_id": "../up"}, "no file name"),
    ],
)
def test_a_bad_value_names_row_and_column(tmp_path: Path, change: dict[str, object], said: str) -> None:
    with pytest.raises(ValueError, match=f"row 2 .*{said}"):
        load(written(tmp_path, row(instance_id="first-1"), row(**change)), "test")


def test_what_is_no_swebench_data_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="no column repo"):
        load(written(tmp_path, {"text": "hello"}), "test")
    with pytest.raises(ValueError, match="twice"):
        load(written(tmp_path, row(), row()), "test")
    with pytest.raises(ValueError, match="no instance"):
        load(written(tmp_path), "test")
    with pytest.raises(FileNotFoundError, match="no such file"):
        load(str(tmp_path / "none.jsonl"), "test")
    (tmp_path / "torn.json").write_text("[{")
    with pytest.raises(ValueError, match="no JSON"):
        load(str(tmp_path / "torn.json"), "test")


def test_instances_are_picked_by_id_file_list_and_lot(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("# two\ntoy__adder-7\n\ntoy__adder-3  # the other\n")
    assert [one.id for one in choice.chosen(rows(), ["toy__adder-2", "toy__adder-1"], None, 0)] == [
        "toy__adder-2",
        "toy__adder-1",
    ]
    assert [one.id for one in choice.chosen(rows(), str(tmp_path / "mine.txt"), None, 0)] == [
        "toy__adder-7",
        "toy__adder-3",
    ]
    assert [one.id for one in choice.chosen(rows(), "toy__adder-4", None, 0)] == ["toy__adder-4"]
    lot = choice.chosen(rows(), None, 5, 1)
    shuffled = rows()
    random.Random(3).shuffle(shuffled)
    assert lot == choice.chosen(shuffled, None, 5, 1) != choice.chosen(rows(), None, 5, 2)
    assert len({one.id for one in lot}) == 5


def test_what_cannot_be_picked_is_said() -> None:
    with pytest.raises(ValueError, match=r"nobody.*there are focus5, lite50, smoke"):
        choice.chosen(rows(), "nobody", None, 0)
    with pytest.raises(ValueError, match=r"not in task\.data: matplotlib__matplotlib-26020"):
        choice.chosen(rows(), "focus5", None, 0)
    for count in (0, 31, True):
        with pytest.raises(ValueError, match="choose 1 to 30"):
            choice.chosen(rows(), None, count, 0)
    with pytest.raises(ValueError, match="twice"):
        choice.chosen(rows(), [ID, ID], None, 0)


def test_the_lists_that_come_with_the_project() -> None:
    sizes = {name: len(set(choice._ids(name))) for name in choice.names()}
    assert sizes == {"focus5": 5, "lite50": 50, "smoke": 3}
