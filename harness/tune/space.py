"""What a strategy is tried with: grids in conf/tune/<strategy>.yaml, and a draw from them.

The file is a list of grids, as scikit-learn's ParameterGrid takes it: within a grid all combinations, and a key that a
grid leaves out keeps its default. So parameters that act only together are not drawn where they do nothing.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any

import yaml

from harness.parts import SettingsError

Settings = dict[str, Any]  # of a trial: what differs from the default
Grid = Mapping[str, Sequence[Any]]


def load(path: Path, default: Mapping[str, Any]) -> list[Grid]:
    """default: the settings of the strategy's own file.

    Raises SettingsError for a file that is missing, is no list of grids or names what is no parameter.
    """
    if not path.is_file():
        raise SettingsError(f"{path} is missing: give a list of grids, such as `- low_water: [1.0, 0.8, 0.5]`")
    grids = yaml.safe_load(path.read_text())
    if not isinstance(grids, list) or not all(isinstance(grid, dict) for grid in grids):
        raise SettingsError(f"{path}: give a list of grids, such as `- low_water: [1.0, 0.8, 0.5]`")
    known = [key for key in default if key != "_target_"]
    for key, values in ((key, values) for grid in grids for key, values in grid.items()):
        if key not in known:
            raise SettingsError(f"{path}: {key} is no parameter; there are {', '.join(known)}")
        if not isinstance(values, list) or not values:
            raise SettingsError(f"{path}: {key}: {values!r} is no list of values")
    return grids


def draw(grids: Sequence[Grid], default: Mapping[str, Any], trials: int, seed: int) -> list[Settings]:
    """The default ({}) and others, each once, `trials` in all; fewer where the grids have no more.

    Raises SettingsError for less than one trial.
    """
    if trials < 1:
        raise SettingsError(f"trials={trials}: give at least 1, which is the default")
    others: dict[str, Settings] = {}
    for point in _points(grids):
        changed = {key: value for key, value in point.items() if value != default[key]}
        if changed:
            others.setdefault(json.dumps(changed, sort_keys=True), changed)
    drawn = random.Random(seed).sample(list(others), min(trials - 1, len(others)))
    return [{}, *(others[name] for name in drawn)]


def overrides(settings: Mapping[str, Any]) -> list[str]:
    """As on the command line."""
    return [f"strategy.{key}={json.dumps(value)}" for key, value in settings.items()]


def _points(grids: Sequence[Grid]) -> Iterator[Settings]:
    for grid in grids:
        for values in product(*grid.values()):
            yield dict(zip(grid, values, strict=True))
