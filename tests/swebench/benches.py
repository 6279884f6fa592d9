"""Workbenches on this computer: a repository of two files in a folder of the test, no container."""

from __future__ import annotations

import itertools
import shutil
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from harness.contract import Call
from tasks.swebench.agents import Script
from tasks.swebench.rows import Row, checked
from tasks.swebench.workbench import Terms, Workbench
from tests.swebench import toyimage
from tests.swebench.local import Local
from tests.swebench.toyrows import row


@dataclass
class Boxes:
    """Starts boxes: each time the same repository anew, at the same place."""

    root: Path
    base: str = ""
    started: int = 0
    numbers: itertools.count = field(default_factory=itertools.count)  # type: ignore[type-arg]

    def start(self) -> Local:
        self.started += 1
        for name in ("testbed", "own"):
            shutil.rmtree(self.root / name, ignore_errors=True)
        self.base = toyimage.repository(self.root / "testbed")
        return Local()

    def row(self) -> Row:
        if not self.base:
            self.start()
        return checked(row(self.base), "toy", 1)

    def bench(self, **terms: object) -> Workbench:
        own = {"folder": str(self.root / "testbed"), "own": str(self.root / "own"), "seconds": 5.0, **terms}
        return Workbench(self.row(), Terms(**own), self.start)  # type: ignore[arg-type]


def bash(command: str) -> tuple[str, Call]:
    return "I run it.", Call("", "bash", {"command": command})


def edit(**arguments: object) -> tuple[str, Call]:
    return "I edit.", Call("", "str_replace_editor", arguments)


SUBMIT = ("Done.", Call("", "submit", {}))


def script(*acts: tuple[str, Call]) -> Callable[[Workbench], Script]:
    return lambda bench: Script(bench, lambda _: acts)
