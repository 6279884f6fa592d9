"""Answers from the records of a finished cell; a request that differs from the recorded one fails loudly."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from harness import files, journal, record
from harness.codec import reply_from
from harness.contract import Environment, Message, Reply, Request, Task
from harness.prefix import common

SHOWN = 60  # characters around the first difference


class RequestDiffers(Exception):
    """What is asked is not what was asked when the record was made; the message shows the first difference."""


@dataclass(frozen=True, slots=True)
class Replay:
    """A source of models. path: the folder of a cell."""

    speaks: ClassVar[bool] = False

    path: str

    def check(self) -> None:
        """Raise ValueError where there are no records."""
        if not files.records(Path(self.path)):
            where = Path(self.path) / "episodes"
            raise ValueError(f"path={self.path}: no finished records in {where}; give the folder of a cell")

    def open(self, task: Task, environment: Environment, seed: int) -> Answers:
        """The record is that of the same seed, hence of the same instance. Raises ValueError where there is none."""
        for path in files.records(Path(self.path)):
            rows = journal.read(path)
            if rows[0]["seed"] == seed:
                replies = [reply_from(row["reply"]) for row in rows if row["row"] == "turn"]
                return Answers(path, record.views(record.parse(rows)), replies)
        raise ValueError(f"path={self.path}: no record has this instance's seed {seed}: set seed and task as there")


class Answers:
    """A `contract.Model` for one episode."""

    def __init__(self, path: Path, views: Sequence[Sequence[Message]], replies: Sequence[Reply]) -> None:
        self._path = path
        self._views = views
        self._replies = replies
        self._next: int | None = None

    def complete(self, request: Request) -> Reply:
        """Raises RequestDiffers. A resumed episode begins where its own record ended."""
        turn = self._next if self._next is not None else self._start(request.view)
        if turn >= len(self._views):
            raise RequestDiffers(f"{self._path} ends after {turn} turns, and another one is asked for")
        if (found := _difference(self._views[turn], request.view)) is not None:
            raise RequestDiffers(f"{self._path}, turn {turn + 1}: {found}")
        self._next = turn + 1
        return self._replies[turn]

    def _start(self, view: Sequence[Message]) -> int:
        return next((n for n, recorded in enumerate(self._views) if _difference(recorded, view) is None), 0)


def _difference(recorded: Sequence[Message], asked: Sequence[Message]) -> str | None:
    for number, (old, new) in enumerate(zip(recorded, asked, strict=False), 1):
        if (old.role, old.answers) != (new.role, new.answers):
            return f"message {number} was {old.role} {old.id}, and is {new.role} {new.id}"
        if old.content != new.content:
            at = common(old.content, new.content)
            start = max(0, at - SHOWN // 2)
            return (
                f"message {number} ({old.role} {old.id}) differs at character {at}: "
                f"was …{old.content[start : at + SHOWN]!r}, is …{new.content[start : at + SHOWN]!r}"
            )
        if old.calls != new.calls:
            return f"the calls of message {number} were {old.calls}, and are {new.calls}"
    if len(recorded) != len(asked):
        return f"the view had {len(recorded)} messages, and has {len(asked)}"
    return None
