"""Patches judged by the official harness, the `swebench` package, in a process of its own.

Each attempt has a run id of its own: a report that is there would be taken for any patch.
"""

from __future__ import annotations

import importlib.util
import json
import os
import secrets
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.contract import Grade
from tasks.swebench.machine import Fault
from tasks.swebench.rows import Row

MODEL = "longhaul"  # the harness sorts its logs by it
RESOLVED, UNRESOLVED, EMPTY = "resolved", "unresolved", "empty patch"
APPLY, ERROR = "does not apply", "evaluation error"
_NO_APPLY, _TIMED_OUT = ">>>>> Patch Apply Failed", "Test timed out after"


@dataclass(frozen=True, slots=True)
class Evaluation:
    """folder: for the logs. workers: evaluations at once. seconds: of an instance's tests."""

    folder: Path
    workers: int = 1
    seconds: int = 1800

    def judge(self, rows: Mapping[str, Row], patches: Mapping[str, str]) -> dict[str, Grade]:
        """The grade of each patch, by instance. Raises Fault where the harness itself could not run."""
        found = {name: Grade(EMPTY, 0.0) for name, patch in patches.items() if not patch.strip()}
        todo = {name: patch for name, patch in patches.items() if name not in found}
        if todo:
            run = f"{time.strftime('%Y%m%d-%H%M%S')}-{secrets.token_hex(3)}"
            said = self._run(run, [rows[name] for name in todo], todo)
            found |= {name: verdict(self.logs(run, name), name, said) for name in todo}
        return {name: found[name] for name in patches}

    def logs(self, run: str, instance: str) -> Path:
        return self.folder / "logs" / "run_evaluation" / run / MODEL / instance

    def _run(self, run: str, rows: list[Row], patches: Mapping[str, str]) -> str:
        if importlib.util.find_spec("swebench") is None:
            raise ModuleNotFoundError(
                "grading needs the package `swebench`: pip install 'longhaul[swebench]'", name="swebench"
            )
        place = self.folder / "runs" / run
        place.mkdir(parents=True)
        predictions = [
            {"instance_id": name, "model_name_or_path": MODEL, "model_patch": patch} for name, patch in patches.items()
        ]
        (place / "rows.json").write_text(json.dumps([dict(row.everything) for row in rows]))
        (place / "predictions.jsonl").write_text("".join(json.dumps(one) + "\n" for one in predictions))
        options = {
            "--dataset_name": str((place / "rows.json").absolute()),
            "--split": "test",
            "--predictions_path": str((place / "predictions.jsonl").absolute()),
            "--max_workers": str(self.workers),
            "--timeout": str(self.seconds),
            "--run_id": run,
            "--report_dir": str(place.absolute()),
        }
        arguments = [word for pair in options.items() for word in pair]
        command = [sys.executable, "-m", "swebench.harness.run_evaluation", *arguments]
        with open(place / "said.txt", "w+") as said:
            # Its logs go below the folder in which it runs.
            ended = subprocess.run(command, cwd=self.folder, stdout=said, stderr=subprocess.STDOUT, env={**os.environ})
            said.seek(0)
            text = said.read()
        if ended.returncode != 0:
            last = text.strip().splitlines()[-1:] or ["it said nothing"]
            raise Fault(f"the evaluation ended with status {ended.returncode}: {last[0]} ({place / 'said.txt'})")
        return text


def verdict(logs: Path, instance: str, said: str = "") -> Grade:
    """What the harness's files about one instance say. No report is never a pass."""
    report = _json(logs / "report.json").get(instance)
    if report is None:
        log = _text(logs / "run_instance.log")
        if _NO_APPLY in log:
            return Grade(APPLY, 0.0, _line_with(log, "error:"))
        if _TIMED_OUT in log:
            return Grade(ERROR, 0.0, _line_with(log, _TIMED_OUT))
        return Grade(ERROR, None, _line_with(log, "rror") or _line_with(said, instance) or "no report was written")
    if report.get("infra_failure"):
        return Grade(ERROR, None, f"the environment of the tests failed: {report.get('infra_failure_reason')}")
    if report["resolved"]:
        return Grade(RESOLVED, 1.0)
    return Grade(UNRESOLVED, 0.0, "" if report["patch_successfully_applied"] else "no test had a result")


def _text(path: Path) -> str:
    return path.read_text(errors="replace") if path.is_file() else ""


def _json(path: Path) -> dict[str, Any]:
    """{} for what is not there or torn."""
    try:
        found = json.loads(_text(path) or "{}")
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _line_with(text: str, word: str) -> str:
    return next((line.strip()[:200] for line in reversed(text.splitlines()) if word in line), "")
