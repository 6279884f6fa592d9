"""From samples to weights: logistic regression or gradient boosting of scikit-learn, written out as plain numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.linear_model import LogisticRegression

from harness.learn.samples import Floats, Samples
from harness.parts import SettingsError

DIGITS = 6  # significant ones, in the file
LEAST_SPREAD = 0.1  # of a feature; one that hardly ever differs gets no huge weight for it
Weights = dict[str, Any]


def fit(kind: str, settings: Mapping[str, Any], samples: Sequence[Samples], names: Sequence[str], seed: int) -> Weights:
    """settings: of the scikit-learn class. Raises SettingsError for an unknown kind, and without a need to learn."""
    x, y, weight = (np.concatenate([getattr(one, part) for one in samples]) for part in ("x", "y", "weight"))
    if not 0 < y.sum() < len(y):
        raise SettingsError(f"{len(y)} rows, {int(y.sum())} of them needed: there is nothing to learn from")
    if kind == "logistic":
        found = _logistic(settings, x, y, weight)
    elif kind == "boosting":
        found = _boosting(settings, x, y, weight, seed)
    else:
        raise SettingsError(f"kinds: {kind!r} is unknown, choose logistic or boosting")
    return {"kind": kind, "features": list(names), **found}


def _logistic(settings: Mapping[str, Any], x: Floats, y: Floats, weight: Floats) -> Weights:
    """Fitted on standardised features; the weights are those of the features as they come."""
    mean = np.average(x, axis=0, weights=weight)
    spread = np.maximum(np.sqrt(np.average((x - mean) ** 2, axis=0, weights=weight)), LEAST_SPREAD)
    model = LogisticRegression(**settings).fit((x - mean) / spread, y, sample_weight=weight)
    weights = model.coef_[0] / spread
    return {"weights": _short(weights), "intercept": _short(model.intercept_[0] - weights @ mean)}


def _boosting(settings: Mapping[str, Any], x: Floats, y: Floats, weight: Floats, seed: int) -> Weights:
    rows = x.astype(np.float32)
    model = GradientBoostingClassifier(random_state=seed, **settings).fit(rows, y, sample_weight=weight)
    share = float(np.average(y, weights=weight))
    trees = [_nodes(tree.tree_) for tree in model.estimators_[:, 0]]
    return {"rate": model.learning_rate, "intercept": _short(np.log(share / (1 - share))), "trees": trees}


def _nodes(tree: Any) -> list[list[float]]:
    """(feature, threshold, left, right) of a fork, (value,) of a leaf. A threshold keeps all digits of its 32 bits."""
    return [
        [int(feature), float(np.float32(threshold)), int(left), int(right)] if left >= 0 else [_short(value)]
        for feature, threshold, left, right, value in zip(
            tree.feature, tree.threshold, tree.children_left, tree.children_right, tree.value[:, 0, 0], strict=True
        )
    ]


def _short(value: Any) -> Any:
    """Numbers with DIGITS significant digits."""
    if np.ndim(value):
        return [_short(one) for one in value]
    return float(f"{float(value):.{DIGITS}g}")
