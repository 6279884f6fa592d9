"""Why a provider's cached share lies below ideal prefix matching: the gap taken apart, call by call."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from harness.cost.estimate import expected
from harness.cost.prices import Cache
from harness.cost.usage_log import Run

POSITIONS = ((2, 9), (10, 17), (18, 33), (34, 1 << 30))  # calls of a run
PAUSES = ((0, 3), (4, 6), (7, 12), (13, 1 << 30))  # seconds since the call before


@dataclass(frozen=True, slots=True)
class Gap:
    """Shares of all input tokens. first: a run's first call; fresh: text not sent before; these two are no gap. short:
    prefixes under a block; rounding: the part block after the last whole one; partial: calls that read fewer blocks
    than they could, whole: that read none; beyond: what calls that read all their blocks lack to a whole number of them
    (blocks differ a little in size). read: what was reported. states: calls by what they read of what they could.
    """

    first: float
    fresh: float
    short: float
    rounding: float
    partial: float
    whole: float
    beyond: float
    read: float
    states: Counter[str]

    @property
    def ideal(self) -> float:
        return 1 - self.first - self.fresh


def gap(runs: Sequence[Run], block: int) -> Gap:
    tokens: Counter[str] = Counter()
    states: Counter[str] = Counter()
    for run in runs:
        for number, call in enumerate(run.calls):
            shared = _shared(run, number)
            could, did = shared // block, round(call.cached / block)
            state = "first" if number == 0 else "short" if could == 0 else _state(could, did)
            states[state] += 1
            tokens["first" if number == 0 else "fresh"] += call.input - shared
            tokens["short" if could == 0 else "rounding"] += shared - could * block
            tokens["beyond" if state == "full" else state] += could * block - call.cached
            tokens["read"] += call.cached
    total = sum(call.input for run in runs for call in run.calls)
    names = ("first", "fresh", "short", "rounding", "partial", "whole", "beyond", "read")
    return Gap(**{name: tokens[name] / total for name in names}, states=states)


def by_position(runs: Sequence[Run], cache: Cache) -> list[tuple[str, int, float, float]]:
    """(calls of a run, how many could read a block, share that read nothing, mean expected cached share)."""
    return [(_span(span), *_nothing(runs, cache, span, None)) for span in POSITIONS]


def by_pause(runs: Sequence[Run], cache: Cache) -> list[tuple[str, int, float, float]]:
    """(seconds since the call before, how many could read a block, share that read nothing, share that read all)."""
    return [(_span(span), *_nothing(runs, cache, None, span)) for span in PAUSES]


def _nothing(
    runs: Sequence[Run], cache: Cache, position: tuple[int, int] | None, pause: tuple[int, int] | None
) -> tuple[int, float, float]:
    count = nothing = 0
    second = 0.0
    for run in runs:
        predicted = expected(cache, run)
        for number in range(1, len(run.calls)):
            call, before = run.calls[number], run.calls[number - 1]
            could = _shared(run, number) // cache.block
            seconds = None if call.at is None or before.at is None else call.at - before.at
            if could == 0 or not _within(number + 1, position) or not _within(seconds, pause):
                continue
            count += 1
            state = _state(could, round(call.cached / cache.block))
            nothing += state == "whole"
            second += predicted[number] / call.input if pause is None else state == "full"
    return count, nothing / count if count else 0.0, second / count if count else 0.0


def _state(could: int, did: int) -> str:
    return "full" if did >= could else "whole" if did == 0 else "partial"


def _shared(run: Run, number: int) -> int:
    """Tokens that the call before began with too: these requests only grow at their end."""
    if number == 0:
        return 0
    earlier = set(run.pieces[number - 1])
    return sum(piece[1] for piece in run.pieces[number] if piece in earlier)


def _within(value: float | None, span: tuple[int, int] | None) -> bool:
    return span is None or (value is not None and span[0] <= value <= span[1])


def _span(span: tuple[int, int]) -> str:
    return f"{span[0]}+" if span[1] > 1 << 20 else f"{span[0]}-{span[1]}"
