"""This computer as a machine for the tools: real processes, no container."""

from __future__ import annotations

import os
import select
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from tasks.swebench.machine import Ran


@dataclass
class LocalPipe:
    process: subprocess.Popen[bytes]

    def send(self, data: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def read(self, seconds: float) -> bytes | None:
        assert self.process.stdout is not None
        ready, _, _ = select.select([self.process.stdout], [], [], seconds)
        return os.read(self.process.stdout.fileno(), 65536) if ready else None

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout):
            assert stream is not None
            with suppress(BrokenPipeError):
                stream.close()


@dataclass
class Local:
    opened: list[LocalPipe] = field(default_factory=list)

    def run(self, command: Sequence[str], given: bytes = b"", seconds: float = 60.0) -> Ran:
        try:
            done = subprocess.run(command, input=given, capture_output=True, timeout=seconds)
        except subprocess.TimeoutExpired:
            return Ran(124, b"")
        return Ran(done.returncode, done.stdout, done.stderr)

    def open(self, command: Sequence[str]) -> LocalPipe:
        process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True
        )
        self.opened.append(LocalPipe(process))
        return self.opened[-1]

    def close(self) -> None:
        for pipe in self.opened:
            pipe.close()
