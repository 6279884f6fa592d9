"""The tables of results/reference are what their commands make, and a difference is found and named."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from harness.reference import __main__ as command
from harness.reference.tables import differences
from tests.machine.cli import ROOT

REFERENCE = ROOT / "results" / "reference"
APART = ("local", "performance")  # measured on a machine or with a model: no command makes the same digits again
TABLE = pd.DataFrame({"arm": ["none", "mask"], "step": [20, 20], "value": [0.1 + 0.2, None], "n": [8, 0]})


def test_the_smoke_tables_are_made_again_to_the_digit(capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(["smoke", "--reference", str(REFERENCE)]) == 0
    assert capsys.readouterr().out == "smoke: summary.parquet, values.parquet to the digit\n"


def test_every_table_has_a_command() -> None:
    known = command.parts(REFERENCE)
    for path in REFERENCE.glob("*/**/*"):
        folder, *rest = path.relative_to(REFERENCE).parts
        if path.is_file() and folder not in APART:
            part = known[folder]
            assert "/".join(rest) in {*part.tables, *part.pictures}, f"{path} has no command in commands.yaml"


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"value": [0.3, float("nan")]}, None),  # 0.1 + 0.2, but for the bits past the twelfth digit
        ({"value": [0.30000000001, None]}, "arm=none, step=20, value: 0.3 in the reference, 0.30000000001 now"),
        ({"value": [0.3, 0.0]}, "arm=mask, step=20, value: missing in the reference, 0 now"),
        ({"n": [8, 1]}, "arm=mask, step=20, n: 0 in the reference, 1 now"),
        ({"arm": ["none", "trim"]}, "arm=mask, step=20: there in the reference, (not there) now"),
        ({"more": [1, 2]}, "the table, columns: arm, step, value, n in the reference, arm, step, value, n, more now"),
    ],
)
def test_the_first_difference_is_named(change: dict[str, list[object]], said: str | None) -> None:
    found = list(differences(TABLE, TABLE.assign(**change)))
    assert (str(found[0]) if found else None) == said


def folder(tmp_path: Path, stored: str) -> Path:
    (tmp_path / "part").mkdir()
    (tmp_path / "part" / "t.json").write_text(stored)
    listed = "part:\n  commands: ['python -c \"open(\\\"made.json\\\", \\\"w\\\").write(\\\"[1, 2]\\\")\"']\n"
    (tmp_path / "commands.yaml").write_text(f"{listed}  tables: {{t.json: made.json}}\n")
    return tmp_path


def test_a_difference_ends_with_status_1_and_is_stored_when_that_is_asked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place = str(folder(tmp_path, "[1, 3, 4]"))
    assert command.main(["--reference", place]) == 1
    first, second = capsys.readouterr().out.splitlines()
    assert first.endswith("t.json: at=/2: there in the reference, (not there) now")
    assert second.endswith("t.json: at=/1, value: 3 in the reference, 2 now")
    assert command.main(["--reference", place, "--save"]) == 0
    assert command.main(["--reference", place]) == 0


def test_a_command_that_fails_or_leaves_no_table_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    place = folder(tmp_path, "[]")
    for line, said in (("python -c 1/0", "ended with status 1"), ("python -c 0", "no made.json after")):
        (place / "commands.yaml").write_text(f"part:\n  commands: [{line}]\n  tables: {{t.json: made.json}}\n")
        assert command.main(["--reference", str(place)]) == 1
        assert said in capsys.readouterr().err
    with pytest.raises(SystemExit):
        command.main(["nothing", "--reference", str(place)])
