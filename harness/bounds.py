"""The most needs that any policy could have met within the budget, at the granularity of whole blocks.

`bound_keep` is for policies that never bring back what they dropped, `bound_any` for a free choice each turn. Rewriting
(summaries, placeholders) is bounded by neither. Belady's rule (1966) is optimal only for blocks of equal size; with
sizes the problem is NP-hard (Chrobak, Woeginger, Makino, Xu, "Caching is hard", Algorithmica 2012), hence a linear
relaxation by default, as Berger, Beckmann, Harchol-Balter do ("Practical bounds on optimal caching with variable object
sizes", 2018).
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from harness.program import most
from harness.trace import Block, Capacity, Demand, Per, Tally, Trace, demands, last_turn, room

TOLERANCE = 1e-6  # of the solver


def bound_keep(
    trace: Trace, capacity: Capacity, exact: bool = False, per: Per = "need", nodes: int | None = None
) -> Tally:
    """Most weight met by a policy under which a block stays from its arrival until it is dropped, for good.

    It may be dropped at arrival. capacity: tokens free for blocks at each turn, pinned text already taken off. The
    relaxation (parts of blocks may be kept) is an upper bound, to 1e-6; `exact` searches whole blocks by branch and
    bound. Stopped after `nodes` nodes it gives the relaxation, and says so. Raises ValueError as `demands` and `room`.
    """
    wanted = demands(trace, per)
    return _tally(wanted, *most(trace.blocks, wanted, room(capacity, last_turn(wanted) + 1), exact, nodes))


def bound_any(trace: Trace, capacity: Capacity, per: Per = "need") -> Tally:
    """Most weight met when each turn's view is chosen anew from all blocks that have arrived: exact, turn by turn.

    Raises ValueError as `demands` and `room` do.
    """
    wanted = demands(trace, per)
    rooms = room(capacity, last_turn(wanted) + 1)
    turns: dict[int, list[Demand]] = {}
    for demand in wanted:
        turns.setdefault(demand.turn, []).append(demand)
    met = math.fsum(_one_turn(trace.blocks, here, rooms[turn]) for turn, here in turns.items())
    return _tally(wanted, met, whole=True)


def _one_turn(blocks: Sequence[Block], wanted: Sequence[Demand], tokens: float) -> float:
    """With nothing carried over from earlier turns, the choice is the same program on a trace of one turn."""
    wanted = [demand for demand in wanted if all(demand.clauses)]
    cheapest = {min(clause, key=lambda index: blocks[index].tokens) for demand in wanted for clause in demand.clauses}
    if sum(blocks[index].tokens for index in cheapest) <= tokens:
        return math.fsum(demand.weight for demand in wanted)
    named = sorted({index for demand in wanted for clause in demand.clauses for index in clause})
    place = {index: number for number, index in enumerate(named)}
    now = [Block(0, blocks[index].tokens) for index in named]
    here = [
        Demand(0, tuple(tuple(place[index] for index in clause) for clause in demand.clauses), demand.weight)
        for demand in wanted
    ]
    return most(now, here, (tokens,), exact=True)[0]


def _tally(wanted: Sequence[Demand], met: float, whole: bool) -> Tally:
    total = math.fsum(demand.weight for demand in wanted)
    if all(float(demand.weight).is_integer() for demand in wanted):
        met = math.floor(met + TOLERANCE * max(1.0, total))  # with whole weights the true optimum is a whole number
    return Tally(min(float(met), total), total, "optimum" if whole else "upper bound")
