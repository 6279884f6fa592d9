"""What a sweep may spend: one account for all its cells and processes, in spent.jsonl of its folder.

Before a call its price at worst is set aside, afterwards its price is written. A call that was under way when its
process was killed stays at its worst, for the provider may have billed it. A resumed sweep goes on with the same
account.
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

from harness.journal import mend

NAME = "spent.jsonl"


class SpentUp(Exception):
    """The next call could take the sweep over `limits.dollars`."""


@dataclass(frozen=True, slots=True)
class Purse:
    """path: of the account. limit: US dollars."""

    path: Path
    limit: float

    def hold(self, worst: float) -> int:
        """Set dollars aside for a call; returns its number. Raises SpentUp."""
        with self._account() as (file, calls):
            spent = sum(calls.values())
            if spent + worst > self.limit:
                raise SpentUp(
                    f"limits.dollars={self.limit:g}: ${spent:.4f} are spent or set aside, and the next call may cost "
                    f"${worst:.4f}: raise the limit, and the same command goes on"
                )
            number = len(calls)
            _write(file, {"call": number, "held": worst})
            return number

    def pay(self, number: int, dollars: float) -> None:
        """What the call of this number came to."""
        with self._account() as (file, _):
            _write(file, {"call": number, "paid": dollars})

    @property
    def spent(self) -> float:
        """Dollars, with what is set aside."""
        with self._account() as (_, calls):
            return sum(calls.values())

    @contextmanager
    def _account(self) -> Iterator[tuple[TextIO, dict[int, float]]]:
        """The file, locked, and the dollars of each call: the newest word on it counts."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with open(self.path, "a+", encoding="utf-8") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            mend(self.path)
            file.seek(0)
            rows = [json.loads(line) for line in file]
            yield file, {row["call"]: row.get("paid", row.get("held")) for row in rows}


def _write(file: TextIO, row: dict[str, Any]) -> None:
    file.write(json.dumps(row) + "\n")
    file.flush()
    os.fsync(file.fileno())
