"""`python -m harness.mechanisms`: docs/mechanisms.md from docs/mechanisms/*.yaml.

Each mechanism that a source names -> the parameter that switches it -> the test that fails without it.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

import yaml

ROOT = Path(__file__).parent.parent
HEAD = """# Mechanisms

Each line is a mechanism that a strategy's source names, the parameter that sets it or switches it off, and a test that
fails without it. Made from [`docs/mechanisms`](mechanisms) by `python -m harness.mechanisms`; a test checks that every
strategy is covered and that every test named here exists.
"""


@dataclass(frozen=True, slots=True)
class Mechanism:
    file: str
    line: str
    parameter: str
    test: str


def load(folder: Path = ROOT / "docs" / "mechanisms") -> list[Mechanism]:
    """Raises ValueError for an entry that lacks a field."""
    found = []
    for path in sorted(folder.glob("*.yaml")):
        for row in yaml.safe_load(path.read_text()):
            if set(row) != {"line", "parameter", "test"}:
                raise ValueError(f"{path}: {row}: give line, parameter and test")
            found.append(Mechanism(path.stem, str(row["line"]), str(row["parameter"]), str(row["test"])))
    return found


def page(mechanisms: list[Mechanism]) -> str:
    parts = [HEAD]
    for file in dict.fromkeys(one.file for one in mechanisms):
        parts.append(f"## {file}\n\n| mechanism | parameter | test |\n|---|---|---|")
        parts += [f"| {cell(m.line)} | `{cell(m.parameter)}` | {link(m.test)} |" for m in mechanisms if m.file == file]
        parts.append("")
    return "\n".join(parts)


def cell(text: str) -> str:
    return text.replace("|", "\\|")


def link(test: str) -> str:
    path, _, name = test.partition("::")
    return f"[{name or path}](../{path})"


if __name__ == "__main__":
    (ROOT / "docs" / "mechanisms.md").write_text(page(load()))
    sys.exit(0)
