"""The generated families of conf/task, and short runs of them through the real machine."""

from __future__ import annotations

from pathlib import Path

from harness import cell
from harness.plan import Cell
from harness.shortcuts import families

FAMILIES = families.generated()
CONF = Path(__file__).parent / "conf"
TINY = ("instances=1", "task.horizon=16", "task.subtasks=4", "checkpoints=[8,16]")


def finished(task: str, arm: str, folder: Path, *overrides: str) -> Cell:
    """A cell that has run, on a family or a fixture of this folder's own settings."""
    one = families.cells(task, [arm], folder, overrides, CONF)[arm]
    assert cell.run(one.config, one.folder, one.names), list((one.folder / "errors").glob("*"))
    return one


def bytes_of(one: Cell) -> dict[str, bytes]:
    """The records of a finished cell; wall-clock times are kept apart."""
    paths = sorted((one.folder / "episodes").glob("*.jsonl"))
    return {path.name: path.read_bytes() for path in paths if not path.name.endswith(".times.jsonl")}
