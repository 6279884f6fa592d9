"""The task `swebench`: SWE-bench Lite, Verified, or any rows of the same form."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

from harness.contract import Grade, Grammar, Instance
from tasks.swebench import choice, sandbox
from tasks.swebench.evaluation import Evaluation
from tasks.swebench.machine import Fault
from tasks.swebench.rows import Row, load
from tasks.swebench.workbench import Terms, Workbench


class SWEbench:
    """data: a .json, .jsonl or .parquet file, or the name of a data set of the hub; split: of the latter.

    pick: ids, a file with one a line, or a list by name (focus5, lite50, smoke); None = all. count, seed: so many of
    these, by lot. seconds: of a command. output: characters of an answer. prepare: command at each start of the shell.
    memory, disk: gigabytes of the container, and free ones to begin with. cpus, processes: most at once. patch_at:
    steps at which the patch as it stands is kept, and graded, as well. test_seconds: of an instance's tests.
    """

    grammar: Grammar | None = None  # no scripted reader

    def __init__(
        self,
        data: str,
        split: str = "test",
        pick: Sequence[str] | str | None = None,
        count: int | None = None,
        seed: int = 0,
        seconds: float = 120.0,
        output: int = 100_000,
        prepare: str = ":",
        memory: float = 4.0,
        cpus: float = 2.0,
        processes: int = 512,
        disk: float = 2.0,
        patch_at: Sequence[int] = (),
        test_seconds: int = 1800,
    ) -> None:
        self.data = data
        self.split = split
        self.pick = pick
        self.count = count
        self.seed = seed
        self.seconds = seconds
        self.output = output
        self.prepare = prepare
        self.memory = memory
        self.cpus = cpus
        self.processes = processes
        self.disk = disk
        self.patch_at = patch_at
        self.test_seconds = test_seconds

    def instances(self) -> Sequence[Instance]:
        """Raises FileNotFoundError, ModuleNotFoundError or ValueError with what is wrong and the remedy."""
        rows = choice.chosen(load(self.data, self.split), self.pick, self.count, self.seed)
        return [Instance(row.id, data=row) for row in rows]

    def check(self) -> None:
        """Raises ValueError for what would end every episode: no daemon, no image, a full disk."""
        try:
            sandbox.check([instance.data.image for instance in self.instances()], self._limits())
        except Fault as fault:
            raise ValueError(str(fault)) from fault

    def open(self, instance: Instance, seed: int) -> Workbench:
        row: Row = instance.data
        terms = Terms(sandbox.WORK, self.seconds, self.output, self.prepare, tuple(self.patch_at))
        return Workbench(row, terms, partial(sandbox.start, row.image, row.id, self._limits()))

    def grade(
        self, left: Mapping[str, Mapping[str, str]], folder: str, workers: int
    ) -> Mapping[str, Mapping[str, Grade]]:
        """By instance and name, the grade of each patch that an episode left. Raises Fault, ModuleNotFoundError."""
        rows = {instance.id: instance.data for instance in self.instances()}
        evaluation = Evaluation(Path(folder), workers, self.test_seconds)
        found: dict[str, dict[str, Grade]] = {instance: {} for instance in left}
        known: dict[tuple[str, str], Grade] = {}  # a patch that stood unchanged at several steps is judged once
        for name in sorted({name for patches in left.values() for name in patches}):
            patches = {instance: own[name] for instance, own in left.items() if name in own}
            new = {instance: patch for instance, patch in patches.items() if (instance, patch) not in known}
            known |= {(instance, new[instance]): grade for instance, grade in evaluation.judge(rows, new).items()}
            for instance, patch in patches.items():
                found[instance][name] = known[instance, patch]
        return found

    def _limits(self) -> sandbox.Limits:
        return sandbox.Limits(self.memory, self.cpus, self.processes, self.disk)
