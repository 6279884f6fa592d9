"""A record on disk: a torn tail is mended, damage is loud, replay hands out what was written and nothing else."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import pytest

from harness.journal import DamagedRecord, Diverged, Journal, mend, read

ROWS: list[dict[str, Any]] = [
    {"row": "head", "n": 1},
    {"row": "turn", "text": "中\n\u2028 é"},
    {"row": "answer", "x": [1, 2.5]},
]


def written(folder: Path) -> Path:
    """A finished record."""
    path = folder / "e.jsonl"
    journal = Journal(path, sync=True).open()
    for row in ROWS:
        journal.write(row)
    journal.end({"row": "end", "score": {}})
    assert not path.exists(), "the final name is given at the end"
    journal.finish()
    return path


def broken_off(folder: Path, rows: int = 3) -> Path:
    path = folder / "e.jsonl"
    journal = Journal(path).open()
    for row in ROWS[:rows]:
        journal.write(row)
    journal.close()
    return path


def test_a_finished_record_gives_its_rows_back(tmp_path: Path) -> None:
    path = written(tmp_path)
    rows = read(path)
    assert rows[:3] == ROWS
    assert rows[3]["row"] == "end"
    assert [p.name for p in tmp_path.iterdir()] == ["e.jsonl"]


def test_a_torn_last_line_is_cut_off_at_every_byte(tmp_path: Path) -> None:
    part = broken_off(tmp_path).with_name("e.jsonl.part")
    content = part.read_bytes()
    lines = content.splitlines(keepends=True)
    for length in range(len(content) - len(lines[-1]), len(content)):
        part.write_bytes(content[:length])
        assert mend(part) == lines[:-1]
        assert part.read_bytes() == b"".join(lines[:-1])
    part.write_bytes(content)
    assert mend(part) == lines


@pytest.mark.parametrize("length", [0, 1, 5, 25, 30])
def test_writing_goes_on_behind_the_mended_tail(tmp_path: Path, length: int) -> None:
    whole = written(tmp_path / "whole").read_bytes()
    path = tmp_path / "cut" / "e.jsonl"
    path.parent.mkdir()
    path.with_name("e.jsonl.part").write_bytes(whole[:length])
    assert written(path.parent).read_bytes() == whole


def test_damage_before_the_last_line_is_loud(tmp_path: Path) -> None:
    part = broken_off(tmp_path).with_name("e.jsonl.part")
    lines = part.read_bytes().splitlines(keepends=True)
    part.write_bytes(lines[0] + lines[1][:12] + b"\n" + lines[2])
    before = part.read_bytes()
    with pytest.raises(DamagedRecord, match=r"e\.jsonl\.part: line 2 of 3 is no JSON"):
        Journal(tmp_path / "e.jsonl").open()
    assert part.read_bytes() == before, "nothing is repaired that a kill cannot explain"


def test_any_altered_byte_of_a_finished_record_is_noticed(tmp_path: Path) -> None:
    path = written(tmp_path)
    content = path.read_bytes()
    for position in range(len(content)):
        altered = bytes([content[position] ^ 1])
        path.write_bytes(content[:position] + altered + content[position + 1 :])
        with pytest.raises(DamagedRecord):
            read(path)
    for length in range(len(content)):
        path.write_bytes(content[:length])
        with pytest.raises(DamagedRecord):
            read(path)


def test_replay_hands_out_the_recorded_rows_and_accepts_equal_ones(tmp_path: Path) -> None:
    path = broken_off(tmp_path)
    before = path.with_name("e.jsonl.part").read_bytes()
    journal = Journal(path).open()
    assert journal.recorded == 3
    for row in ROWS:
        assert journal.replaying
        assert journal.recall(row["row"]) == row
        journal.write(row)
    assert not journal.replaying
    assert journal.recall("turn") is None
    assert path.with_name("e.jsonl.part").read_bytes() == before
    journal.write({"row": "more"})
    assert journal.rows() == [*ROWS, {"row": "more"}]
    journal.close()


def test_divergence_names_row_and_position(tmp_path: Path) -> None:
    path = broken_off(tmp_path)
    journal = Journal(path).open()
    journal.write(ROWS[0])
    with pytest.raises(Diverged, match=r"row 2 differs at byte 22: recorded ….*now …"):
        journal.write({"row": "turn", "text": "国"})
    with pytest.raises(Diverged, match="row 2 is 'turn', but the episode comes to 'ask'"):
        journal.recall("ask")
    journal.close()


def test_a_discarded_attempt_is_kept_under_a_name_of_its_own(tmp_path: Path) -> None:
    contents = []
    for rows in (1, 2):
        path = broken_off(tmp_path, rows)
        contents.append(path.with_name("e.jsonl.part").read_bytes())
        journal = Journal(path).open()
        assert journal.discard() == tmp_path / f"e.discarded-{rows}"
    assert [(tmp_path / f"e.discarded-{n}").read_bytes() for n in (1, 2)] == contents
    assert not path.with_name("e.jsonl.part").exists()


def test_the_digest_covers_all_rows_and_the_end_row_without_it(tmp_path: Path) -> None:
    head, tail = written(tmp_path).read_bytes().split(b',"sha256":"')
    assert tail == hashlib.sha256(head + b"}").hexdigest().encode() + b'"}\n'
