"""How numbers are written: .83 for a share, – for what is missing (never for 0)."""

from __future__ import annotations

from collections.abc import Sequence

from harness.report.estimates import Point
from harness.stats import FEWEST

MISSING, DOT = "–", "·"


def share(value: float | None) -> str:
    if value is None:
        return MISSING
    text = f"{value:.2f}"
    return text.replace("0.", ".", 1) if text.startswith(("0.", "-0.")) else text


def mean(point: Point | None, planned: int | None = None) -> str:
    """A dot where some instances are scored, but too few to average. A sweep that planned so few shows its means.

    planned: how many were planned, where that is more than the point says (recorded runs that ended before it).
    """
    few = point is not None and 0 < point.n < FEWEST <= (planned or point.planned)
    return DOT if few else share(None if point is None else point.value)


def dots(rows: Sequence[Sequence[str]]) -> list[str]:
    return [f"{DOT} n < {FEWEST}"] if any(DOT in row for row in rows) else []


def percent(value: float | None) -> str:
    """Two figures; something that happened is not rounded to nothing."""
    if value is None:
        return MISSING
    return "<1 %" if 0 < value < 0.005 else f"{100 * value:.0f} %"


def number(value: float | None) -> str:
    return MISSING if value is None else f"{value:.1f}" if value < 100 else f"{value:.0f}"


def tokens(value: float | None) -> str:
    """5,836 · 41.3k · 446k · 1.05M"""
    if value is None:
        return MISSING
    if value < 10_000:
        return f"{value:,.0f}"
    if value < 999_500:
        return f"{value / 1000:.1f}k" if value < 100_000 else f"{value / 1000:.0f}k"
    return f"{value / 1_000_000:.2f}M"


def money(value: float | None, signed: bool = False) -> str:
    """$12.35 · $0.494 · $0.0061 · -$0.016 · $0"""
    if not value:
        return MISSING if value is None else "$0"
    size = abs(value)
    digits = f"${size:.2f}" if size >= 1 else f"${size:.3f}" if size >= 0.01 else f"${size:.4f}"
    return f"{'-' if value < 0 else '+' if signed and value > 0 else ''}{digits}"


def interval(point: Point | None, signed: bool = False) -> str:
    """The 95 % interval, or in a word why there is none. Shares are written within 0 and 1."""
    if point is None or point.value is None:
        return MISSING
    return limits(point.low, point.high, point.method, signed)


def limits(low: float | None, high: float | None, method: str, signed: bool = False) -> str:
    if low is None or high is None:
        return "all equal" if "equal" in method else f"n < {FEWEST}" if "n =" in method else "no spread"
    if signed:
        return f"{low:+.2f} to {high:+.2f}"
    return f"{share(max(low, 0.0))}–{share(min(high, 1.0))}"


def raw(values: Sequence[float]) -> str:
    return " ".join(share(value) for value in values)
