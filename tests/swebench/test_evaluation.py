"""What the official harness's files are taken to say: graded on logs written here, no container needed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from harness import grades
from harness.contract import Event, Grade
from harness.measures import Measured
from harness.record import Record
from tasks.swebench.evaluation import APPLY, EMPTY, ERROR, RESOLVED, UNRESOLVED, Evaluation, verdict
from tasks.swebench.rows import checked
from tests.machine.test_tested import turn as recorded_turn
from tests.swebench.toyrows import ID, row

pytest.importorskip("swebench")

PASSED, FAILED = "PASSED test_adder.py::test_{}", "FAILED test_adder.py::test_{} - assert"
LOGS = {
    "both pass": ([PASSED.format("add"), PASSED.format("double")], RESOLVED),
    "the fix is missing": ([FAILED.format("add"), PASSED.format("double")], UNRESOLVED),
    "something else broke": ([PASSED.format("add"), FAILED.format("double")], UNRESOLVED),
    "a test is not there": ([PASSED.format("double")], UNRESOLVED),
    "nothing ran": (["ERROR collecting test_adder.py"], UNRESOLVED),
}


def logs(folder: Path, lines: list[str], code: int = 0) -> Path:
    """The files of one evaluation, the report made by the official grader from a test log."""
    from swebench.harness.grading import get_eval_report
    from swebench.harness.utils import make_test_spec

    log = folder / "test_output.txt"
    text = ["+ : '>>>>> Start Test Output'", *lines, "+ : '>>>>> End Test Output'", f">>>>> Test Exit Code: {code}"]
    log.write_text("\n".join(text) + "\n")
    prediction = {"instance_id": ID, "model_name_or_path": "x", "model_patch": "some"}
    report = get_eval_report(make_test_spec(row()), prediction, str(log), True)
    (folder / "report.json").write_text(json.dumps(report))
    return folder


@pytest.mark.parametrize("name", LOGS)
def test_a_report_is_resolved_or_not(tmp_path: Path, name: str) -> None:
    lines, status = LOGS[name]
    grade = verdict(logs(tmp_path, lines, int(status != RESOLVED)), ID)
    assert (grade.status, grade.success) == (status, float(status == RESOLVED))


def test_a_log_that_contradicts_its_exit_status_is_no_pass(tmp_path: Path) -> None:
    assert verdict(logs(tmp_path, LOGS["both pass"][0], code=1), ID).status == UNRESOLVED


@pytest.mark.parametrize(
    ("log", "status", "success"),
    [
        (">>>>> Patch Apply Failed:\nerror: adder.py: patch does not apply\n", APPLY, 0.0),
        ("EvaluationError: Test timed out after 5 seconds.\n", ERROR, 0.0),
        ("docker.errors.APIError: 500 Server Error\n", ERROR, None),
        ("", ERROR, None),
    ],
)
def test_no_report_is_never_a_pass(tmp_path: Path, log: str, status: str, success: float | None) -> None:
    (tmp_path / "run_instance.log").write_text(log)
    for report in (None, "", "{", json.dumps({"another": {"resolved": True}})):
        if report is not None:
            (tmp_path / "report.json").write_text(report)
        grade = verdict(tmp_path, ID)
        assert (grade.status, grade.success) == (status, success)
        assert grade.reason


def test_a_fault_of_the_environment_is_no_failure_of_the_patch(tmp_path: Path) -> None:
    grade = verdict(logs(tmp_path, ["INTERNAL: Could not resolve host: pypi.org"]), ID)
    assert (grade.status, grade.success) == (ERROR, None)
    assert "network" in grade.reason


def test_empty_patches_are_told_without_the_harness(tmp_path: Path) -> None:
    found = Evaluation(tmp_path / "none").judge({ID: checked(row(), "x", 1)}, {ID: "\n"})
    assert found == {ID: Grade(EMPTY, 0.0)}
    assert not (tmp_path / "none").exists()


# ---------------------------------------------------------------- what a grade does to the tables


def measured(submitted: int | None, found: dict[str, Grade] | None) -> Measured:
    event = (Event("submitted", {"step": submitted}),) if submitted else ()
    turns = (recorded_turn(1), _with(recorded_turn(2), event))
    played = Record("i", 0, 9, None, (), turns, "completed", "", 2, 9, 0, {}, left={"patch": "p"})
    made = Measured(checkpoints=[{"checkpoint": k, "success": None} for k in (20, 40, 60)])
    grades.add(played, found, made)
    return made


def _with(turn: object, events: tuple[Event, ...]) -> object:
    from dataclasses import replace

    return replace(turn, events=events)  # type: ignore[type-var]


@pytest.mark.parametrize(
    ("submitted", "grade", "successes"),
    [
        (40, Grade(RESOLVED, 1.0), [0.0, 1.0, 1.0]),
        (40, Grade(UNRESOLVED, 0.0), [0.0, 0.0, 0.0]),
        (40, Grade(ERROR, None), [0.0, None, None]),
        (None, Grade(RESOLVED, 1.0), [0.0, 0.0, 0.0]),  # a limit ended it: nothing was handed in
    ],
)
def test_success_at_a_checkpoint(submitted: int | None, grade: Grade, successes: list[float | None]) -> None:
    made = measured(submitted, {"patch": grade})
    assert [one["success"] for one in made.checkpoints] == successes
    assert (made.outcome["grade"], made.outcome["resolved"]) == (grade.status, grade.success)


def test_the_patch_as_it_stood_has_a_column_of_its_own() -> None:
    made = measured(60, {"patch": Grade(RESOLVED, 1.0), "patch@20": Grade(UNRESOLVED, 0.0)})
    assert [one.get("patch_now") for one in made.checkpoints] == [0.0, None, None]


def test_what_is_not_graded_is_missing() -> None:
    made = measured(20, None)
    assert (made.outcome["grade"], made.outcome["resolved"]) == ("infrastructure", None)
    assert [one["success"] for one in made.checkpoints] == [None, None, None]
