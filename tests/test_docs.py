"""The pages build to a site without a warning, and the commands in them are commands that there are."""

from __future__ import annotations

import importlib.util
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hydra import compose, initialize_config_dir
from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.core.override_parser.types import Override

from tests.machine.cli import ROOT

PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
COMMAND = re.compile(r"python -m (harness[\w.]*)((?:[ \t]+[^`#\n]*)?)")
# stands for something that the reader fills in, or that an example adds
OPEN = re.compile(r"…|\b[A-Z]{3,}\b|\bthin\b|\[|\.\.\.")


def text(page: Path) -> str:
    """Commands that are broken over lines, by a backslash or within backquotes, stand on one."""
    found = page.read_text().replace("\\\n", " ")
    return re.sub(r"(?<!`)`(?!`)([^`]+)`(?!`)", lambda match: "`" + " ".join(match[1].split()) + "`", found)


def commands() -> Iterator[tuple[str, str, str]]:
    """Page, module and arguments of each."""
    for page in PAGES:
        for module, arguments in COMMAND.findall(text(page)):
            yield str(page.relative_to(ROOT)), module.rstrip("."), arguments.strip()


ALL = sorted(set(commands()))
SWEEPS = [row for row in ALL if row[1] == "harness" and row[2] and not OPEN.search(row[2])]


def choices(override: Override) -> list[str]:
    """`key=a,b` as `key=a` and `key=b`."""
    if not override.is_sweep_override():
        return [override.input_line or ""]
    key = override.get_key_element()
    return [f"{key}={value}" for value in override.sweep_string_iterator()]


def test_there_are_commands() -> None:
    assert len(ALL) > 40 and len(SWEEPS) > 20


@pytest.mark.parametrize("module", sorted({module for _, module, _ in ALL}))
def test_modules_that_are_named_can_be_run(module: str) -> None:
    spec = importlib.util.find_spec(module)
    assert spec is not None, f"there is no {module}"
    if spec.submodule_search_locations is not None:
        assert importlib.util.find_spec(f"{module}.__main__") is not None
    else:
        assert '__name__ == "__main__"' in Path(str(spec.origin)).read_text()


@pytest.mark.parametrize("page, arguments", sorted({(page, arguments) for page, _, arguments in SWEEPS}))
def test_settings_that_are_named_compose(page: str, arguments: str) -> None:
    given = [word for word in shlex.split(arguments) if not word.startswith("-")]
    parsed = [choices(override) for override in OverridesParser.create().parse_overrides(given)]
    with initialize_config_dir(str(ROOT / "conf"), version_base=None):
        # every choice once, each with a choice of the others
        for turn in range(max(map(len, parsed), default=1)):
            compose("config", [some[turn % len(some)] for some in parsed])


def test_targets_that_are_named_are_in_the_makefile() -> None:
    named = {found for page in PAGES for found in re.findall(r"(?:`|^ *)make ([a-z-]+)", text(page), re.MULTILINE)}
    there = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    assert {"bench", "test", "tune"} <= named <= there


def test_the_quickstart_runs(tmp_path: Path) -> None:
    page = text(ROOT / "docs" / "quickstart.md")
    lines = re.findall(r"^    (python -m harness[^\n#]*)", page, re.MULTILINE)
    offline = [line.strip() for line in lines if "model=" not in line]
    assert len(offline) == 5, offline
    for line in offline:
        words = shlex.split(line)
        if words[2] == "harness":
            small = [f"results={tmp_path}/results", "task.horizon=20", "task.subtasks=2", "task.reach=15"]
            words = [word for word in words if not word.startswith("instances=")]
            words += [*small, "checkpoints=[10,20]", "instances=2", "quiet=true", "isolate=false"]
        else:
            words = [word.replace("results/", f"{tmp_path}/results/") for word in words]
        done = subprocess.run([sys.executable, *words[1:]], cwd=ROOT, capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, f"{line}\n{done.stderr}"


def test_the_site_builds_without_a_warning(tmp_path: Path) -> None:
    for name in ("sphinx", "myst_parser", "furo"):
        pytest.importorskip(name, reason="needs the extra `docs`")
    command = [sys.executable, "-m", "sphinx", "-q", "-E", "-W", "--keep-going", "docs", str(tmp_path / "site")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    made = {path.stem for path in (tmp_path / "site").rglob("*.html")}
    assert {page.stem for page in PAGES if page.parent != ROOT} <= made
