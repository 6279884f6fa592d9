"""Judges an action against what its step needs."""

from __future__ import annotations

from typing import Any

from harness.contract import Verdict
from tasks.plan import Need

_NOTHING = frozenset({"", "unknown", "none", "n/a", "?"})


def verdicts(need: Need, submitted: Any) -> dict[str, Verdict]:
    """A verdict for each needed fact (id). In a join each part is judged by itself, else the answer as a whole.

    right · stale: what a superseded value gives · abstained: nothing or "unknown" · wrong: anything else.
    """
    text = "" if submitted is None else str(submitted).strip()
    given = text.split(need.joint) if need.joint else [text]
    if len(given) != len(need.parts):
        given = [text] * len(need.parts) if text.lower() in _NOTHING else ["\0"] * len(need.parts)
    judged = [_one(*part) for part in zip(map(str.strip, given), need.parts, need.stale, strict=True)]
    if len(judged) == 1:
        judged *= len(need.facts)
    return dict(zip(need.facts, judged, strict=True))


def _one(given: str, right: str, stale: frozenset[str]) -> Verdict:
    if given == right:
        return "right"
    if given in stale:
        return "stale"
    return "abstained" if given.lower() in _NOTHING else "wrong"
