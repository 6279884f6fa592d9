"""The linear program behind the bounds: which blocks to keep, and until when (solver: HiGHS, through scipy)."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import coo_array

from harness.trace import Block, Demand

Row = tuple[float, dict[int, float]]  # low <= sum of coefficient × column <= 0


@dataclass(frozen=True, slots=True)
class Span:
    """One unknown: is `block` still kept at turn `end`, where it is of use? It speaks for the turns from `start` on."""

    block: int
    start: int
    end: int


def most(
    blocks: Sequence[Block], wanted: Sequence[Demand], rooms: Sequence[float], exact: bool, nodes: int | None = None
) -> tuple[float, bool]:
    """Most weight met by keeping blocks from arrival on, and whether that is proven for whole blocks.

    Columns: kept[span], met[demand], used[turn that matters] (tokens kept then). Spans run from use to use and room
    is checked only where a block arrives or room shrinks: the program grows with uses, not with blocks × turns.
    """
    payable = [demand for demand in wanted if all(demand.clauses)]
    spans = _spans(blocks, payable)
    times = _times({blocks[span.block].arrival for span in spans}, rooms)
    met, used = len(spans), len(spans) + len(payable)
    rows = [*_order(spans), *_clauses(spans, payable, met), *_tokens(blocks, spans, times, used)]
    if not rows:
        return math.fsum(demand.weight for demand in payable), True
    upper = np.ones(used + len(times))
    upper[used:] = [rooms[turn] for turn in times]
    for column, span in enumerate(spans):
        block = blocks[span.block]
        if block.tokens > min(rooms[block.arrival : span.end + 1]):
            upper[column] = 0.0  # no part of a block that can never be kept whole: tightens the relaxation
    gain = np.zeros(len(upper))
    gain[met:used] = [demand.weight for demand in payable]
    return _solve(rows, gain, upper, whole=len(spans) if exact else 0, nodes=nodes)


def _spans(blocks: Sequence[Block], wanted: Sequence[Demand]) -> list[Span]:
    uses: dict[int, set[int]] = {}
    for demand in wanted:
        for clause in demand.clauses:
            for index in clause:
                uses.setdefault(index, set()).add(demand.turn)
    spans = []
    for index, turns in sorted(uses.items()):
        start = blocks[index].arrival
        for turn in sorted(turns):
            spans.append(Span(index, start, turn))
            start = turn + 1
    return spans


def _times(arrivals: Set[int], rooms: Sequence[float]) -> list[int]:
    """Between arrivals what is kept only shrinks, so only turns with less room than all since the last one matter."""
    times, least = [], math.inf
    for turn, tokens in enumerate(rooms):
        if turn in arrivals:
            least = math.inf
        if tokens < least:
            times.append(turn)
            least = tokens
    return times


def _order(spans: Sequence[Span]) -> Iterator[Row]:
    """Kept later only if kept before."""
    for column, (before, span) in enumerate(pairwise(spans), start=1):
        if before.block == span.block:
            yield -math.inf, {column: 1.0, column - 1: -1.0}


def _clauses(spans: Sequence[Span], wanted: Sequence[Demand], met: int) -> Iterator[Row]:
    """A demand is met no further than the providers of each of its clauses are kept at its turn."""
    at = {(span.block, span.end): column for column, span in enumerate(spans)}
    for column, demand in enumerate(wanted, start=met):
        for clause in demand.clauses:
            yield -math.inf, {column: 1.0} | {at[index, demand.turn]: -1.0 for index in clause}


def _tokens(blocks: Sequence[Block], spans: Sequence[Span], times: Sequence[int], used: int) -> Iterator[Row]:
    """used[k] = used[k-1] + what comes in at times[k] - what leaves before it: a running total keeps the rows short."""
    rows: list[dict[int, float]] = [{used + k: 1.0} | ({used + k - 1: -1.0} if k else {}) for k in range(len(times))]
    for column, span in enumerate(spans):
        first, after = bisect_left(times, span.start), bisect_right(times, span.end)
        if first < after:
            rows[first][column] = -float(blocks[span.block].tokens)
            if after < len(times):
                rows[after][column] = float(blocks[span.block].tokens)
    for row in rows:
        yield 0.0, row


def _solve(
    rows: Sequence[Row], gain: np.ndarray, upper: np.ndarray, whole: int, nodes: int | None
) -> tuple[float, bool]:
    """Most gain with the first `whole` columns whole numbers. Raises RuntimeError when the solver gives up."""
    entries = [(row, column, value) for row, (_, terms) in enumerate(rows) for column, value in terms.items()]
    at_row, at_column, values = (np.array(part) for part in zip(*entries, strict=True))
    matrix = coo_array((values, (at_row, at_column)), shape=(len(rows), len(gain))).tocsr()
    # The integer presolve of HiGHS 1.12 (scipy 1.17) called 6 of 9,000 such small programs infeasible and gave 2 a
    # wrong optimum (similar: ERGO-Code/HiGHS issues 2388, 3090), so it is off, though the search then takes several
    # times as long. Relaxations agree with and without it.
    presolve = not whole
    answer = milp(
        -gain,
        integrality=(np.arange(len(gain)) < whole).astype(int),
        bounds=Bounds(np.zeros(len(gain)), upper),
        constraints=LinearConstraint(matrix, np.array([low for low, _ in rows]), np.zeros(len(rows))),
        options={"mip_rel_gap": 0.0, "presolve": presolve}
        if nodes is None
        else {"mip_rel_gap": 0.0, "presolve": presolve, "node_limit": nodes},
    )
    if answer.status == 0:
        return float(-answer.fun), whole > 0
    if whole and nodes is not None:
        return _solve(rows, gain, upper, whole=0, nodes=None)  # stopped at the node limit: the relaxation still holds
    raise RuntimeError(f"HiGHS gave up on {len(rows)} rows and {len(gain)} columns: {answer.message}")
