"""The task `swebench` on this computer: toy issues in folders of their own, and a judge that runs no tests.

Episodes, patches, grades and tables come from the real code; only the container and the tests in it are left out.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from harness.contract import Grade, Instance
from tasks.swebench.workbench import Workbench
from tests.machine.cli import ROOT
from tests.swebench.benches import Boxes
from tests.swebench.toyrows import MODULE, diff

WRONG = diff("adder.py", MODULE, MODULE.replace("a - b", "a * b"))


class Local:
    """wrong: the issues whose reference patch mends nothing. A patch that adds is resolved."""

    grammar = None

    def __init__(self, root: str, names: Sequence[str] = ("one", "two"), wrong: Sequence[str] = ()) -> None:
        self.root = root
        self.names = names
        self.wrong = wrong

    def instances(self) -> list[Instance]:
        row = Boxes(Path(self.root) / "row").row()
        mended = {name: WRONG if name in self.wrong else row.patch for name in self.names}
        return [Instance(name, data=replace(row, id=name, patch=patch)) for name, patch in mended.items()]

    def open(self, instance: Instance, seed: int) -> Workbench:
        bench = Boxes(Path(self.root) / instance.id).bench(patch_at=(3,))
        bench.row = instance.data
        return bench

    def grade(self, left: Mapping[str, Mapping[str, str]], folder: str, workers: int) -> dict[str, dict[str, Grade]]:
        return {issue: {name: judged(patch) for name, patch in own.items()} for issue, own in left.items()}


def judged(patch: str) -> Grade:
    if not patch:
        return Grade("empty patch", 0.0)
    return Grade("resolved", 1.0) if "a + b" in patch else Grade("unresolved", 0.0)


def sweep(folder: Path, *changes: str) -> Path:
    """Play and judge two issues, one of them with a reference patch that is wrong, and return the sweep's folder."""
    conf = folder / "conf" / "task"
    conf.mkdir(parents=True)
    listed = f"root: {folder / 'boxes'}\nnames: [one, two]\nwrong: [two]\n"
    (conf / "toy.yaml").write_text(f"_target_: tests.swebench.toytask.Local\n{listed}")
    settings = ["task=toy", "model=gold", "budget=40000", "quiet=true", "checkpoints=[2,5]", "limits.turns=20"]
    settings += ["tokenizer=characters", "embedder=none", "compactor=none", "name=toy", f"results={folder}"]
    command = [sys.executable, "-m", "harness", "-m", f"hydra.searchpath=[file://{folder / 'conf'}]", *settings]
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run([*command, *changes], cwd=folder, env=env, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr[-1000:]
    return folder / "toy"
