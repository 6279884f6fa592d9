"""The answers as text for a terminal of 100 columns."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from typing import get_args

from harness.claims.evidence import UNVERSIONED, Evidence
from harness.claims.figures import Figures
from harness.claims.metrics import difference, plain
from harness.claims.register import Claim
from harness.claims.verdict import Answer, Verdict

WIDTH = 100
LEGEND = (
    "a: the arm named first, b: the second. Intervals: 95 %, of paired differences a - b.",
    "p: sign flips, not corrected for the number of claims.",
    "simulated: played by a scripted reader, an instrument and not a model.",
)


def lines(verdicts: Sequence[Verdict], evidence: Evidence, digest: str) -> Iterator[str]:
    yield from _wrap(f"register {digest[:12]}: {len(verdicts)} claims · suite {evidence.suite}", "", "  ")
    if evidence.suite == UNVERSIONED:
        yield from _wrap("these results carry no suite version: the answers are provisional", "", "  ")
    for note in evidence.notes:
        yield from _wrap(note, "", "  ")
    for answer in get_args(Answer):
        own = [verdict for verdict in verdicts if verdict.answer == answer]
        yield ""
        yield f"━━ {answer}: {len(own)} of {len(verdicts)} ".ljust(WIDTH, "━")
        for verdict in own:
            yield ""
            yield from _verdict(verdict)
    yield ""
    for note in LEGEND:
        yield from _wrap(note, "", "  ")


def _verdict(verdict: Verdict) -> Iterator[str]:
    claim, found = verdict.claim, verdict.figures
    played = "" if claim.reader == "real" else ", simulated"
    yield claim.id + (played if found else "")
    yield from _wrap(claim.statement)
    yield from _wrap(f"claimed: {expected(claim)} [{claim.source}]")
    if found is not None:
        yield from _figures(claim, found)
    if verdict.why:
        yield from _wrap(f"→ {verdict.why}")
    if claim.needs and found is None:
        yield from _wrap(f"also needs: {'; '.join(claim.needs)}")


def _figures(claim: Claim, found: Figures) -> Iterator[str]:
    estimate = found.estimate
    sides = [difference(claim.metric, x, claim.relative) for x in (found.a, found.b)]
    if claim.beside is None:
        sides = [plain(claim.metric, x) for x in (found.a, found.b)]
    names = ["a - b at tight budgets", "at wide ones"] if claim.beside else ["a", "b"]
    gap = "–" if estimate.mean is None else difference(claim.metric, estimate.mean, claim.relative)
    span = estimate.method
    if estimate.low is not None and estimate.high is not None:
        span = " to ".join(difference(claim.metric, x, claim.relative) for x in (estimate.low, estimate.high))
        span = f"[{span}]" + (" (exact bound, all equal)" if "exact" in estimate.method else "")
    missing = f", {estimate.missing} missing" if estimate.missing else ""
    budgets = ", ".join(f"{b:,}" for b in found.budgets)
    yield from _wrap(f"{names[0]} {sides[0]}, {names[1]} {sides[1]}: difference {gap} {span}")
    p = "–" if found.p is None else "<.001" if found.p < 0.001 else f"{found.p:.3f}".removeprefix("0")
    detectable = ""
    if found.detectable is not None:
        detectable = f", detectable {difference(claim.metric, found.detectable, claim.relative)[1:]}"
    where = f"{', '.join(found.families)}; reader {claim.reader}; budget {budgets}"
    yield from _wrap(f"n {estimate.scored}{missing}, p {p}{detectable}; {where}")


def expected(claim: Claim) -> str:
    """The claim as a formula in words."""
    limit = difference(claim.metric, claim.margin, claim.relative).removeprefix("+")
    relation = {"greater": "is above", "less": "is below", "within": "equals"}[claim.direction]
    margin = f" by more than {limit}" if claim.margin and claim.direction != "within" else ""
    margin = f" within ±{limit}" if claim.direction == "within" else margin
    metric = claim.measured + (" (relative)" if claim.relative else "")
    if claim.beside is not None:
        return f"{metric} of {claim.a} - {_other(claim)}, at tight budgets, {relation} that at wide ones{margin}"
    return f"{metric} of {claim.a} {relation} {_other(claim)}{margin}"


def _other(claim: Claim) -> str:
    return plain(claim.metric, claim.b) if isinstance(claim.b, float) else str(claim.b)


def _wrap(text: str, first: str = "  ", rest: str = "    ") -> list[str]:
    return textwrap.wrap(text, WIDTH, initial_indent=first, subsequent_indent=rest, break_on_hyphens=False)
