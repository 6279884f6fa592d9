"""What happens around the jobs of a run or a sweep: plan and check before, report after."""

from __future__ import annotations

import sys
import traceback
from pathlib import Path
from typing import Any

from hydra.experimental.callback import Callback
from omegaconf import DictConfig, OmegaConf

from harness import job, plan, progress
from harness.parts import SettingsError
from harness.plan import Cell


class Sweep(Callback):
    """Hydra calls it in the process that was started. An impossible setting ends everything before the first episode.

    Hydra turns exceptions of callbacks into warnings, so the end of the program is raised as SystemExit.
    """

    def __init__(self) -> None:
        self.cells: list[Cell] = []
        self.display: progress.Display | None = None

    def __getstate__(self) -> dict[str, Any]:
        return {"cells": [], "display": None}  # launchers send callbacks to their workers; the display stays here

    def on_run_start(self, config: DictConfig, **kwargs: Any) -> None:
        self._start([list(config.hydra.overrides.task)], bool(config.quiet))

    def on_multirun_start(self, config: DictConfig, **kwargs: Any) -> None:
        params = OmegaConf.to_container(config.hydra.sweeper.params or OmegaConf.create({}))
        assert isinstance(params, dict)
        jobs = plan.expand(list(config.hydra.overrides.task), {str(k): v for k, v in params.items()})
        self._start(jobs, bool(config.quiet))

    def on_run_end(self, config: DictConfig, **kwargs: Any) -> None:
        self._end()

    def on_multirun_end(self, config: DictConfig, **kwargs: Any) -> None:
        self._end()

    def _start(self, jobs: list[list[str]], quiet: bool) -> None:
        try:
            self.cells = plan.cells(jobs)
            notes = plan.check(self.cells)
        except SettingsError as error:
            sys.exit(f"longhaul: {error}")
        folders = [cell.folder for cell in self.cells]
        plan.write(self.cells)
        progress.clear(folders)
        repeated = f" ({len(jobs)} jobs, equal ones once)" if len(jobs) != len(self.cells) else ""
        print(f"{len(self.cells)} cells planned{repeated} in {folders[0].parent}", file=sys.stderr)
        for note in notes:
            print(f"note: {note}", file=sys.stderr)
        if not quiet:
            self.display = progress.Display(folders)
            self.display.start()

    def _end(self) -> None:
        if self.display is not None:
            self.display.stop()
        if not self.cells:
            return
        from harness import summary  # drawing libraries load only when there is something to draw

        folder = self.cells[0].folder.parent
        try:
            summary.write(folder)
        except Exception:
            traceback.print_exc()
            sys.exit(f"longhaul: the cells are done, but the summary of {folder} failed; python -m harness.summary {folder}")
        failed = [cell.folder for cell in self.cells if (cell.folder / job.ERROR).is_file()]
        if failed:
            sys.exit(_list(failed, len(self.cells)))


def _list(failed: list[Path], planned: int) -> str:
    lines = [f"{len(failed)} of {planned} cells failed; the same command runs what is missing:"]
    for folder in failed:
        text = (folder / job.ERROR).read_text().strip().splitlines()
        lines.append(f"  {folder / job.ERROR}: {text[-1] if text else ''}")
    return "\n".join(lines)
