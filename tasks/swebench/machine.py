"""What tools need of a computer; a container is one, and the tests' own process another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol


class Fault(Exception):
    """The machine itself failed (daemon, disk, a lost connection): no result of the agent's."""


@dataclass(frozen=True, slots=True)
class Ran:
    """How a command ended. code: its exit status; 124 where it was given up after its seconds."""

    code: int
    out: bytes
    err: bytes = b""


class Pipe(Protocol):
    """A running process: what is sent goes to its input, what it prints (outputs joined) is read."""

    def send(self, data: bytes) -> None:
        """Raises OSError when the process is gone."""
        ...

    def read(self, seconds: float) -> bytes | None:
        """Some bytes; None when nothing came within so many seconds, b"" when the process has ended."""
        ...

    def close(self) -> None: ...


class Machine(Protocol):
    def run(self, command: Sequence[str], given: bytes = b"", seconds: float = 60.0) -> Ran:
        """Run a command to its end. given: its input; only as much of it is sent as the command reads."""
        ...

    def open(self, command: Sequence[str]) -> Pipe: ...
