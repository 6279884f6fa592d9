"""Instances as the data set has them, checked before anything runs.

Version 5 of SWE-bench put what an evaluation needs into the rows: image, script, log parser. Files of before lack these
columns and cannot be evaluated.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tasks import hub

ASKED = ("repo", "instance_id", "base_commit", "patch", "problem_statement", "version", "FAIL_TO_PASS", "PASS_TO_PASS")
SINCE_5 = ("image", "eval_script", "log_parser", "eval_type")
FILLED = ("repo", "instance_id", "base_commit", "problem_statement", *SINCE_5)
TESTS = ("FAIL_TO_PASS", "PASS_TO_PASS")
SOURCE = "the data sets SWE-bench/SWE-bench_Lite and SWE-bench/SWE-bench_Verified on the Hugging Face hub"
_SAFE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


@dataclass(frozen=True, slots=True)
class Row:
    """One issue. image: name of the container image, used word for word. patch: the reference solution.

    everything: the whole row, as the official evaluation takes it.
    """

    id: str
    repo: str
    base_commit: str
    issue: str
    image: str
    patch: str
    everything: Mapping[str, Any]


def load(data: str, split: str) -> list[Row]:
    """All rows of a file (.json, .jsonl, .parquet) or of a data set of the hub, sorted by id.

    Raises FileNotFoundError, ModuleNotFoundError (without the extra `swebench`), or ValueError with what is wrong and
    where to get a right one.
    """
    rows = [checked(raw, data, number) for number, raw in enumerate(_raw(data, split), 1)]
    if not rows:
        raise ValueError(f"task.data={data}: no instance in it")
    seen: set[str] = set()
    for row in rows:
        if row.id in seen:
            raise ValueError(f"task.data={data}: instance {row.id} is there twice")
        seen.add(row.id)
    return sorted(rows, key=lambda row: row.id)


def checked(raw: Mapping[str, Any], data: str, number: int) -> Row:
    """Raises ValueError, naming the row and the column."""
    where = f"task.data={data}, row {number} ({raw.get('instance_id', 'no instance_id')})"
    lacking = [name for name in ASKED if name not in raw]
    if lacking:
        raise ValueError(f"{where}: no column {', '.join(lacking)}; this is no SWE-bench data. There is {SOURCE}")
    old = [name for name in SINCE_5 if name not in raw]
    if old:
        raise ValueError(
            f"{where}: no column {', '.join(old)}: the file is older than version 5 of SWE-bench and cannot be "
            f"evaluated by the `swebench` package that is used here; get the rows anew from {SOURCE}"
        )
    empty = [name for name in FILLED if not isinstance(raw[name], str) or not raw[name].strip()]
    if empty:
        raise ValueError(f"{where}: {empty[0]} is {raw[empty[0]]!r}, and must be a text")
    if not _SAFE.fullmatch(raw["instance_id"]):
        raise ValueError(f"{where}: the id is no file name: use letters, digits, dot, dash and underscore")
    for name in TESTS:
        _check_tests(raw[name], f"{where}: {name}")
    # A column that parquet holds as null is a missing text.
    whole = {key: "" if value is None else value for key, value in raw.items()}
    return Row(
        whole["instance_id"],
        whole["repo"],
        whole["base_commit"],
        whole["problem_statement"],
        whole["image"],
        whole["patch"],
        whole,
    )


def _check_tests(value: Any, where: str) -> None:
    try:
        tests = json.loads(value) if isinstance(value, str) else list(value)
    except (ValueError, TypeError):
        raise ValueError(f"{where} is {value!r:.60}, and must be a list of tests, or one as JSON") from None
    if not isinstance(tests, list) or not all(isinstance(test, str) for test in tests):
        raise ValueError(f"{where} is {value!r:.60}, and must be a list of tests")


def _raw(data: str, split: str) -> Iterable[Mapping[str, Any]]:
    path = Path(data).expanduser()
    if path.suffix not in (".json", ".jsonl", ".parquet"):
        return _hub(data, split)
    if not path.is_file():
        raise FileNotFoundError(f"task.data={data}: no such file; there is {SOURCE}")
    if path.suffix == ".parquet":
        import pyarrow.parquet

        table: list[Mapping[str, Any]] = pyarrow.parquet.read_table(path).to_pylist()
        return table
    text = path.read_text(encoding="utf-8")
    try:
        found = json.loads(text) if path.suffix == ".json" else [json.loads(line) for line in text.splitlines() if line]
    except ValueError as error:
        raise ValueError(f"task.data={data}: no JSON: {error}") from error
    if not isinstance(found, list) or not all(isinstance(raw, dict) for raw in found):
        raise ValueError(f"task.data={data}: must hold a list of rows")
    return found


def _hub(data: str, split: str) -> Iterable[Mapping[str, Any]]:
    wanted = f"task.data={data} is no .json, .jsonl or .parquet file, and a data set of the hub needs"
    return hub.rows(data, None, split, wanted)
