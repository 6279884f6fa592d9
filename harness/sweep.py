"""What happens around the jobs of a run or a sweep: plan and check before, report after."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from hydra.errors import HydraException
from hydra.experimental.callback import Callback
from omegaconf import DictConfig, ListConfig, OmegaConf
from omegaconf.errors import OmegaConfBaseException

from harness import cell, dry, job, plan, progress, ready, spend
from harness.cell import CellError
from harness.parts import Parts, SettingsError
from harness.plan import Cell


class Sweep(Callback):
    """Hydra calls it in the process that was started. An impossible setting ends everything before the first episode.

    Hydra turns exceptions of callbacks into warnings, so the end of the program is raised as SystemExit.
    """

    def __init__(self) -> None:
        self.cells: list[Cell] = []
        self.display: progress.Display | None = None
        self.held = ExitStack()  # the lock of the sweep's folder

    def __reduce__(self) -> tuple[type[Sweep], tuple[()]]:
        return Sweep, ()  # launchers send callbacks to their workers; display and lock stay here

    def on_run_start(self, config: DictConfig, **kwargs: Any) -> None:
        self._start([_raw(config.hydra.overrides.task)], config)

    def on_multirun_start(self, config: DictConfig, **kwargs: Any) -> None:
        params = OmegaConf.to_container(config.hydra.sweeper.params or OmegaConf.create({}))
        assert isinstance(params, dict)
        jobs = plan.expand(_raw(config.hydra.overrides.task), {str(k): v for k, v in params.items()})
        self._start(jobs, config)

    def on_run_end(self, config: DictConfig, **kwargs: Any) -> None:
        self._end()

    def on_multirun_end(self, config: DictConfig, **kwargs: Any) -> None:
        self._end()

    def _start(self, jobs: list[list[str]], config: DictConfig) -> None:
        try:
            self.cells = plan.cells(jobs, _raw(config.hydra.overrides.hydra))
            notes, built = plan.check(self.cells)
            if any(dry.wanted(one.config, own.model) for one, own in zip(self.cells, built, strict=True)):
                print("\n".join([*dry.plan(self.cells, built), *(f"note: {note}" for note in notes)]))
                sys.exit(0)
            _ready(self.cells, built)
            notes += spend.notes(self.cells, built)
            # Two sweeps in one folder would share its plan and its summary.
            self.held.enter_context(cell.locked(self.cells[0].folder.parent))
        except (SettingsError, CellError, HydraException, OmegaConfBaseException) as error:
            sys.exit(f"longhaul: {error}")
        except (Exception, SystemExit) as problem:
            if isinstance(problem, SystemExit) and problem.code == 0:
                raise
            traceback.print_exc()
            sys.exit("longhaul: the cells could not be planned; nothing was run")
        folders = [one.folder for one in self.cells]
        plan.write(self.cells)
        progress.clear(folders)
        repeated = f" ({len(jobs)} jobs, equal ones once)" if len(jobs) != len(self.cells) else ""
        print(f"{len(self.cells)} cells planned{repeated} in {folders[0].parent}", file=sys.stderr)
        for note in notes:
            print(f"note: {note}", file=sys.stderr)
        if not config.quiet:
            self.display = progress.Display(folders)
            self.display.start()

    def _end(self) -> None:
        if self.display is not None:
            self.display.stop()
        if not self.cells:
            return
        folder = self.cells[0].folder.parent
        problems: list[str] = []
        try:
            from harness import summary  # drawing libraries load only when there is something to draw

            summary.write(folder)
        except Exception:
            traceback.print_exc()
            problems.append(f"longhaul: the cells have ended, but no summary: python -m harness.summary {folder}")
        self.held.close()
        if failed := [one.folder for one in self.cells if (one.folder / job.ERROR).is_file()]:
            problems.append(_list(failed, len(self.cells)))
        if problems:
            sys.exit("\n".join(problems))


def _ready(cells: Sequence[Cell], built: Sequence[Parts]) -> None:
    """What a plan that might have been a dry one has not asked yet."""
    for one, own in zip(cells, built, strict=True):
        if one.config.get("dry"):
            ready.check_task(own)


def _raw(overrides: ListConfig) -> list[str]:
    """As typed: an interpolation in an override is resolved within its own job."""
    typed = OmegaConf.to_container(overrides, resolve=False)
    assert isinstance(typed, list)
    return [str(override) for override in typed]


def _list(failed: list[Path], planned: int) -> str:
    lines = [f"{len(failed)} of {planned} cells failed; the same command runs what is missing:"]
    for folder in failed:
        text = (folder / job.ERROR).read_text().strip().splitlines()
        lines.append(f"  {folder / job.ERROR}: {text[-1] if text else ''}")
    return "\n".join(lines)
