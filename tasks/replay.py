"""Recorded real runs, fed message by message: the recorded actions are played and nobody is asked.

What a replay can show is which earlier texts a view still held when an action came; not whether the agent would have
acted otherwise with another view.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from harness.contract import Brief, Instance, Message, Reply, Turn
from tasks import formats
from tasks.formats import Run, files, huggingface, text

_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")
_LONGEST_ID = 120


class Replay:
    """Recorded runs under `path`.

    path: a file, a folder, or (format=huggingface) the name of a data set. format: auto, huggingface, or a key of
    `tasks.formats.FORMATS`. limit: the first so many runs by id. repositories: folders that the needs finder writes
    paths without, beside the usual ones. split: of a data set. repeat_actions: in runs of a text protocol the
    command stands, and counts, in its call alone; with True the reply's text keeps it too, as the model wrote it.
    """

    grammar = None
    coupling = 0  # what was recorded follows, whatever the view held

    def __init__(
        self,
        path: str,
        format: str = "auto",
        limit: int | None = None,
        repositories: Sequence[str] = (),
        split: str = "train",
        repeat_actions: bool = False,
    ) -> None:
        self.path = path
        self.format = format
        self.limit = limit
        self.repositories = repositories
        self.split = split
        self.repeat_actions = repeat_actions

    def instances(self) -> Sequence[Instance]:
        """One per recorded run, sorted by id. Raises FileNotFoundError or ValueError with the file and the remedy."""
        if self.limit is not None and self.limit < 1:
            raise ValueError(f"task.limit={self.limit}: at least one run, or null for all")
        runs = sorted(self._runs(), key=lambda run: run.id)
        if not runs:
            raise ValueError(f"task.path={self.path}: no recorded run in it")
        return [Instance(run.id, data=run) for run in runs[: self.limit]]

    def open(self, instance: Instance, seed: int) -> RecordedRun:
        run: Run = instance.data
        return RecordedRun(run if self.repeat_actions else replace(run, turns=text.once(run.turns)))

    def _runs(self) -> list[Run]:
        of_hub = self.format == "huggingface"
        records = huggingface.records(self.path, self.split) if of_hub else files.records(self.path)
        runs, times = [], dict[str, int]()
        for name, data in records:
            run = formats.read(data, _id(name, data), "auto" if of_hub else self.format)
            if not run.turns:
                raise ValueError(f"recorded run {run.id}: no reply of the agent; remove it from task.path={self.path}")
            times[run.id] = times.get(run.id, 0) + 1  # the same instance, attempted twice
            runs.append(run if times[run.id] == 1 else replace(run, id=f"{run.id}--{times[run.id]}"))
        return runs


@dataclass(slots=True)
class RecordedRun:
    """The environment of one recorded run: `replies` are the agent's, `step` gives back what came after each."""

    run: Run
    played: int = 0

    @property
    def replies(self) -> Sequence[Reply]:
        return [turn.reply for turn in self.run.turns]

    def reset(self) -> Turn:
        self.played = 0
        return Turn(brief=Brief(self.run.system, self.run.task, self.run.tools))

    def step(self, reply: Message) -> Turn:
        """The recorded answers of the next recorded reply. Raises ValueError when the reply is another one."""
        if self.played == len(self.run.turns):
            raise ValueError(f"recorded run {self.run.id} has ended after {self.played} replies")
        turn = self.run.turns[self.played]
        due = [(call.name, call.arguments) for call in turn.reply.message.calls]
        got = [(call.name, call.arguments) for call in reply.calls]
        if due != got:
            raise ValueError(
                f"recorded run {self.run.id}, reply {self.played + 1}: calls {got} are not the recorded {due}; "
                "a recorded run plays its own actions only: use model=recorded"
            )
        self.played += 1
        answers = [
            Message("", "tool", answer, answers=call.id) for call, answer in zip(reply.calls, turn.answers, strict=True)
        ]
        said = [Message("", "user", words) for words in turn.said]
        return Turn((*answers, *said), done=self.played == len(self.run.turns))

    def schedule(self) -> None:
        return None

    def score(self) -> Mapping[str, float]:
        """{"submitted": 1 or 0} as recorded, once the run has been played to its end; {} where none is recorded."""
        if self.run.status is None or self.played < len(self.run.turns):
            return {}
        return {"submitted": float(self.run.status.lower().startswith("submitted"))}

    def close(self) -> None:
        return None


def _id(name: str, data: object) -> str:
    """An id for a file name: the instance's where the data has one, else the file's."""
    given = (
        next((data[key] for key in ("instance_id", "id") if data.get(key)), name) if isinstance(data, Mapping) else name
    )
    plain = _UNSAFE.sub("-", str(given)).strip(".-") or "run"
    if len(plain) <= _LONGEST_ID:
        return plain
    return f"{plain[:_LONGEST_ID]}-{hashlib.sha256(plain.encode()).hexdigest()[:8]}"
