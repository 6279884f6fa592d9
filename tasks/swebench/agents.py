"""Agents without a model, to see that everything runs: one that knows the solution, and one that does nothing."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar, Protocol, cast

from harness.contract import Call, Environment, Message, Model, Reply, Request, Task
from tasks.swebench.workbench import Workbench

Act = tuple[str, Call]


class Benched(Protocol):
    """An environment with a workbench: one itself, or a chain, whose current one it is."""

    @property
    def bench(self) -> Workbench: ...


@dataclass(frozen=True, slots=True)
class Gold:
    """Looks around, applies the reference patch, looks at the result, submits. Must be resolved."""

    speaks: ClassVar[bool] = False

    def open(self, task: Task, environment: Environment, seed: int) -> Model:
        return Script(benched(environment, "gold"), _solution)


@dataclass(frozen=True, slots=True)
class Noop:
    """Submits at once, with nothing changed. Must never be resolved."""

    speaks: ClassVar[bool] = False

    def open(self, task: Task, environment: Environment, seed: int) -> Model:
        return Script(benched(environment, "noop"), lambda bench: [("There is nothing to do.", Call("", "submit", {}))])


@dataclass(frozen=True, slots=True)
class Script:
    """A `contract.Model` that does one thing after the other. The workbench counts, so a resumed episode goes on."""

    environment: Benched
    acts: Callable[[Workbench], Sequence[Act]]

    def complete(self, request: Request) -> Reply:
        bench = self.environment.bench
        acts = self.acts(bench)
        text, call = acts[min(bench.steps, len(acts) - 1)]
        return Reply(Message("", "assistant", text, (call,)))


def benched(environment: Environment, name: str) -> Benched:
    """Raises ValueError for an environment without a workbench. name: of the model, for the message."""
    if not hasattr(type(environment), "bench"):
        raise ValueError(f"model={name} solves no {type(environment).__name__}: it needs task=swebench")
    return cast(Benched, environment)


def _solution(bench: Workbench) -> Sequence[Act]:
    patch = bench.row.patch
    files = " ".join(shlex.quote(line[6:].strip()) for line in patch.splitlines() if line.startswith("--- a/"))
    newline = "" if patch.endswith("\n") else "\n"
    apply = f"git apply -v - <<'END_OF_THE_PATCH'\n{patch}{newline}END_OF_THE_PATCH"
    return [
        ("I look at what is to change.", Call("", "bash", {"command": f"git log -1; wc -l {files}"})),
        ("I look around.", Call("", "str_replace_editor", {"command": "view", "path": bench.terms.folder})),
        ("I apply the solution.", Call("", "bash", {"command": apply})),
        ("I check what has changed.", Call("", "bash", {"command": "git diff --stat"})),
        ("Done.", Call("", "submit", {})),
    ]
