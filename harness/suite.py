"""Which version of a suite a cell was played under, and that versions are never mixed.

A task that belongs to a versioned suite says so by an attribute `suite`, the version with a digest of all that its
texts come from. It is written into run.json when a cell begins, and from there into the tables: a finished cell keeps
it, whatever has been edited since.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from hydra.utils import instantiate


class MixedSuites(Exception):
    """Cells of several versions of a suite; the message names the versions, the folders and the remedy."""


def of_task(config: Mapping[str, Any]) -> str | None:
    """The version that a cell with these settings is played under now; None = its task belongs to no suite.

    None also for a task that cannot be built: whoever builds it to run it says what is wrong with it.
    """
    try:
        task = instantiate(config["task"])
    except Exception:
        return None
    found = getattr(task, "suite", None)
    return None if found is None else str(found)


def of_cell(folder: Path) -> str | None:
    """The version that the cell in `folder` was begun under; None also where there is no cell."""
    path = folder / "run.json"
    found = json.loads(path.read_text()).get("suite") if path.is_file() else None
    return None if found is None else str(found)


def check_one(folders: Iterable[Path]) -> str | None:
    """The one version of the cells in these folders; tasks of no suite mix with everything. Raises MixedSuites."""
    cells: dict[str, list[Path]] = {}
    for folder in folders:
        if (version := of_cell(folder)) is not None:
            cells.setdefault(version, []).append(folder)
    if len(cells) > 1:
        lines = [f"  {version}: {', '.join(str(path) for path in paths)}" for version, paths in cells.items()]
        raise MixedSuites(
            f"the cells were played under {len(cells)} versions of the suite, which cannot be compared:\n"
            + "\n".join(lines)
            + "\nrun all arms again under one version, with another name=… (docs/suite-changes.md says what changed)"
        )
    return next(iter(cells), None)
