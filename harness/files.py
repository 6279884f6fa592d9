"""Files that are there whole or not at all, and where a cell keeps its records."""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path
from typing import Any


def records(cell: Path) -> list[Path]:
    """Those of the finished episodes in a cell's folder, in order."""
    return sorted(path for path in (cell / "episodes").glob("*.jsonl") if not path.name.endswith(".times.jsonl"))


def write_bytes(path: Path, content: bytes) -> None:
    """Write aside, sync, rename."""
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, aside = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    os.chmod(aside, 0o644)
    os.replace(aside, path)


def write_text(path: Path, text: str) -> None:
    write_bytes(path, text.encode())


def write_json(path: Path, value: Any) -> None:
    write_text(path, json.dumps(value, ensure_ascii=False, indent=1) + "\n")
