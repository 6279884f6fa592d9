"""Weights from a small JSON file, evaluated in numpy: how likely a name is needed again.

The file is made by `python -m harness.learn train`; it says how, when, from which data and features.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from strategies.learned.features import NAMES
from strategies.learned.reading import Floats

FOLDER = Path(__file__).parent / "weights"
DIGITS = 12  # of the file's SHA-256


class Scorer(Protocol):
    def __call__(self, matrix: Floats) -> Floats:
        """Chances of shape (rows,), for rows of `features.NAMES`."""
        ...


@dataclass(frozen=True, slots=True)
class Logistic:
    weights: Floats
    intercept: float

    def __call__(self, matrix: Floats) -> Floats:
        return _chance(matrix @ self.weights + self.intercept)


@dataclass(frozen=True, slots=True)
class Tree:
    """Nodes of a binary tree, the root first: to the left where the feature is at most the threshold. Leaves have
    themselves as children. Thresholds hold for 32-bit numbers, in which they were learned."""

    feature: np.ndarray
    threshold: np.ndarray
    left: np.ndarray
    right: np.ndarray
    value: Floats
    depth: int

    def __call__(self, matrix: np.ndarray) -> Floats:
        at, rows = np.zeros(len(matrix), np.intp), np.arange(len(matrix))
        for _ in range(self.depth):
            low = matrix[rows, self.feature[at]] <= self.threshold[at]
            at = np.where(low, self.left[at], self.right[at])
        return self.value[at]


@dataclass(frozen=True, slots=True)
class Boosting:
    """Friedman, "Greedy function approximation: a gradient boosting machine", Annals of Statistics 2001."""

    trees: tuple[Tree, ...]
    rate: float
    intercept: float

    def __call__(self, matrix: Floats) -> Floats:
        rows = matrix.astype(np.float32)
        total = np.full(len(rows), self.intercept)
        for tree in self.trees:
            total += self.rate * tree(rows)
        return _chance(total)


def load(model: str, digest: str | None = None) -> Scorer:
    """model: a file of `weights/`, or a path. digest: first digits of its SHA-256, so that settings which name it say
    which weights were used; None = any.

    Raises FileNotFoundError, and ValueError for another digest, other features or a kind that is not known.
    """
    path = find(model)
    data = path.read_bytes()
    found = hashlib.sha256(data).hexdigest()[:DIGITS]
    if digest is not None and digest != found:
        raise ValueError(f"{path} has digest {found!r}, the settings name {digest!r}: set digest={found} or null")
    return built(json.loads(data), str(path))


def find(model: str) -> Path:
    """Raises FileNotFoundError."""
    path = FOLDER / model if (FOLDER / model).is_file() else Path(model)
    if not path.is_file():
        raise FileNotFoundError(f"model={model!r}: there is no such file in {FOLDER}, and none at that path")
    return path


def built(weights: Mapping[str, Any], name: str = "weights") -> Scorer:
    """The scorer that the content of a file describes. Raises ValueError as `load`."""
    if tuple(weights["features"]) != NAMES:
        raise ValueError(f"{name} was trained on other features: make learn trains it anew")
    if weights["kind"] == "logistic":
        return Logistic(np.array(weights["weights"], float), float(weights["intercept"]))
    if weights["kind"] == "boosting":
        trees = tuple(_tree(nodes) for nodes in weights["trees"])
        return Boosting(trees, float(weights["rate"]), float(weights["intercept"]))
    raise ValueError(f"{name} is of kind {weights['kind']!r}: choose logistic or boosting")


def _tree(nodes: Sequence[Sequence[float]]) -> Tree:
    """nodes: (feature, threshold, left, right) of a fork, (value,) of a leaf."""
    forks = [node if len(node) == 4 else (0, 0.0, at, at) for at, node in enumerate(nodes)]
    feature, threshold, left, right = zip(*forks, strict=True)
    depths = [0] * len(nodes)
    for at in reversed(range(len(nodes))):  # children stand after their parents
        if len(nodes[at]) == 4:
            depths[at] = 1 + max(depths[int(left[at])], depths[int(right[at])])
    return Tree(
        np.array(feature, np.intp),
        np.array(threshold, np.float32),
        np.array(left, np.intp),
        np.array(right, np.intp),
        np.array([node[0] if len(node) == 1 else 0.0 for node in nodes], float),
        depths[0],
    )


def _chance(score: Floats) -> Floats:
    return 1 / (1 + np.exp(-np.clip(score, -500, 500)))
