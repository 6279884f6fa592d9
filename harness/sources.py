"""Digests of the source code that can change a result."""

from __future__ import annotations

import ast
import hashlib
import importlib.util
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

OWN = ("harness", "strategies", "tasks")


def targets(config: Any) -> set[str]:
    """All dotted `_target_` paths in a resolved config."""
    found: set[str] = set()
    if isinstance(config, dict):
        if isinstance(config.get("_target_"), str):
            found.add(config["_target_"])
        for value in config.values():
            found |= targets(value)
    elif isinstance(config, list):
        for value in config:
            found |= targets(value)
    return found


def digest(modules: Iterable[str]) -> str:
    """SHA-256 over the sources of the modules and all that they import of Longhaul, their packages, and beside them."""
    reached: dict[str, bytes] = {}
    waiting = list(modules)
    while waiting:
        name = waiting.pop()
        if name in reached:
            continue
        path = _path(name)
        if path is None:
            continue
        source, imports = _read(path, name)
        reached[name] = source
        package, home = name.split(".", maxsplit=1)[0], _home(path, name)
        for imported in imports:
            first = imported.split(".", maxsplit=1)[0]
            if first in (package, *OWN) or _beside(first, home):
                waiting.append(imported)
    total = hashlib.sha256()
    for name in sorted(reached):
        total.update(name.encode() + b"\0" + hashlib.sha256(reached[name]).digest())
    return total.hexdigest()


def module_of(target: str) -> str:
    """The module part of "package.module.Class". Raises ValueError when no prefix of it is a module."""
    parts = target.split(".")
    for end in range(len(parts), 0, -1):
        name = ".".join(parts[:end])
        if _path(name) is not None:
            return name
    raise ValueError(f"_target_ {target!r}: there is no such module; is its folder on the import path?")


def _home(path: Path, name: str) -> Path:
    """The folder of the import path in which a module was found."""
    return path.parents[name.count(".") + (path.name == "__init__.py")]


@cache
def _beside(first: str, home: Path) -> bool:
    """Whether a user keeps this module or package in the same folder; installed packages are told by their versions."""
    if home.name in ("site-packages", "dist-packages"):
        return False
    return (home / f"{first}.py").is_file() or (home / first / "__init__.py").is_file()


@cache
def _path(name: str) -> Path | None:
    try:
        spec = importlib.util.find_spec(name)
    except (ImportError, ValueError, AttributeError):
        return None
    return Path(spec.origin) if spec is not None and spec.origin and spec.origin.endswith(".py") else None


@cache
def _read(path: Path, name: str) -> tuple[bytes, tuple[str, ...]]:
    source = path.read_bytes()
    imports: list[str] = []
    base = name if path.name == "__init__.py" else name.rpartition(".")[0]
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            imports += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            origin = node.module or ""
            if node.level:
                above = base.split(".")[: len(base.split(".")) - node.level + 1]
                origin = ".".join([*above, origin]).strip(".")
            imports.append(origin)
            imports += [f"{origin}.{alias.name}" for alias in node.names]
    return source, tuple(imports)
