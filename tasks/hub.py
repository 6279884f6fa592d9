"""A data set of the Hugging Face hub. Needs the extra `swebench` and a network."""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Mapping
from typing import Any


def rows(name: str, configuration: str | None, split: str, wanted: str) -> Iterable[Mapping[str, Any]]:
    """wanted: what needs the package `datasets`, for the message of the ModuleNotFoundError where it is missing."""
    try:
        datasets = importlib.import_module("datasets")
    except ModuleNotFoundError as error:
        if error.name != "datasets":
            raise
        raise ModuleNotFoundError(f"{wanted} `datasets`: pip install 'longhaul[swebench]'", name="datasets") from error
    found: Iterable[Mapping[str, Any]] = datasets.load_dataset(name, configuration, split=split)
    return found
