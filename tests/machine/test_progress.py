"""What a sweep shows: plain lines without a terminal, one display with one."""

from __future__ import annotations

import io
import json
from pathlib import Path

from rich.console import Console

from harness import job
from harness.progress import Display, clear


def tell(folder: Path, **row: object) -> Path:
    folder.mkdir(exist_ok=True)
    job.state(folder).write_text(json.dumps(row))
    return folder


def shown(folders: list[Path], terminal: bool) -> str:
    out = io.StringIO()
    display = Display(folders, Console(file=out, force_terminal=terminal, width=120))
    display.start()
    display.stop()
    return out.getvalue()


def test_a_plain_line_for_each_cell_that_ended(tmp_path: Path) -> None:
    folders = [
        tell(tmp_path / "one", ended=True, ok=True, seconds=1.5),
        tell(tmp_path / "two", ended=True, ok=False, seconds=0.1),
        tell(tmp_path / "three", ended=False, episodes=1, planned=4, steps=80),
        tmp_path / "not begun",
    ]
    lines = shown(folders, terminal=False).splitlines()
    assert lines == [
        "[1/4] one: done (1.5 s)",
        f"[2/4] two: FAILED, see {tmp_path / 'two' / 'error.txt'} (0.1 s)",
    ]


def test_a_terminal_gets_cells_rate_and_time_left(tmp_path: Path) -> None:
    folders = [
        tell(tmp_path / "one", ended=True, ok=True, seconds=1.5, steps=100),
        tell(tmp_path / "two", ended=False, episodes=1, planned=4, steps=80),
    ]
    text = shown(folders, terminal=True)
    assert "1/2 cells" in text
    assert "turns/s" in text
    assert "left" in text


def test_a_half_written_state_is_no_state(tmp_path: Path) -> None:
    folder = tell(tmp_path / "one")
    job.state(folder).write_text('{"ended": tr')
    assert shown([folder], terminal=False) == ""


def test_an_earlier_sweep_is_forgotten(tmp_path: Path) -> None:
    folder = tell(tmp_path / "one", ended=True, ok=True, seconds=1.5)
    clear([folder, tmp_path / "never"])
    assert shown([folder], terminal=False) == ""
