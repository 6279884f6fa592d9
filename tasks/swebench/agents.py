"""Agents without a model, to see that everything runs: one that knows the solution, and one that does nothing."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from typing import ClassVar

from harness.contract import Call, Environment, Message, Model, Reply, Request, Task
from tasks.swebench.workbench import Workbench


@dataclass(frozen=True, slots=True)
class Gold:
    """Looks around, applies the reference patch, looks at the result, submits. Must be resolved."""

    speaks: ClassVar[bool] = False

    def open(self, task: Task, environment: Environment, seed: int) -> Model:
        bench = workbench(environment, "gold")
        patch, folder = bench.row.patch, bench.terms.folder
        files = " ".join(shlex.quote(line[6:].strip()) for line in patch.splitlines() if line.startswith("--- a/"))
        newline = "" if patch.endswith("\n") else "\n"
        apply = f"git apply -v - <<'END_OF_THE_PATCH'\n{patch}{newline}END_OF_THE_PATCH"
        return Script(
            bench,
            (
                ("I look at what is to change.", Call("", "bash", {"command": f"git log -1; wc -l {files}"})),
                ("I look around.", Call("", "str_replace_editor", {"command": "view", "path": folder})),
                ("I apply the solution.", Call("", "bash", {"command": apply})),
                ("I check what has changed.", Call("", "bash", {"command": "git diff --stat"})),
                ("Done.", Call("", "submit", {})),
            ),
        )


@dataclass(frozen=True, slots=True)
class Noop:
    """Submits at once, with nothing changed. Must never be resolved."""

    speaks: ClassVar[bool] = False

    def open(self, task: Task, environment: Environment, seed: int) -> Model:
        return Script(workbench(environment, "noop"), (("There is nothing to do.", Call("", "submit", {})),))


@dataclass(frozen=True, slots=True)
class Script:
    """A `contract.Model` that does one thing after the other. The workbench counts, so a resumed episode goes on."""

    bench: Workbench
    acts: tuple[tuple[str, Call], ...]

    def complete(self, request: Request) -> Reply:
        text, call = self.acts[min(self.bench.steps, len(self.acts) - 1)]
        return Reply(Message("", "assistant", text, (call,)))


def workbench(environment: Environment, name: str) -> Workbench:
    """The environment as a workbench, that of a chain's current instance included. Raises ValueError."""
    if not isinstance(environment, Workbench):
        raise ValueError(f"model={name} solves no {type(environment).__name__}: it needs task=swebench")
    return environment
