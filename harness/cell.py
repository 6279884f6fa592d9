"""One cell: task x strategy x model x budget x instances, in one folder, that can be killed and run again.

    run.json            versions, git state, the resolved config, the identity
    episodes/ID.jsonl   a finished record; ID.jsonl.part while it runs; ID.times.jsonl wall-clock seconds
    grades/ID.json      what an outside judge said of what an episode left (harness/grades.py); evaluation/: his files
    calls.sqlite        answers by content, of models at temperature 0
    slots/ID.json       what became of the calls of episodes that share slots (docs/serving.md)
    forks/ID.json       what the strategy's tools could still return at the checkpoints
    errors/ID.txt       the traceback of an episode that the machinery, not the strategy, ended
    *.parquet           the tables, see harness/tables.py
    metrics.json        written last: the cell is whole
"""

from __future__ import annotations

import fcntl
import json
import time
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from harness import grades, host, parts, spend, suite, tables
from harness.contract import Instance
from harness.cost.prices import tariff
from harness.files import write_json, write_text
from harness.identity import difference, identity
from harness.journal import Diverged
from harness.models.cached import CachedSource
from harness.parts import Parts
from harness.purse import SpentUp
from harness.salt import public
from harness.serving.group import groups, play, record, whole


class CellError(Exception):
    """The folder of a cell cannot be used; the message says why and what to do."""


@dataclass(frozen=True, slots=True)
class Progress:
    episodes: int
    planned: int
    steps: int


Report = Callable[[Progress], None]


def run(
    config: Mapping[str, Any], folder: Path, names: Mapping[str, str], report: Report | None = None, wait: bool = False
) -> bool:
    """Run what is missing and write the tables. Returns whether every planned instance has a result.

    wait: until another process has left the folder (equal jobs of one sweep), instead of refusing.
    Raises SettingsError, CellError; an episode that the machinery ends is left for the next run, with its traceback.
    """
    with locked(folder, wait):
        _claim(config, folder, names)
        prices = tariff(config)
        graders = int(config.get("graders", 0))
        if tables.whole(folder, prices, graders > 0):
            return True
        built = _cached(spend.metered(parts.build(config), config, folder.parent), config, folder)
        done = Tally(len(built.instances), report)
        for group in groups(built):
            if not whole(built, group, folder) and not _attempt(built, group, folder, done):
                break
            done.ended(group)
        judged = grades.fill(built, folder, graders)
        return tables.write(folder, built, names, prices) and (judged or not graders)


def _cached(built: Parts, config: Mapping[str, Any], folder: Path) -> Parts:
    """With answers kept by content, where the model gives the same one every time."""
    where = {"cell": folder, "shared": folder.parent}.get(config.get("cache", "none"))
    if where is None or getattr(built.model, "temperature", None) != 0:
        return built
    return replace(built, model=CachedSource(built.model, where / "calls.sqlite", config["model"]))


class Tally:
    """Counts episodes and steps for a progress display."""

    def __init__(self, planned: int, report: Report | None) -> None:
        self.planned, self.report = planned, report
        self.episodes = self.steps = 0
        self._told = 0.0

    def step(self) -> None:
        self.steps += 1
        if self.report is not None and time.monotonic() - self._told > 0.25:
            self._tell()

    def ended(self, group: Sequence[Instance]) -> None:
        self.episodes += len(group)
        if self.report is not None:
            self._tell()

    def _tell(self) -> None:
        assert self.report is not None
        self._told = time.monotonic()
        self.report(Progress(self.episodes, self.planned, self.steps))


def _attempt(built: Parts, group: Sequence[Instance], folder: Path, done: Tally) -> bool:
    """Run one episode, or those that share a time; on a fault of the machinery leave the records for resume and say so
    in errors/. Returns whether others can be run.
    """
    fault, others = None, True
    try:
        try:
            play(built, group, folder, done.step)
        except Diverged as divergence:
            # The recorded attempt cannot be continued: it is set aside, and starts anew.
            write_text(folder / "errors" / f"{group[0].id}.diverged.txt", f"{divergence}\n")
            play(built, group, folder, done.step)
    except SpentUp as spent:
        fault, others = f"{spent}\n", False
    except Exception:
        fault = traceback.format_exc()
    for instance in group:
        error = folder / "errors" / f"{instance.id}.txt"
        if fault is None or record(folder, instance).is_file():
            error.unlink(missing_ok=True)
        else:
            write_text(error, fault)
    return others


@contextmanager
def locked(folder: Path, wait: bool = False) -> Iterator[None]:
    """One process at a time in a cell's folder; a killed one leaves no lock."""
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / ".lock", "w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        except BlockingIOError:
            raise CellError(
                f"{folder}: another process is at work in this folder; wait for it, or set name=…"
            ) from None
        yield


def _claim(config: Mapping[str, Any], folder: Path, names: Mapping[str, str]) -> None:
    """Make the folder this cell's own, or check that it is."""
    path, own = folder / "run.json", identity(config)
    if path.is_file():
        found = json.loads(path.read_text())
        if found["identity"] != own:
            changes = list(difference(found["config"], public(config)))
            listed = "\n  ".join(changes or ["the settings are equal; the sources differ"])
            raise CellError(
                f"{folder} belongs to another configuration:\n  {listed}\nmove it away, or set name=…"
            )
        return
    row = {"identity": own, "names": dict(names), "suite": suite.of_task(config), "config": public(config)}
    write_json(path, {**row, **host.describe()})
