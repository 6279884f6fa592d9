"""One episode's record on disk: appended row by row, replayed when it was broken off, renamed when whole.

While an episode runs its rows go to `<name>.jsonl.part`. A second run of the same episode finds that file, reads its
rows back, hands recorded answers to the episode instead of asking again, and checks that everything the episode derives
from them is what was written before. When the recorded rows are used up it goes on writing. `finish` syncs and renames
to `<name>.jsonl`: a file with that name is whole.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, BinaryIO

from harness.prefix import common
from harness.tokens import compact

FORMAT = 1


class DamagedRecord(Exception):
    """A record holds something that a kill cannot explain."""


class Diverged(Exception):
    """A broken-off episode, run again from its record, derived something else than was recorded."""


class Journal:
    """Rows of one episode. `sync`: force each row to the disk (for answers that cost money)."""

    def __init__(self, path: Path, sync: bool = False) -> None:
        self.path = path
        self.sync = sync
        self.part = path.with_name(path.name + ".part")
        self.recorded = 0  # rows found on disk
        self._lines: list[bytes] = []
        self._next = 0
        self._file: BinaryIO | None = None
        self._digest = hashlib.sha256()

    def open(self) -> Journal:
        self.part.parent.mkdir(parents=True, exist_ok=True)
        self._file = self.part.open("ab")
        self._lines = mend(self.part)
        self.recorded = len(self._lines)
        return self

    @property
    def replaying(self) -> bool:
        return self._next < len(self._lines)

    def recall(self, kind: str) -> Mapping[str, Any] | None:
        """The recorded row that the episode is about to derive, or None when the record is used up."""
        if not self.replaying:
            return None
        row = self.next()
        if row["row"] != kind:
            raise Diverged(f"{self.part}: row {self._next + 1} is {row['row']!r}, but the episode comes to {kind!r}")
        return row

    def next(self) -> Mapping[str, Any]:
        """The recorded row that comes next, of whatever kind."""
        row: Mapping[str, Any] = json.loads(self._lines[self._next])
        return row

    def write(self, row: Mapping[str, Any]) -> None:
        line = compact(row).encode() + b"\n"
        if self.replaying:
            if self._lines[self._next] != line:
                raise Diverged(_difference(self.part, self._next + 1, self._lines[self._next], line))
            self._next += 1
        else:
            assert self._file is not None, "open() comes first"
            # One write a row, and flushed: after a kill at most the last line is torn.
            self._file.write(line)
            self._file.flush()
            if self.sync:
                os.fsync(self._file.fileno())
        self._digest.update(line)

    def end(self, row: Mapping[str, Any]) -> None:
        """Write the last row, with the digest of all rows, itself without the digest included."""
        whole = self._digest.copy()
        whole.update(compact(row).encode())
        self.write({**row, "sha256": whole.hexdigest()})

    def finish(self) -> None:
        assert self._file is not None, "open() comes first"
        os.fsync(self._file.fileno())
        self.close()
        os.replace(self.part, self.path)
        sync_folder(self.path.parent)

    def rows(self) -> list[dict[str, Any]]:
        """All rows so far."""
        assert self._file is not None, "open() comes first"
        self._file.flush()
        return [json.loads(line) for line in self.part.read_bytes().splitlines()]

    def close(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None

    def discard(self) -> Path:
        """Set a diverged attempt aside under a name of its own; nothing recorded is lost."""
        self.close()
        number = 1
        while (target := self.path.with_name(f"{self.path.stem}.discarded-{number}")).exists():
            number += 1
        os.replace(self.part, target)
        return target


def mend(part: Path) -> list[bytes]:
    """Cut a torn last line off and return the whole lines. Raises DamagedRecord for damage before the last line."""
    content = part.read_bytes()
    whole = content.rfind(b"\n") + 1
    lines = content[:whole].splitlines(keepends=True)
    for number, line in enumerate(lines, start=1):
        try:
            json.loads(line)
        except ValueError:
            raise DamagedRecord(
                f"{part}: line {number} of {len(lines)} is no JSON ({line[:60]!r}); "
                "move the file away to run this episode anew"
            ) from None
    if whole < len(content):
        os.truncate(part, whole)
    return lines


def read(path: Path) -> list[dict[str, Any]]:
    """All rows of a finished record. Raises DamagedRecord when it is not what was written."""
    content = path.read_bytes()
    lines = content.splitlines(keepends=True)
    rows: list[dict[str, Any]] = []
    for number, line in enumerate(lines, start=1):
        try:
            rows.append(json.loads(line))
        except ValueError:
            raise DamagedRecord(f"{path}: line {number} is no JSON ({line[:60]!r})") from None
    if not rows or rows[-1].get("row") != "end" or not lines[-1].endswith(b"\n"):
        raise DamagedRecord(f"{path}: the last row is not the end of an episode; the file is incomplete")
    last = dict(rows[-1])
    found = last.pop("sha256", None)
    derived = hashlib.sha256(b"".join(lines[:-1]) + compact(last).encode()).hexdigest()
    if found != derived or compact(rows[-1]).encode() + b"\n" != lines[-1]:
        raise DamagedRecord(f"{path}: the rows are not the ones that were recorded (SHA-256 differs)")
    return rows


def sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _difference(path: Path, number: int, recorded: bytes, derived: bytes) -> str:
    position = common(recorded, derived)
    start = max(0, position - 40)
    return (
        f"{path}: row {number} differs at byte {position}: "
        f"recorded …{recorded[start:position + 60]!r}, now …{derived[start:position + 60]!r}"
    )
