"""Two tables, number by number: the first place where they differ, and how many there are.

Texts and whole numbers are compared as they are, other numbers to twelve digits: what comes after them depends on the
processor's vector unit, which adds in another order.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

DIGITS = 1e-12
LACKING = "(not there)"


@dataclass(frozen=True, slots=True)
class Difference:
    """row: what names it. column: where the values differ; "" where the whole row is on one side only."""

    row: str
    column: str
    reference: str
    now: str

    def __str__(self) -> str:
        column = f", {self.column}" if self.column else ""
        return f"{self.row}{column}: {self.reference} in the reference, {self.now} now"


def read(path: Path) -> pd.DataFrame:
    """A .parquet or .csv file as it is, a .json file as a row a value (`at`, `value`). Raises ValueError for others."""
    if path.suffix == ".parquet":
        return pd.read_parquet(path)
    if path.suffix == ".csv":
        return pd.read_csv(path, keep_default_na=False)
    if path.suffix == ".json":
        rows = list(_leaves(json.loads(path.read_text()), ""))
        return pd.DataFrame({"at": [at for at, _ in rows], "value": pd.Series([v for _, v in rows], dtype=object)})
    raise ValueError(f"{path}: tables are .parquet, .csv or .json")


def differences(reference: pd.DataFrame, now: pd.DataFrame) -> Iterator[Difference]:
    """Columns first, then rows that only one side has, then values. A row is named by its columns up to the first
    that holds numbers with a fraction; rows of one name are told apart by their order."""
    if list(reference.columns) != list(now.columns):
        yield Difference("the table", "columns", ", ".join(reference.columns), ", ".join(now.columns))
        return
    names = _naming(reference)
    before, after = _rows(reference, names), _rows(now, names)
    yield from (Difference(row, "", "there", LACKING) for row in before if row not in after)
    yield from (Difference(row, "", LACKING, "there") for row in after if row not in before)
    for row, values in before.items():
        for column, value in values.items() if row in after else ():
            if not same(value, after[row][column]):
                yield Difference(row, column, _told(value), _told(after[row][column]))


def same(a: Any, b: Any) -> bool:
    if _missing(a) or _missing(b):
        return _missing(a) and _missing(b)
    if isinstance(a, float) and isinstance(b, float):
        return math.isclose(a, b, rel_tol=DIGITS, abs_tol=DIGITS)
    return type(a) is type(b) and bool(a == b)


def _naming(table: pd.DataFrame) -> list[str]:
    found: list[str] = []
    for column in table.columns[:-1] if len(table.columns) > 1 else table.columns:
        if pd.api.types.is_float_dtype(table[column]):
            break
        found.append(str(column))
    return found or [str(table.columns[0])]


def _rows(table: pd.DataFrame, names: list[str]) -> dict[str, Mapping[str, Any]]:
    found: dict[str, Mapping[str, Any]] = {}
    seen: dict[str, int] = {}
    for values in table.astype(object).to_dict("records"):
        name = ", ".join(f"{column}={_told(values[column])}" for column in names if not _missing(values[column]))
        seen[name] = seen.get(name, 0) + 1
        row = name if seen[name] == 1 else f"{name} (no. {seen[name]})"
        found[row] = {str(column): value for column, value in values.items()}
    return found


def _leaves(value: Any, at: str) -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict) and value:
        for key, item in value.items():
            yield from _leaves(item, f"{at}/{key}")
    elif isinstance(value, list) and value:
        for number, item in enumerate(value):
            yield from _leaves(item, f"{at}/{number}")
    else:
        yield at or "/", str(value) if isinstance(value, (dict, list)) else value


def _missing(value: Any) -> bool:
    return value is None or value is pd.NA or (isinstance(value, float) and math.isnan(value))


def _told(value: Any) -> str:
    return "missing" if _missing(value) else f"{value:.15g}" if isinstance(value, float) else str(value)
