"""Every notebook runs whole, on a small sweep."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

nbformat = pytest.importorskip("nbformat", reason="notebooks need nbclient: the extra dev")
nbclient = pytest.importorskip("nbclient", reason="notebooks need nbclient: the extra dev")

ROOT = Path(__file__).parents[1]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))


@pytest.fixture(scope="module")
def sweep(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("sweep")
    chosen = ["task=graph", "strategy=full,window", "instances=8", "name=small", f"results={root}", "quiet=true"]
    done = subprocess.run(
        [sys.executable, "-m", "harness", "-m", *chosen], cwd=ROOT, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr[-1000:]
    return root / "small"


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs_whole(path: Path, sweep: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LONGHAUL_SWEEP", str(sweep))
    monkeypatch.setenv("LONGHAUL_INSTANCES", "2")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")]))
    notebook = nbformat.read(path, as_version=4)
    assert all(not cell.get("outputs") for cell in notebook.cells), "clear the outputs: numbers come from a run"
    nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3").execute(cwd=str(path.parent))
    shown = [output for cell in notebook.cells for output in cell.get("outputs", ()) if "data" in output]
    assert shown and any(cell.cell_type == "markdown" for cell in notebook.cells)


def test_there_are_notebooks() -> None:
    assert {"curves", "compare", "own_strategy"} <= {path.stem for path in NOTEBOOKS}
