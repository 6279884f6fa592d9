"""The name of a cell: everything that can change a result is in it, nothing else."""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from harness import sources
from harness.identity import difference, folder_name, identity
from tests.machine.test_cell import settings


@pytest.mark.parametrize(
    "changed",
    [
        {"budget": 4001}, {"seed": 1}, {"checkpoints": [5]}, {"only": ["desk-0"]}, {"window": 9000}, {"margin": 1},
        {"task": {"_target_": "tests.machine.toy.Desk", "horizon": 13, "count": 3, "back": 4}},
        {"strategy": {"_target_": "tests.machine.arms.Notebook", "keep": 3}},
        {"strategy": {"_target_": "tests.machine.arms.Notebook", "keep": "2"}},
        {"model": {"_target_": "tests.machine.toy.Clerk", "pause": 0.0}},
        {"tokenizer": {"_target_": "harness.tokens.Characters", "per_token": 3.0}},
        {"limits": {"turns": None, "turn_factor": 1.5, "turn_spare": 10, "tokens": None, "output": 101}},
        {"compactor": {"_target_": "tests.machine.toy.Clerk"}},
    ],
)  # fmt: skip
def test_each_setting_that_can_change_a_result_changes_the_identity(changed: dict[str, Any]) -> None:
    assert identity(settings() | changed) != identity(settings())


@pytest.mark.parametrize("changed", [{"name": "x"}, {"results": "/x"}, {"isolate": True}, {"quiet": False}])
def test_where_and_how_it_runs_does_not(changed: dict[str, Any]) -> None:
    assert identity(settings() | changed) == identity(settings())


def test_the_order_of_settings_does_not() -> None:
    assert identity(dict(reversed(settings().items()))) == identity(settings())


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A user's package `lent`, a module `beside` it, and one further away."""
    for name, text in {
        "lent/__init__.py": "",
        "lent/arm.py": "from . import words\nfrom lent.deep import more\nimport json, beside\n\nclass Arm: ...\n",
        "lent/words.py": "A = 1\n",
        "lent/deep/__init__.py": "",
        "lent/deep/more.py": "B = 1\n",
        "lent/unused.py": "C = 1\n",
        "beside.py": "D = 1\n",
    }.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    monkeypatch.syspath_prepend(str(tmp_path))
    yield tmp_path
    for name in [name for name in sys.modules if name.split(".")[0] in ("lent", "beside")]:
        del sys.modules[name]


def of_arm() -> str:
    sources._read.cache_clear()
    sources._path.cache_clear()
    sources._beside.cache_clear()
    importlib.invalidate_caches()
    return identity(settings({"_target_": "lent.arm.Arm"}))


@pytest.mark.parametrize(
    "name", ["lent/arm.py", "lent/words.py", "lent/deep/more.py", "lent/deep/__init__.py", "beside.py"]
)
def test_a_changed_source_changes_the_identity(package: Path, name: str) -> None:
    before = of_arm()
    assert of_arm() == before
    (package / name).write_text((package / name).read_text() + "# changed\n")
    assert of_arm() != before


def test_a_source_that_is_not_imported_does_not(package: Path) -> None:
    before = of_arm()
    (package / "lent" / "unused.py").write_text("C = 2\n")
    assert of_arm() == before


def test_every_module_of_the_harness_that_can_change_a_record_counts() -> None:
    """The loop and what it imports are in the identity of every cell, and the measures in that of the tables."""
    seen = [path.stem for path, _ in _read_by({"harness.episode"})]
    assert {"episode", "context", "history", "tokens", "journal", "kit", "ranges", "text", "codec", "contract"} <= set(
        seen
    )
    seen = [path.stem for path, _ in _read_by({"harness.tables"})]
    assert {"tables", "measures", "counters", "walk", "views", "presence", "facts", "record", "needs"} <= set(seen)


def _read_by(modules: set[str]) -> list[tuple[Path, str]]:
    """Files that a digest reads: found by digesting each module of the project alone and with the others."""
    whole = sources.digest(modules)
    root = Path(sources.__file__).parent
    found = []
    for path in sorted(root.glob("*.py")):
        name = f"harness.{path.stem}"
        if path.stem != "__init__" and sources.digest(modules | {name}) == whole:
            found.append((path, name))
    return found


def test_a_missing_module_is_named() -> None:
    with pytest.raises(ValueError, match=r"_target_ 'no\.such\.Thing': there is no such module"):
        identity(settings({"_target_": "no.such.Thing"}))


def test_the_difference_names_every_setting() -> None:
    old = {"a": 1, "b": {"c": [1, 2], "d": None}, "gone": True}
    new = {"a": 1, "b": {"c": [1], "d": "x"}, "new": 0}
    assert list(difference(old, new)) == [
        "b.c: [1, 2] -> [1]",
        'b.d: null -> "x"',
        'gone: true -> "(absent)"',
        'new: "(absent)" -> 0',
    ]


def test_folder_names_are_safe_and_differ_by_more_than_case() -> None:
    names = {"task": "my/Task", "strategy": "A b", "model": "gpt-4", "reader": "ideal"}
    name = folder_name(settings(), names)
    assert name == f"my_task-a_b-4000-gpt_4-ideal-{identity(settings())[:10]}"
    upper = settings({"_target_": "tests.machine.arms.Newest"})
    assert folder_name(upper, names | {"strategy": "a B"}).lower() != name.lower()
    json.dumps(name)
