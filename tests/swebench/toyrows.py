"""A row of version 5 for a repository of two files, and its reference patch."""

from __future__ import annotations

import difflib
import json
from pathlib import Path
from typing import Any

ID = "toy__adder-1"
IMAGE = "longhaul-toy:latest"
MODULE = "def add(a, b):\n    return a - b\n\n\ndef double(a):\n    return 2 * a\n"
TESTS = "from adder import add, double\n\n\ndef test_double():\n    assert double(3) == 6\n"
HIDDEN = TESTS + "\n\ndef test_add():\n    assert add(2, 3) == 5\n"


def diff(name: str, old: str, new: str) -> str:
    lines = difflib.unified_diff(old.splitlines(True), new.splitlines(True), f"a/{name}", f"b/{name}")
    return f"diff --git a/{name} b/{name}\n" + "".join(lines)


PATCH = diff("adder.py", MODULE, MODULE.replace("a - b", "a + b"))
TEST_PATCH = diff("test_adder.py", TESTS, HIDDEN)


def script(base: str, python: str = "python3") -> str:
    """As the data set's: reset the tests, apply the hidden ones, run between the markers, reset again."""
    return f"""#!/bin/bash
set -uxo pipefail
cd /testbed
git checkout {base} test_adder.py
git apply -v - <<'EOF_TESTS'
{TEST_PATCH}EOF_TESTS
: '>>>>> Start Test Output'
{python} -m pytest -rA -p no:cacheprovider test_adder.py
: '>>>>> End Test Output'
git checkout {base} test_adder.py
"""


def row(base: str = "0" * 40, **changes: Any) -> dict[str, Any]:
    return {
        "repo": "toy/adder",
        "instance_id": ID,
        "base_commit": base,
        "patch": PATCH,
        "test_patch": TEST_PATCH,
        "problem_statement": "`add` subtracts.\n\nadd(2, 3) gives -1, it should give 5.",
        "hints_text": "",
        "created_at": "2026-01-01T00:00:00Z",
        "version": "1.0",
        "FAIL_TO_PASS": json.dumps(["test_adder.py::test_add"]),
        "PASS_TO_PASS": json.dumps(["test_adder.py::test_double"]),
        "environment_setup_commit": base,
        "image": IMAGE,
        "eval_script": script(base),
        "log_parser": "parse_log_pytest",
        "eval_type": "pass_and_fail",
        **changes,
    }


def written(folder: Path, *rows: dict[str, Any], name: str = "rows.jsonl") -> str:
    path = folder / name
    path.write_text("".join(json.dumps(one) + "\n" for one in rows))
    return str(path)
