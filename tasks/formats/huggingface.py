"""A data set of recorded runs on the Hugging Face hub, one run a row. Needs the extra `swebench` and a network."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tasks import hub


def records(path: str, split: str) -> Iterator[tuple[str, Any]]:
    """(name, row) of each row of the data set `owner/name` or `owner/name:configuration`.

    Raises ModuleNotFoundError, with the remedy, where the package `datasets` is missing.
    """
    name, _, configuration = path.partition(":")
    wanted = f"task.format=huggingface (task.path={path}) needs"
    for number, row in enumerate(hub.rows(name, configuration or None, split, wanted)):
        yield f"{name}-{number:05d}", row
