"""How many requests an endpoint gets at once, and a minute, from all processes of this machine together."""

from __future__ import annotations

import fcntl
import hashlib
import os
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

POLL = 0.05  # seconds between two looks for a free place


class Gate:
    """slots, per_minute: None = no limit. A killed process leaves no place taken."""

    def __init__(self, endpoint: str, slots: int | None, per_minute: int | None, root: Path | None = None) -> None:
        self._folder = (root or Path(tempfile.gettempdir()) / f"longhaul-{os.getuid()}") / _name(endpoint)
        self._slots = slots
        self._per_minute = per_minute

    @contextmanager
    def enter(self) -> Iterator[None]:
        """Wait for a place, and keep it."""
        self._folder.mkdir(parents=True, exist_ok=True)
        with self._place():
            self._pace()
            yield

    @contextmanager
    def _place(self) -> Iterator[None]:
        if self._slots is None:
            yield
            return
        while True:
            for number in range(self._slots):
                file = open(self._folder / f"slot-{number}", "w")  # noqa: SIM115 (held while the call runs)
                try:
                    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except BlockingIOError:
                    file.close()
                    continue
                try:
                    yield
                finally:
                    file.close()
                return
            time.sleep(POLL)

    def _pace(self) -> None:
        """Wait until fewer than `per_minute` requests began within the last minute, then note this one."""
        if self._per_minute is None:
            return
        while True:
            with open(self._folder / "begun", "a+") as file:
                fcntl.flock(file, fcntl.LOCK_EX)
                file.seek(0)
                now = time.time()
                begun = [float(line) for line in file if now - float(line) < 60]
                if len(begun) < self._per_minute:
                    file.seek(0)
                    file.truncate()
                    file.write("".join(f"{at}\n" for at in (*begun, now)))
                    return
            time.sleep(max(POLL, 60 - (now - begun[0])))


def _name(endpoint: str) -> str:
    return hashlib.sha256(endpoint.encode()).hexdigest()[:16]
