"""One display for a whole sweep: cells done, turns a second, time left. Plain lines where there is no terminal."""

from __future__ import annotations

import json
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from harness import job


class Display:
    """Reads what the cells tell of themselves, from whichever process; `start` and `stop` it once."""

    def __init__(self, folders: Sequence[Path], console: Console | None = None) -> None:
        self.folders = list(folders)
        self.console = console or Console(file=sys.stderr)
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._announced: set[Path] = set()

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._stop.set()
        self._thread.join(10)

    def _run(self) -> None:
        if self.console.is_terminal:
            self._live()
        else:
            while not self._stop.wait(1.0):
                self._announce()
            self._announce()

    def _announce(self) -> None:
        """A line for each cell that ended since the last look."""
        for folder in self.folders:
            state = _state(folder)
            if state.get("ended") and folder not in self._announced:
                self._announced.add(folder)
                how = "done" if state["ok"] else f"FAILED, see {folder / job.ERROR}"
                self.console.print(
                    f"[{len(self._announced)}/{len(self.folders)}] {folder.name}: {how} ({state['seconds']} s)",
                    markup=False, highlight=False, soft_wrap=True,
                )  # fmt: skip

    def _live(self) -> None:
        columns = (
            SpinnerColumn(),
            TextColumn("{task.description}"),
            BarColumn(),
            TextColumn("{task.fields[cells]}"),
            TextColumn("{task.fields[rate]} turns/s"),
            TimeElapsedColumn(),
            TextColumn("left"),
            TimeRemainingColumn(),
        )
        started = time.monotonic()
        with Progress(*columns, console=self.console, transient=True) as progress:
            bar = progress.add_task("sweep", total=len(self.folders), cells="", rate="0")
            while True:
                stopping = self._stop.wait(0.3)
                states = [_state(folder) for folder in self.folders]
                ended = sum(bool(s.get("ended")) for s in states)
                part = sum(s["episodes"] / s["planned"] for s in states if not s.get("ended") and s.get("planned"))
                turns = sum(s.get("steps", 0) for s in states)
                rate = turns / max(time.monotonic() - started, 1e-9)
                cells = f"{ended}/{len(states)} cells"
                progress.update(bar, completed=ended + part, cells=cells, rate=f"{rate:,.0f}")
                if stopping:
                    return


def clear(folders: Sequence[Path]) -> None:
    """Forget what an earlier sweep told of these cells."""
    for folder in folders:
        job.state(folder).unlink(missing_ok=True)


def _state(folder: Path) -> dict[str, Any]:
    try:
        return dict(json.loads(job.state(folder).read_text()))
    except (OSError, ValueError):
        return {}
