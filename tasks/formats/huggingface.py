"""A data set of recorded runs on the Hugging Face hub, one run a row. Needs the extra `swebench` and a network."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from typing import Any


def records(path: str, split: str) -> Iterator[tuple[str, Any]]:
    """(name, row) of each row of the data set `owner/name` or `owner/name:configuration`.

    Raises ModuleNotFoundError, with the remedy, where the package `datasets` is missing.
    """
    try:
        datasets = importlib.import_module("datasets")
    except ModuleNotFoundError as error:
        if error.name != "datasets":
            raise
        raise ModuleNotFoundError(
            f"task.format=huggingface (task.path={path}) needs `datasets`: pip install 'longhaul[swebench]'",
            name="datasets",
        ) from error
    name, _, configuration = path.partition(":")
    for number, row in enumerate(datasets.load_dataset(name, configuration or None, split=split)):
        yield f"{name}-{number:05d}", row
