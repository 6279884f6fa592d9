"""What was learned from how runs ended: when to summarise, what to leave raw, and how much to keep word for word."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from strategies.learned import scorer
from strategies.learned.reading import Floats

# Of the state of a view, see `choosing.Choosing.fires`; of a turn in it, see `choosing.Choosing.in_order`.
FIRE = ("fill", "lost", "border", "turns")
KEEP = ("rate", "worth", "near", "far", "size", "user")


@dataclass(frozen=True, slots=True)
class Policy:
    """fire: weights of FIRE, then an intercept: above 0 it is time. keep: weights of KEEP: what has least goes first.
    lines: share of the summary for statements word for word, through the logistic function."""

    fire: Floats
    keep: Floats
    lines: float

    @property
    def line_share(self) -> float:
        return float(1 / (1 + np.exp(-self.lines)))

    def vector(self) -> Floats:
        """All numbers in one row, as a search moves them; `of` reads it."""
        return np.concatenate([self.fire, self.keep, [self.lines]])

    def plain(self) -> dict[str, Any]:
        """As JSON holds it; `read` reads it."""
        return {"fire": self.fire.tolist(), "keep": self.keep.tolist(), "lines": self.lines}


def start() -> Policy:
    """Nothing learned: at 80 % of the budget, the least expected needs a token first, lines in 3 tenths."""
    return Policy(np.array([10.0, 0, 0, 0, -8.0]), np.array([1.0, 0, 0, 0, 0, 0]), float(np.log(0.3 / 0.7)))


def of(vector: Floats) -> Policy:
    """Raises ValueError for a row of another length."""
    if len(vector) != len(FIRE) + 1 + len(KEEP) + 1:
        raise ValueError(f"{len(vector)} numbers are no policy: there are {len(FIRE) + 1 + len(KEEP) + 1}")
    return Policy(vector[: len(FIRE) + 1], vector[len(FIRE) + 1 : -1], float(vector[-1]))


def load(model: str) -> Policy:
    """From the file of the weights (`scorer.load`); `start` where it says nothing. Raises as `scorer.load`."""
    return read(json.loads(scorer.find(model).read_bytes()).get("policy"))


def read(plain: Mapping[str, Any] | None) -> Policy:
    """Raises ValueError for another number of weights, KeyError for a part that lacks."""
    if plain is None:
        return start()
    fire, keep, lines = (plain[part.name] for part in fields(Policy))
    return of(np.array([*fire, *keep, lines], float))


def first() -> list[float]:
    """`start` as one row: where a search begins."""
    return [float(value) for value in start().vector()]


def described(vector: Floats) -> dict[str, Any]:
    """What stands in the file of the weights for this row."""
    return of(np.array([float(f"{value:.6g}") for value in vector])).plain()
