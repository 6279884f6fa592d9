"""Which kind of scorer: the one that predicts groups best that were left out of its training.

The groups that are left out of the report are not among them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np
from hydra.utils import get_method
from sklearn.model_selection import GroupKFold

from harness.learn.fit import Weights, fit
from harness.learn.plan import Plan
from harness.learn.samples import Floats, Samples, names

LEAST = 1e-6  # a chance of 0 or 1 would cost infinitely much when it is wrong


class Scorer(Protocol):
    def __call__(self, matrix: Floats) -> Floats: ...


def trained(plan: Plan, samples: Sequence[Samples]) -> tuple[Weights, Mapping[str, float]]:
    """Weights of the best kind, fitted on all samples, and the log loss of each kind on groups left out."""
    losses = {kind: _loss(plan, kind, samples) for kind in plan.kinds} if len(plan.kinds) > 1 else {}
    kind = min(losses, key=lambda one: losses[one], default=next(iter(plan.kinds)))
    return fit(kind, plan.kinds[kind], samples, names(plan), plan.seed), losses


def _loss(plan: Plan, kind: str, samples: Sequence[Samples]) -> float:
    """The mean over groups, each of which is left out once with others of its fold."""
    built = get_method(plan.scorer)
    groups = [one.group for one in samples]
    folds = GroupKFold(min(plan.folds, len(set(groups))))
    losses: list[float] = []
    for inside, outside in folds.split(groups, groups=groups):
        scorer: Scorer = built(fit(kind, plan.kinds[kind], [samples[i] for i in inside], names(plan), plan.seed))
        for group in dict.fromkeys(groups[i] for i in outside):
            own = [samples[i] for i in outside if groups[i] == group and len(samples[i].y)]
            losses += [_log_loss(scorer, own)] if own else []
    return float(np.mean(losses))


def _log_loss(scorer: Scorer, samples: Sequence[Samples]) -> float:
    x, y, weight = (np.concatenate([getattr(one, part) for one in samples]) for part in ("x", "y", "weight"))
    chance = np.clip(scorer(x), LEAST, 1 - LEAST)
    return float(np.average(-np.log(np.where(y > 0, chance, 1 - chance)), weights=weight))


def even(plan: Plan) -> dict[str, Any]:
    """Weights of a scorer that gives every name the same chance: the strategy's rule without what was learned."""
    own = names(plan)
    return {"kind": "logistic", "features": list(own), "weights": [0.0] * len(own), "intercept": 0.0}
