"""A reader profile from fitted dials: the YAML of conf/reader."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any

from harness.calibrate.estimate import Fit
from harness.models.dials import Dials

MARK = "# Fitted by harness.calibrate"  # only files that begin so are ever written over
SETTINGS = ("tries", "miss_from")  # chosen, not measured
WHOLE = ("border",)


def dials(fits: Mapping[str, Fit], settings: Dials) -> Dials:
    """The fitted dials; those without an estimate stand as in the ideal reader, `tries` and `miss_from` as set."""
    fitted: dict[str, Any] = {}
    for name, fit in fits.items():
        if fit.value is not None:
            fitted[name] = round(fit.value) if name in WHOLE else round(fit.value, 4)
    return Dials(**fitted, tries=settings.tries, miss_from=settings.miss_from)


def text(fits: Mapping[str, Fit], settings: Dials, head: Sequence[str], level: float) -> str:
    """The file: a dial a line, under a comment with its interval and counts. head: what the fit was made with."""
    fitted = dials(fits, settings)
    lines = [MARK, *(f"# {line}" for line in head), "_target_: harness.models.dials.Dials"]
    for dial in fields(Dials):
        fit = fits.get(dial.name)
        lines.append("# A setting, not measured." if fit is None else f"# {describe(fit, level)}")
        lines.append(f"{dial.name}: {getattr(fitted, dial.name)}")
    return "\n".join(lines) + "\n"


def describe(fit: Fit, level: float) -> str:
    """What was counted, and how far it can be trusted."""
    unreadable = f"{fit.unreadable} unreadable"
    if fit.n and fit.unreadable and fit.dial not in (*WHOLE, "miss"):
        planned = fit.n + fit.unreadable
        lowest, highest = fit.shown / planned, (fit.shown + fit.unreadable) / planned
        unreadable += f" ({lowest:.3f} if none of them showed it, {highest:.3f} if all did)"
    if fit.value is None:
        return f"Not measured: {fit.method}, {unreadable}. The ideal reader's value stands."
    what = f"{fit.shown:.0f} of {fit.n}"
    if fit.dial in WHOLE:
        what = f"mean delay {fit.shown / fit.n:.2f} steps in {fit.n}"
    between = f"{interval(fit)} ({level:.0%}, {fit.method})" if fit.low is not None else fit.method
    return "; ".join(part for part in (between, what, unreadable, fit.detail) if part)


def interval(fit: Fit) -> str:
    """ "0.28 to 0.42", or a dash where there is none."""
    return "-" if fit.low is None or fit.high is None else f"{fit.low:.3f} to {fit.high:.3f}"
