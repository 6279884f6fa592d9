"""Rows and labels of whole histories.

The rows come from a function that the plan names by its dotted path, as a strategy sees things:
`moments(messages, pinned ids, count)` gives one callable for each turn, which returns (places of first messages, names,
matrix of shape (rows, features)). The labels come from the record.
"""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from hydra.utils import get_method, get_object
from numpy.typing import NDArray

from harness import record as records
from harness.contract import Message
from harness.learn.needed import due, wanted
from harness.learn.plan import Plan, Source
from harness.parts import Parts
from harness.play import play
from harness.record import Record

AMPLE = 1_000_000  # tokens: a budget under which no history is infeasible
Floats = NDArray[np.float64]
Count = Callable[[Sequence[Message]], int]
Rows = tuple[Sequence[int], Sequence[str], Floats]
Moments = Callable[[Sequence[Message], Collection[str], Count], Iterator[Callable[[], Rows]]]


@dataclass(frozen=True, slots=True)
class Samples:
    """x: (rows, features); y: 1 where the name is needed from its block; weight: of each row. group: a repository, or
    a family."""

    group: str
    x: Floats
    y: Floats
    weight: Floats


def played(built: Parts, folder: Path, only: Collection[str] | None = None) -> Iterator[Record]:
    """Each instance of a cell, played to its end; its file is gone afterwards. only: ids, None = all."""
    for instance in built.instances:
        if only is None or instance.id in only:
            path = folder / f"{instance.id}.jsonl"
            play(built, instance, path)
            yield records.load(path)
            for file in folder.glob(f"{instance.id}.*"):
                file.unlink()


def gather(source: Source, plan: Plan) -> list[Samples]:
    """One for each instance, from its whole history (`full`). Raises SettingsError for a task that cannot be built."""
    built = source.parts("strategy=full", f"budget={AMPLE}")
    moments: Moments = get_method(plan.features)
    every = plan.every["recorded" if source.is_recorded else "generated"]
    with tempfile.TemporaryDirectory() as folder:
        return [_samples(record, built, source, plan, moments, every) for record in played(built, Path(folder))]


def names(plan: Plan) -> tuple[str, ...]:
    return tuple(get_object(plan.names))


def _samples(record: Record, built: Parts, source: Source, plan: Plan, moments: Moments, every: int) -> Samples:
    rng = np.random.default_rng(int(hashlib.sha256(f"{plan.seed}/{record.instance}".encode()).hexdigest()[:12], 16))
    xs, ys = [np.empty((0, len(names(plan))))], [np.empty(0)]
    for number, segment in enumerate(record.segments):
        needs = wanted(record, built.task.grammar, getattr(built.task, "repositories", ()), number)
        tokens = {message.id: size for message, size in zip(segment.messages, segment.tokens, strict=True)}
        pinned = {segment.messages[place].id for place in (0, *segment.tasks)}
        turns = sum(turn.segment == number for turn in record.turns)

        def count(messages: Sequence[Message], tokens: dict[str, int] = tokens) -> int:
            return sum(tokens[message.id] for message in messages)

        for turn, rows in zip(range(turns), moments(segment.messages, pinned, count), strict=False):
            if turn % every == every - 1:
                starts, words, matrix = rows()
                needed = due(needs, turn, plan.horizon)
                y = np.array([needed[key] > 0 for key in zip(starts, words, strict=True)], float)
                used = (y > 0) | (rng.random(len(y)) < plan.spare)
                xs.append(matrix[used])
                ys.append(y[used])
    y = np.concatenate(ys)
    return Samples(source.group(record.instance), np.concatenate(xs), y, np.where(y > 0, 1.0, 1 / plan.spare))


def digest(samples: Sequence[Samples]) -> str:
    """SHA-256 of all rows, labels and groups, in their order; rows as 32-bit numbers."""
    total = hashlib.sha256()
    for one in samples:
        total.update(one.group.encode() + one.x.astype(np.float32).tobytes() + one.y.astype(np.int8).tobytes())
    return total.hexdigest()
