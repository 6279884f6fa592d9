"""Measures the needs finder on recorded runs: counts by distance, and precision and recall against labels.

Labels hold positions and digests, no text: {annotator: {run id: {position of a message: [sha256(value)[:16], ...]}}}.
A labelled position without values says that the action there needs nothing. A run that several annotators labelled
is scored against the first of them, and shows how far they agree.
"""

from __future__ import annotations

import argparse
import importlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from harness.contract import Environment, Instance, Recorded, Task
from harness.history import History
from harness.needs import Need, find

Marks = Mapping[str, Sequence[str]]
Labels = Mapping[str, Mapping[str, Marks]]

BUCKETS = ((1, 2), (3, 5), (6, 10), (11, 20), (21, 40), (41, None))


@dataclass(frozen=True, slots=True)
class Score:
    """Values found and labelled, over the labelled actions."""

    actions: int = 0
    right: int = 0
    found: int = 0
    labelled: int = 0

    @property
    def precision(self) -> float | None:
        return self.right / self.found if self.found else None

    @property
    def recall(self) -> float | None:
        return self.right / self.labelled if self.labelled else None

    def __add__(self, other: Score) -> Score:
        return Score(
            self.actions + other.actions,
            self.right + other.right,
            self.found + other.found,
            self.labelled + other.labelled,
        )


def digest(value: str) -> str:
    return sha256(value.encode()).hexdigest()[:16]


def score(needs: Iterable[Need], marks: Marks) -> Score:
    """The finder against the labelled actions of one run; actions without a label are left out."""
    found: dict[str, list[str]] = {}
    for need in needs:
        found.setdefault(str(need.message), []).append(digest(need.value))
    return compared(found, marks)


def compared(found: Marks, marks: Marks) -> Score:
    """What was found, by the finder or another annotator, against the labels; over the actions that are labelled."""
    total = Score()
    for place, values in marks.items():
        got, due = set(found.get(place, ())), set(values)
        total += Score(1, len(got & due), len(got), len(due))
    return total


def first_marks(labels: Labels) -> dict[str, Marks]:
    """For each run the labels of the first annotator who has it."""
    runs: dict[str, Marks] = {}
    for marked in labels.values():
        for run, marks in marked.items():
            runs.setdefault(run, marks)
    return runs


def agreement(labels: Labels) -> Score:
    """The other annotators against the first, over the runs that they share."""
    first = first_marks(labels)
    pairs = [(marks, first[run]) for marked in labels.values() for run, marks in marked.items()]
    return sum((compared(marks, own) for marks, own in pairs if marks is not own), Score())


def by_distance(needs: Iterable[Need]) -> dict[str, int]:
    """Needs in each bucket of distances (steps)."""
    names = {bucket: f"{bucket[0]}-{bucket[1]}" if bucket[1] else f"{bucket[0]}+" for bucket in BUCKETS}
    counts = dict.fromkeys(names.values(), 0)
    for need in needs:
        bucket = next(b for b in BUCKETS if need.distance >= b[0] and (b[1] is None or need.distance <= b[1]))
        counts[names[bucket]] += 1
    return counts


def history_of(environment: Environment) -> History:
    """The history of a recorded run, played to its end without asking anybody.

    Raises TypeError for an environment that is not recorded, ValueError for one whose first turn has no brief.
    """
    if not isinstance(environment, Recorded):
        raise TypeError(f"{type(environment).__name__} is no recorded run: it has no `replies`")
    brief = environment.reset().brief
    if brief is None:
        raise ValueError(f"{type(environment).__name__}.reset() gave no brief")
    history = History()
    history.begin(brief)
    for reply in environment.replies:
        history.append(reply.message)
        for answer in environment.step(reply.message).messages:
            history.append(answer)
    return history


def needs_of(task: Task, instance: Instance) -> tuple[Need, ...]:
    """The needs of one recorded run; a task may name its repositories' folders (`repositories`)."""
    return find(history_of(task.open(instance, instance.seed)), getattr(task, "repositories", ()))


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m harness.needs", description=__doc__)
    parser.add_argument("path", help="recorded runs: a file or a folder")
    parser.add_argument("--labels", help="JSON of labelled needs, as digests")
    parser.add_argument("--task", default="tasks.replay.Replay", help="dotted path of the task that reads PATH")
    chosen = parser.parse_args(arguments)
    module, _, name = chosen.task.rpartition(".")
    task: Task = getattr(importlib.import_module(module), name)(chosen.path)
    labels: Labels = json.loads(Path(chosen.labels).read_text()) if chosen.labels else {}
    marks = first_marks(labels)
    everything: list[Need] = []
    total = Score()
    for instance in task.instances():
        needs = needs_of(task, instance)
        everything += needs
        print(f"{instance.id}: {len(needs)} needs at {len({need.step for need in needs})} actions")
        total += score(needs, marks.get(instance.id, {}))
    print("needs by distance in steps: " + ", ".join(f"{k}: {n}" for k, n in by_distance(everything).items()))
    if labels:
        print(f"finder against labels: {_line(total)}")
        print(f"annotators against each other: {_line(agreement(labels))}")
    return 0


def _line(got: Score) -> str:
    return (
        f"{got.actions} actions, {got.labelled} values; found {got.found}, right {got.right}; "
        f"precision {_share(got.precision)}, recall {_share(got.recall)}"
    )


def _share(value: float | None) -> str:
    return "missing" if value is None else f"{value:.3f}"
