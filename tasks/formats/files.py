"""Recorded runs in files: one run a JSON file, one run a line of a JSONL file, or one message a line."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

_OWN_SUFFIXES = (".traj.json", ".traj")
_SUFFIXES = (*_OWN_SUFFIXES, ".json", ".jsonl")


def records(path: str) -> Iterator[tuple[str, Any]]:
    """(name, parsed data) of each run under a file or a folder, in the order of the paths.

    A folder that has trajectory files (`.traj`, `.traj.json`) is read for these alone: agents lay predictions and
    settings as JSON beside them. Raises FileNotFoundError for a path that is not there or has no such file, and
    ValueError for one that is no JSON.
    """
    place = Path(path).expanduser()
    if not place.exists():
        raise FileNotFoundError(f"task.path={path}: no such file or folder")
    files = [place] if place.is_file() else _runs_in(place)
    if not files:
        raise FileNotFoundError(f"task.path={path}: no recorded run; looked for {', '.join(_SUFFIXES)} in it and below")
    for file in files:
        yield from _of(file)


def _runs_in(folder: Path) -> list[Path]:
    found = sorted(file for file in folder.rglob("*") if file.is_file() and file.name.endswith(_SUFFIXES))
    return [file for file in found if file.name.endswith(_OWN_SUFFIXES)] or found


def _of(file: Path) -> Iterator[tuple[str, Any]]:
    name = next((file.name.removesuffix(end) for end in _SUFFIXES if file.name.endswith(end)), file.name)
    content = file.read_text(encoding="utf-8-sig", errors="replace")
    if file.suffix != ".jsonl":
        yield name, _parsed(content, str(file))
        return
    lines = [_parsed(line, f"{file}, line {n}") for n, line in enumerate(content.split("\n"), 1) if line.strip()]
    if lines and all(isinstance(line, Mapping) and "role" in line for line in lines):
        yield name, lines
    else:
        yield from ((f"{name}-{number:05d}", line) for number, line in enumerate(lines))


def _parsed(content: str, place: str) -> Any:
    try:
        return json.loads(content)
    except json.JSONDecodeError as error:
        raise ValueError(f"{place} is not JSON ({error}); mend it, or take it out of task.path") from error
