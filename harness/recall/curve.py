"""Recall and precision over thresholds."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from harness.recall.texts import Asked

Embed = Callable[[Sequence[str]], Sequence[Sequence[float]]]
THRESHOLDS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
TOP = 6


@dataclass(frozen=True, slots=True)
class Point:
    """recall: share of the needed facts of which a passage is found. precision: share of the found passages that hold
    a needed fact; None where nothing is found. found: passages an order.
    """

    threshold: float
    recall: float
    precision: float | None
    found: float


@dataclass(frozen=True, slots=True)
class Curve:
    """orders, facts: how many. points: all passages over the threshold; best: the `TOP` best of those alone."""

    orders: int
    facts: int
    points: tuple[Point, ...]
    best: tuple[Point, ...]


def curve(orders: Sequence[Asked], embed: Embed, filtered: bool, thresholds: Sequence[float] = THRESHOLDS) -> Curve:
    """filtered: among passages that name an owner of what is needed (what a filter by names leaves); else among all.

    Raises ValueError without orders.
    """
    if not orders:
        raise ValueError("no order needs anything that was told long enough before it: choose a longer horizon")
    texts = list(dict.fromkeys(text for one in orders for text in (one.order, *one.passages)))
    vectors = dict(zip(texts, _unit(embed(texts)), strict=True))
    similar = [np.array([vectors[passage] @ vectors[one.order] for passage in one.passages]) for one in orders]
    allowed = [one.named if filtered else frozenset(range(len(one.passages))) for one in orders]
    return Curve(
        len(orders),
        sum(len(one.needed) for one in orders),
        tuple(_point(orders, similar, allowed, threshold, None) for threshold in thresholds),
        tuple(_point(orders, similar, allowed, threshold, TOP) for threshold in thresholds),
    )


def _point(
    orders: Sequence[Asked],
    similar: Sequence[npt.NDArray[np.float64]],
    allowed: Sequence[Collection[int]],
    threshold: float,
    top: int | None,
) -> Point:
    hit = facts = right = found = 0
    for one, scores, places in zip(orders, similar, allowed, strict=True):
        over = [place for place in np.argsort(-scores, kind="stable") if place in places and scores[place] >= threshold]
        taken = set(over[:top])
        useful = frozenset[int]().union(*one.needed)
        facts += len(one.needed)
        hit += sum(not taken.isdisjoint(holders) for holders in one.needed)
        found += len(taken)
        right += len(taken & useful)
    return Point(threshold, hit / facts, right / found if found else None, found / len(orders))


def _unit(vectors: Sequence[Sequence[float]]) -> npt.NDArray[np.float64]:
    made = np.asarray(vectors, dtype=np.float64)
    lengths = np.linalg.norm(made, axis=1, keepdims=True)
    scaled: npt.NDArray[np.float64] = made / np.where(lengths > 0, lengths, 1.0)
    return scaled
