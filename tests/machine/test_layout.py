"""Imports flow one way, and files stay short."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FILES = [path for folder in ("harness", "strategies", "tasks") for path in sorted((ROOT / folder).rglob("*.py"))]
OWN = ("harness", "strategies", "tasks", "tests")
# what the files of each package may import of the project
ALLOWED = {
    "harness": ("harness",),
    "strategies": ("harness.contract", "strategies"),
    "tasks": ("harness.contract", "tasks"),
}
LONGEST = 250
ARGUED = {
    "harness/contract.py": "one vocabulary, read as a whole",
}


def name(path: Path) -> str:
    return str(path.relative_to(ROOT))


def imports(path: Path) -> Iterator[str]:
    """Every module that a file imports, also inside of functions, in full."""
    package = list(path.relative_to(ROOT).parts[:-1])
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else []
            origin = ".".join([*above, node.module or ""]).strip(".")
            yield from (f"{origin}.{alias.name}" for alias in node.names)


def within(module: str, allowed: tuple[str, ...]) -> bool:
    return any(module == one or module.startswith(one + ".") for one in allowed)


def test_there_are_files_to_check() -> None:
    assert {"harness/episode.py", "strategies/window.py", "tasks/replay.py"} <= set(map(name, FILES))
    found = list(imports(ROOT / "harness" / "episode.py"))
    assert "harness.context.check" in found
    assert "time" in found


@pytest.mark.parametrize("path", FILES, ids=name)
def test_imports_follow_the_arrows(path: Path) -> None:
    allowed = ALLOWED[path.relative_to(ROOT).parts[0]]
    wrong = [module for module in imports(path) if module.split(".")[0] in OWN and not within(module, allowed)]
    assert not wrong


def test_the_contract_needs_the_standard_library_alone() -> None:
    used = {module.split(".")[0] for module in imports(ROOT / "harness" / "contract.py")}
    assert used <= sys.stdlib_module_names


@pytest.mark.parametrize("path", FILES, ids=name)
def test_files_are_short(path: Path) -> None:
    lines = len(path.read_text().splitlines())
    assert lines <= (480 if name(path) in ARGUED else LONGEST), f"{name(path)} has {lines} lines: split it by ideas"


def test_only_long_files_are_argued_for() -> None:
    assert all(len((ROOT / path).read_text().splitlines()) > LONGEST for path in ARGUED)


def test_the_folders_of_the_project_are_packages_of_one_kind() -> None:
    """Strategies and tasks are brought in by dotted paths of the configuration alone."""
    for file in sorted((ROOT / "conf").glob("*/*.yaml")):
        for line in file.read_text().splitlines():
            if line.strip().startswith("_target_:"):
                target = line.split(":", 1)[1].split("#")[0].strip()
                assert target.split(".")[0] in ("harness", "strategies", "tasks"), f"{file}: {target}"
