"""What the harness planned against what the provider reported when the run was recorded.

The counts come from different tokenizers: compare ratios and shares, not equality. The predicted cached share is that
of the ideal longest common prefix; providers cache in blocks, from a minimum length on, and miss.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from statistics import quantiles


@dataclass(frozen=True, slots=True)
class Paired:
    """One request, in tokens. recorded_*: None = the record does not say."""

    planned: int
    cached_ideal: int | None = None
    recorded_input: int | None = None
    recorded_cached: int | None = None


@dataclass(frozen=True, slots=True)
class Comparison:
    """Sums over the requests that have both sides; None = there is none.

    ratio: planned ÷ recorded input over `inputs` requests; low, high: its 5th and 95th percentile over requests (None
    under two). predicted, recorded: cached ÷ input, by us and by the provider, over the same `caches` requests.
    """

    requests: int
    inputs: int
    without_input: int
    ratio: float | None
    low: float | None
    high: float | None
    caches: int
    without_cache: int
    predicted: float | None
    recorded: float | None


def compare(records: Iterable[Paired]) -> Comparison:
    """Planned against recorded tokens, and predicted against recorded cached shares. Missing is never taken for 0."""
    given = list(records)
    inputs = [(r.planned, r.recorded_input) for r in given if r.recorded_input and r.planned]
    caches = [
        (r.planned, r.cached_ideal, r.recorded_input, r.recorded_cached)
        for r in given
        if r.planned and r.recorded_input and r.cached_ideal is not None and r.recorded_cached is not None
    ]
    cuts = quantiles([p / q for p, q in inputs], n=20, method="inclusive") if len(inputs) > 1 else []
    return Comparison(
        requests=len(given),
        inputs=len(inputs),
        without_input=len(given) - len(inputs),
        ratio=_share(sum(p for p, _ in inputs), sum(q for _, q in inputs)),
        low=cuts[0] if cuts else None,
        high=cuts[-1] if cuts else None,
        caches=len(caches),
        without_cache=len(given) - len(caches),
        predicted=_share(sum(c for _, c, _, _ in caches), sum(p for p, _, _, _ in caches)),
        recorded=_share(sum(c for _, _, _, c in caches), sum(q for _, _, q, _ in caches)),
    )


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None
