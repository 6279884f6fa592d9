"""The suite: its version, its families, and a digest of everything that its texts come from."""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterable, Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tasks.generated import Generated

VERSION = "v1"
DEVELOPMENT = ("pipeline", "credentials", "debugging", "refinement", "document")
HELD_OUT = ("graph", "constraints", "support", "branching", "team")
FAMILIES = DEVELOPMENT + HELD_OUT

_TASKS = Path(__file__).parent
_CONF = _TASKS.parent / "conf" / "task"


@cache
def suite() -> str:
    """Version and the first digits of the digest, as they stand in every record: "v1 3f2a91c07be4"."""
    return f"{VERSION} {digest()[:12]}"


def digest(folder: Path = _TASKS, conf: Path = _CONF) -> str:
    """SHA-256, as hexadecimal text, over

    - the sources of the families and of all modules of `folder` that they import, and their files in `conf`;
    - the texts of the first instance of each, which also shows a random generator that draws otherwise.

    Raises FileNotFoundError for a family without a file.
    """
    total = hashlib.sha256()
    for path in [*sources(folder, FAMILIES), *(conf / f"{name}.yaml" for name in FAMILIES)]:
        total.update(path.name.encode() + b"\0" + hashlib.sha256(path.read_bytes()).digest())
    for name in FAMILIES:
        for text in texts(getattr(import_module(f"tasks.{name}"), name)(instances=1)):
            total.update(text.encode() + b"\0")
    return total.hexdigest()


def texts(task: Generated) -> Iterator[str]:
    """All that the environment of the first instance would say, whatever is done."""
    world = task.open(task.instances()[0], 0)
    yield from (world.brief().system, world.brief().task, world.pages.opening())
    for step in range(1, task.horizon + 1):
        yield world.pages.instruction(step)
        yield from world.pages.answer(step)


def sources(folder: Path, modules: Iterable[str]) -> list[Path]:
    """The files of the modules of `folder` and of those that they import from it, in order of their names."""
    reached: dict[str, Path] = {}
    waiting = list(modules)
    while waiting:
        name = waiting.pop()
        if name not in reached:
            reached[name] = folder / f"{name}.py"
            waiting += _imports(reached[name])
    return [reached[name] for name in sorted(reached)]


def _imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("tasks."):
            yield (node.module or "").removeprefix("tasks.")
