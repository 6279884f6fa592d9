"""One cell: task x strategy x model x budget x instances, in one folder, that can be killed and run again.

    run.json            versions, git state, the resolved config, the identity
    episodes/ID.jsonl   a finished record; ID.jsonl.part while it runs; ID.times.jsonl wall-clock seconds
    calls.sqlite        answers by content, of models at temperature 0
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

from harness import host, parts, spend, suite, tables
from harness.contract import Instance, MemoryTools
from harness.cost.prices import tariff
from harness.episode import Episode
from harness.facts import table as fact_table
from harness.files import write_json, write_text
from harness.forks import recovered
from harness.identity import difference, identity
from harness.journal import Diverged, Journal, mend
from harness.models.cached import CachedSource
from harness.parts import Parts
from harness.probes import probe, row
from harness.purse import SpentUp
from harness.record import parse
from harness.remote.strategy import ending
from harness.salt import public
from harness.setup import Ended, Setup


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
        if tables.whole(folder, prices):
            return True
        built = _cached(spend.metered(parts.build(config), config, folder.parent), config, folder)
        done = Tally(len(built.instances), report)
        for instance in built.instances:
            if not _record(folder, instance).is_file() and not _attempt(built, instance, folder, done):
                break
            done.episode()
        return tables.write(folder, built, names, prices)


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

    def episode(self) -> None:
        self.episodes += 1
        if self.report is not None:
            self._tell()

    def _tell(self) -> None:
        assert self.report is not None
        self._told = time.monotonic()
        self.report(Progress(self.episodes, self.planned, self.steps))


def _attempt(built: Parts, instance: Instance, folder: Path, done: Tally) -> bool:
    """Run one episode; on a fault of the machinery leave its record for resume and say so in errors/. Returns whether
    others can be run.
    """
    error = folder / "errors" / f"{instance.id}.txt"
    try:
        try:
            play(built, instance, _record(folder, instance), done.step)
        except Diverged as divergence:
            # The recorded attempt cannot be continued: it is set aside, and the episode starts anew.
            write_text(folder / "errors" / f"{instance.id}.diverged.txt", f"{divergence}\n")
            play(built, instance, _record(folder, instance), done.step)
        error.unlink(missing_ok=True)
    except SpentUp as spent:
        write_text(error, f"{spent}\n")
        return False
    except Exception:
        write_text(error, traceback.format_exc())
    return True


def play(built: Parts, instance: Instance, path: Path, step: Callable[[], None] = lambda: None) -> Ended:
    """Run (or resume) one episode and keep its record at `path`. No process that its strategies had is left."""
    with ending(built.strategy) as strategy:
        return _play(replace(built, strategy=strategy), instance, path, step)


def _play(built: Parts, instance: Instance, path: Path, step: Callable[[], None]) -> Ended:
    seed = built.episode_seed(instance)
    environment = built.task.open(instance, seed)
    journal = Journal(path).open()
    try:
        setup = Setup(
            instance,
            seed,
            environment,
            built.strategy,
            built.model.open(built.task, environment, seed),
            built.tokenizer,
            built.budget,
            built.limits,
            built.checkpoints,
            built.compactor.open(built.task, environment, seed) if built.compactor else None,
            built.embedder,
            built.clock,
        )
        with _times(path) as write_times:

            def turn(row: Sequence[float]) -> None:
                write_times(row)
                step()

            episode = Episode(setup, journal, turn)
            ended = episode.run()
        _fork(built, episode, path)
        journal.finish()
        return ended
    except Diverged:
        journal.discard()
        raise
    finally:
        journal.close()
        environment.close()


def _fork(built: Parts, episode: Episode, path: Path) -> None:
    """Before the record gets its final name, so that a whole record always has its forks."""
    asks = built.probes > 0
    if not asks and not isinstance(built.strategy(), MemoryTools):
        return
    facts = fact_table(parse(episode.journal.rows())).facts
    if asks:
        model = built.model.open(built.task, episode.setup.environment, episode.setup.seed)
        found = [row(path.stem, one) for one in probe(episode, model, facts, built.probes)]
        write_json(path.parent.parent / "forks" / f"{path.stem}.probes.json", found)
    states, raised = recovered(episode, facts, built.task.grammar)
    folder = path.parent.parent / "forks"
    if states:
        write_json(folder / f"{path.stem}.json", states)
    if raised:
        write_json(folder / f"{path.stem}.raised.json", raised)


@contextmanager
def _times(path: Path) -> Iterator[Callable[[Sequence[float]], None]]:
    """Seconds are kept apart: they differ between two runs of the same episode."""
    times = path.with_name(f"{path.stem}.times.jsonl")
    with open(times, "a", encoding="utf-8") as file:
        mend(times)

        def write(row: Sequence[float]) -> None:
            file.write("[" + ",".join(f"{value:.6g}" for value in row) + "]\n")

        yield write


def _record(folder: Path, instance: Instance) -> Path:
    return folder / "episodes" / f"{instance.id}.jsonl"


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
