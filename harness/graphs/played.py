"""Episodes that are played to look into the strategy afterwards; nothing of them is kept."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from harness import record
from harness.contract import Strategy
from harness.history import History
from harness.parts import Parts, SettingsError
from harness.play import play
from harness.record import Record


@dataclass(frozen=True, slots=True)
class Played:
    """A finished episode, and its strategy in the state in which it ended."""

    record: Record
    strategy: Strategy
    history: History


def played(parts: Parts) -> Iterator[Played]:
    """Every instance, without checkpoints: no fork builds a strategy, so the first one made is the episode's.

    Raises SettingsError for a task with several agents or sessions: each of them has a strategy of its own.
    """
    with TemporaryDirectory(prefix="longhaul-") as folder:
        for instance in parts.instances:
            made: list[Strategy] = []

            def strategy(made: list[Strategy] = made) -> Strategy:
                made.append(parts.strategy())
                return made[-1]

            path = Path(folder) / f"{instance.id}.jsonl"
            play(replace(parts, strategy=strategy, checkpoints=(), probes=0), instance, path)
            found = record.load(path)
            if len(found.segments) != 1:
                raise SettingsError(f"{instance.id} has {len(found.segments)} histories: choose a task with one")
            history = History()
            for message in found.segments[0].messages:
                history.append(message)
            yield Played(found, made[0], history)
