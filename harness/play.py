"""One episode in its folder: from the parts to its record, its forks and its times."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from harness.contract import Instance, KeepsRaw, MemoryTools
from harness.episode import Episode
from harness.facts import table as fact_table
from harness.files import write_json
from harness.forks import recovered
from harness.journal import Diverged, Journal, mend
from harness.parts import Parts
from harness.probes import probe, row
from harness.record import parse
from harness.remote.strategy import ending
from harness.setup import Ended, Setup


def play(built: Parts, instance: Instance, path: Path, step: Callable[[], None] = lambda: None) -> Ended:
    """Run (or resume) one episode and keep its record at `path`. No process that its strategies had is left."""
    with ending(built.strategy) as strategy:
        return _play(replace(built, strategy=strategy), instance, path, step)


def _play(built: Parts, instance: Instance, path: Path, step: Callable[[], None]) -> Ended:
    seed = built.episode_seed(instance)
    environment = built.task.open(instance, seed)
    if isinstance(environment, KeepsRaw):
        environment.keep_raw(str(path.parent.parent / "raw" / path.stem))
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
            built.better.open(built.task, environment, seed) if built.better else None,
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
    """Seconds are kept apart: they differ between two runs of the same episode.

    Each line is written as its turn ends, for a turn that is resumed has no time of its own.
    """
    times = path.with_name(f"{path.stem}.times.jsonl")
    with open(times, "a", encoding="utf-8", buffering=1) as file:
        mend(times)

        def write(row: Sequence[float]) -> None:
            file.write("[" + ",".join(f"{value:.6g}" for value in row) + "]\n")

        yield write
