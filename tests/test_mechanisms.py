"""docs/mechanisms.md: every strategy is in it, every test that it names is there, and it is what its sources make."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from omegaconf import OmegaConf

from harness.mechanisms import ROOT, load, page

ALL = load()


def functions(path: Path) -> set[str]:
    return {node.name for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.FunctionDef)}


@pytest.mark.parametrize("test", sorted({one.test for one in ALL}))
def test_the_test_exists(test: str) -> None:
    file, _, name = test.partition("::")
    assert name.split("[")[0] in functions(ROOT / file)


def test_every_strategy_is_covered() -> None:
    """By its name, or that of the file that it is a preset of."""
    text = " ".join(f"{one.line} {one.parameter} {one.file} {one.test}" for one in ALL)
    files = sorted((ROOT / "conf" / "strategy").glob("*.yaml"))
    modules = {path.stem: OmegaConf.load(path)._target_.split(".")[1] for path in files}
    missing = sorted(name for name, module in modules.items() if name not in text and module not in text)
    assert not missing


def test_the_page_is_the_one_that_its_sources_make() -> None:
    assert (ROOT / "docs" / "mechanisms.md").read_text() == page(ALL)
