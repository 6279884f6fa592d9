"""Every notebook runs whole, on a small sweep."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.swebench import toytask

nbformat = pytest.importorskip("nbformat", reason="notebooks need nbclient: the extra dev")
nbclient = pytest.importorskip("nbclient", reason="notebooks need nbclient: the extra dev")

ROOT = Path(__file__).parents[1]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
SWEEPS = {"swebench": "repositories"}  # the fixture whose sweep a notebook reads, where it is another one


@pytest.fixture(scope="module")
def sweep(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("sweep")
    chosen = ["task=graph", "strategy=full,window", "instances=8", "name=small", f"results={root}", "quiet=true"]
    done = subprocess.run(
        [sys.executable, "-m", "harness", "-m", *chosen], cwd=ROOT, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr[-1000:]
    return root / "small"


@pytest.fixture(scope="module")
def repositories(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return toytask.sweep(tmp_path_factory.mktemp("repositories"), "strategy=none,full,focus_paper")


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs_whole(path: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = request.getfixturevalue(SWEEPS.get(path.stem, "sweep"))
    monkeypatch.setenv("LONGHAUL_SWEEP", str(folder))
    monkeypatch.setenv("LONGHAUL_INSTANCES", "2")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")]))
    notebook = nbformat.read(path, as_version=4)
    assert all(not cell.get("outputs") for cell in notebook.cells), "clear the outputs: numbers come from a run"
    nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3").execute(cwd=str(path.parent))
    shown = [output for cell in notebook.cells for output in cell.get("outputs", ()) if "data" in output]
    assert shown and any(cell.cell_type == "markdown" for cell in notebook.cells)
    if path.stem == "swebench":
        told = "\n".join(output.get("text", "") or output["data"]["text/plain"] for cell in notebook.cells
                         for output in cell.get("outputs", ()))  # fmt: skip
        assert "1 of 2 resolved, exact 95 % interval 1–99 %" in told and "unresolved" in told


def test_there_are_notebooks() -> None:
    assert {"curves", "compare", "own_strategy", "swebench"} <= {path.stem for path in NOTEBOOKS}
