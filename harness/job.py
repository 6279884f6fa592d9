"""Run one cell and say how it ended; nothing that a cell does stops the sweep."""

from __future__ import annotations

import json
import os
import time
import traceback
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from harness import cell, isolate
from harness.files import write_text
from harness.plan import Cell

ERROR = "error.txt"


def state(folder: Path) -> Path:
    """Where a cell tells its progress to the display of the sweep."""
    return folder / ".progress.json"


def run(one: Cell) -> bool:
    """Run a cell, in a process of its own where `isolate` is set. True when every planned instance has a result.

    The traceback of a failure is in the cell's folder at once; what was recorded before stands.
    """
    started = time.monotonic()
    error = one.folder / ERROR
    error.unlink(missing_ok=True)
    if one.config["isolate"]:
        end = isolate.call(_run, dict(one.config), one.folder, dict(one.names))
    else:
        end = _caught(dict(one.config), one.folder, dict(one.names))
    if end is not None and not error.is_file():
        write_text(error, f"the process of this cell ended early: {end}\n")
    _tell(one.folder, {"ended": True, "ok": end is None, "seconds": round(time.monotonic() - started, 1)})
    return end is None


def _caught(config: Mapping[str, Any], folder: Path, names: Mapping[str, str]) -> str | None:
    try:
        _run(config, folder, names)
    except (Exception, SystemExit) as problem:
        return repr(problem)
    return None


def _run(config: Mapping[str, Any], folder: Path, names: Mapping[str, str]) -> None:
    """In the child: any failure leaves its traceback in the folder, then the process fails."""
    try:
        complete = cell.run(config, folder, names, lambda progress: _tell(folder, _row(progress)), wait=True)
    except BaseException:
        write_text(folder / ERROR, traceback.format_exc())
        raise
    if not complete:
        failed = [path for path in sorted((folder / "errors").glob("*.txt")) if not path.stem.endswith(".diverged")]
        first = failed[0].read_text() if failed else ""
        write_text(folder / ERROR, f"{len(failed)} episodes have no result; the first, {failed[0].stem}:\n{first}")
        raise SystemExit(3)


def _row(progress: cell.Progress) -> dict[str, Any]:
    return {"ended": False, "episodes": progress.episodes, "planned": progress.planned, "steps": progress.steps}


def _tell(folder: Path, row: Mapping[str, Any]) -> None:
    path = state(folder)
    old = json.loads(path.read_text()) if path.is_file() else {}
    # No sync: this is for a display, and lost with no harm.
    aside = path.with_name(f".progress.{os.getpid()}.new")
    aside.write_text(json.dumps({**old, **row}))
    aside.replace(path)


