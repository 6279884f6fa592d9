"""Dictionaries with numbers as keys, in JSON and back: there keys are text, and their order must stay."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

V = TypeVar("V")


def pairs(mapping: Mapping[int, V]) -> list[tuple[int, V]]:
    return list(mapping.items())


def unpaired(rows: list[Any]) -> dict[int, Any]:
    return dict(rows)
