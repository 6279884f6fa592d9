"""The measures that claims may speak of: columns of docs/measures.md, with their kind."""

from __future__ import annotations

from typing import Literal

from harness.report import text

Kind = Literal["share", "tokens", "count", "money"]

METRICS: dict[str, Kind] = {
    "success": "share",
    "retention": "share",
    "hit_ratio": "share",
    "violations_share": "share",
    "used_stale": "share",
    "cached_share_ideal": "share",
    "view_tokens": "tokens",
    "tokens_spent": "tokens",
    "input": "tokens",
    "turns": "count",
    "overhead_turns": "count",
    "rereads": "count",
    "money": "money",
}


def plain(metric: str, value: float) -> str:
    """.83 · 41.3k · 12.5 · $0.31"""
    kind = METRICS[metric]
    if kind == "money":
        return f"${value:.2f}"
    return {"share": text.share, "tokens": text.tokens, "count": text.number}[kind](value)


def difference(metric: str, value: float, relative: bool) -> str:
    """The same with its sign; per cent of b where the claim is relative."""
    size = abs(value)
    if relative:
        written = f"{100 * size:.3g} %"
    elif METRICS[metric] == "share" and size < 0.0995:
        written = f"{size:.3f}".rstrip("0").removeprefix("0") if size >= 0.0005 else ".00"
    else:
        written = plain(metric, size)
    return ("-" if value < 0 else "+") + written
