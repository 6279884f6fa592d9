"""Starts the real command line from a user's own folder, with a user's own strategies beside it."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]

_STRATEGIES = '''
"""A user's module, outside the project."""
import os, signal, sys


class Careful:
    def __init__(self, keep=2):
        self.keep = keep

    def reset(self, kit, brief, saved=None):
        pass

    def compose(self, history, budget):
        return [*history.pinned, *history[2:][-2 * self.keep - 1 :]] if len(history) % 2 else history[:]


class Leaves(Careful):
    def compose(self, history, budget):
        sys.exit("I am leaving")


class Hungry(Careful):
    def compose(self, history, budget):
        raise MemoryError("no more room")


class Killed(Careful):
    def compose(self, history, budget):
        os.kill(os.getpid(), signal.SIGKILL)
'''

_FILES = {
    "mine.py": _STRATEGIES,
    "torn.py": "def broken(:\n",
    "conf/task/desk.yaml": "_target_: tests.machine.toy.Desk\nhorizon: 12\ncount: ${instances}\nback: 4\n",
    "conf/model/clerk.yaml": "_target_: tests.machine.toy.Clerk\n",
    "conf/model/slow.yaml": "_target_: tests.machine.toy.Clerk\npause: 0.1\n",
    "conf/strategy/notebook.yaml": "_target_: tests.machine.arms.Notebook\nkeep: 2\n",
    "conf/strategy/careful.yaml": "_target_: mine.Careful\nkeep: 2\n",
    "conf/strategy/leaves.yaml": "_target_: mine.Leaves\n",
    "conf/strategy/hungry.yaml": "_target_: mine.Hungry\n",
    "conf/strategy/killed.yaml": "_target_: mine.Killed\n",
}


@dataclass(frozen=True)
class User:
    """A folder with a module, a config tree and an import path."""

    folder: Path

    @staticmethod
    def at(folder: Path) -> User:
        for name, text in _FILES.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return User(folder)

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        """`python -m harness …` in a session of its own; the desk, the clerk and small settings by default."""
        settings = ["tokenizer=characters", "embedder=none", "instances=2", "checkpoints=[5,10]", "budget=4000"]
        given = {argument.split("=")[0] for argument in arguments}
        settings += ["task=desk"] if "task" not in given else []
        settings += ["model=clerk"] if "model" not in given else []
        settings = [s for s in settings if s.split("=")[0] not in given]
        search = f"hydra.searchpath=[file://{self.folder / 'conf'}]"
        flags = [argument for argument in arguments if argument.startswith("-")]
        changes = [argument for argument in arguments if not argument.startswith("-")]
        command = [sys.executable, "-m", "harness", *flags, search, *settings, *changes]
        return subprocess.Popen(
            command,
            cwd=self.folder,
            env={**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{self.folder}"},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )


@dataclass(frozen=True)
class Done:
    code: int
    out: str
    err: str


def finish(process: subprocess.Popen[str]) -> Done:
    out, err = process.communicate(timeout=120)
    return Done(process.returncode, out, err)
