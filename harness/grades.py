"""Results that an outside judge gives afterwards: asked for what the episodes left, kept, and put into the tables.

    grades/ID.json   {"attempts": [{"at", "left": sha256 by name, "grades": {name: [status, success, reason]}}]}

The newest attempt counts. Every planned instance has exactly one status: the judge's, or `infrastructure` (the machine
ended its episode, or its grading), or `not run`.
"""

from __future__ import annotations

import hashlib
import json
import time
import traceback
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from harness import record
from harness.contract import Grade, Graded
from harness.files import write_json, write_text
from harness.measures import Measured
from harness.parts import Parts
from harness.record import Record

MAIN = "patch"  # of what an episode leaves, the one that decides
LOST, NOT_RUN = "infrastructure", "not run"
ERROR = "grading.txt"


def fill(built: Parts, folder: Path, workers: int, again: bool = False) -> bool:
    """Have every finished episode judged that was not yet, or all of them; whether none is left.

    A judge that fails leaves its traceback in errors/grading.txt, and the next run asks it again.
    """
    if not isinstance(built.task, Graded):
        return True
    todo: dict[str, Mapping[str, str]] = {}
    for instance in built.instances:
        path = folder / "episodes" / f"{instance.id}.jsonl"
        if path.is_file() and (again or load(folder, instance.id) is None):
            left = record.load(path).left
            if left is not None:
                todo[instance.id] = left
    if not todo:
        return True
    if workers < 1:
        return False
    error = folder / "errors" / ERROR
    try:
        found = built.task.grade(todo, str(folder / "evaluation"), workers)
    except Exception:
        write_text(error, traceback.format_exc())
        return False
    for name, grades in found.items():
        _keep(folder, name, todo[name], grades)
    error.unlink(missing_ok=True)
    return set(found) == set(todo)


def load(folder: Path, instance: str) -> dict[str, Grade] | None:
    """The newest grades of what an episode left, by name; None where it was not judged."""
    path = folder / "grades" / f"{instance}.json"
    if not path.is_file():
        return None
    newest = json.loads(path.read_text())["attempts"][-1]["grades"]
    return {name: Grade(*grade) for name, grade in newest.items()}


def add(played: Record, found: Mapping[str, Grade] | None, measured: Measured) -> None:
    """The status and the success of an episode, and its success at the checkpoints.

    Submitted by then: its final result; ended without, or still running: not yet, 0. A result that is not known is
    missing, also where the run was submitted later: whether it counts is not known either.
    """
    if played.left is None:
        return
    grade = (found or {}).get(MAIN, Grade(LOST, None, "not graded yet"))
    measured.outcome |= {"grade": grade.status, "grade_reason": grade.reason, "resolved": grade.success}
    measured.outcome |= visits(played)
    at = submitted(played)
    for row in measured.checkpoints:
        k = row["checkpoint"]
        row["success"] = grade.success if at is not None and at <= k else 0.0
        if (now := (found or {}).get(f"{MAIN}@{k}")) is not None:
            row["patch_now"] = now.success


def visits(played: Record) -> dict[str, int]:
    """files_seen: files that the agent's actions named; file_rereads: how often an action named one again."""
    seen: set[str] = set()
    again = 0
    for turn in played.turns:
        for event in turn.events:
            if event.kind == "files":
                again += sum(name in seen for name in event.detail["named"])
                seen |= set(event.detail["named"])
    return {"files_seen": len(seen), "file_rereads": again}


def submitted(played: Record) -> int | None:
    """The step at which the agent handed its work in; None where it did not."""
    events = (event for turn in played.turns for event in turn.events)
    return next((int(event.detail["step"]) for event in events if event.kind == "submitted"), None)


def unplayed(folder: Path, instance: str) -> dict[str, Any]:
    """What stands in the place of a grade where there is no record."""
    lost = (folder / "errors" / f"{instance}.txt").is_file()
    return {"grade": LOST if lost else NOT_RUN, "resolved": None}


def _keep(folder: Path, instance: str, left: Mapping[str, str], grades: Mapping[str, Grade]) -> None:
    path = folder / "grades" / f"{instance}.json"
    before: Sequence[Any] = json.loads(path.read_text())["attempts"] if path.is_file() else []
    digests = {name: hashlib.sha256(text.encode()).hexdigest() for name, text in left.items()}
    rows = {name: [grade.status, grade.success, grade.reason] for name, grade in grades.items()}
    at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    write_json(path, {"attempts": [*before, {"at": at, "left": digests, "grades": rows}]})
