"""Keep-only policies run on a trace, and Belady's rule among them: a heuristic beside the bounds, with no claim.

Belady, "A study of replacement algorithms for a virtual-storage computer" (1966): drop what is needed farthest ahead.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Sequence
from typing import Protocol

from harness.trace import Capacity, Demand, Per, Tally, Trace, demands, last_turn, room


class Victim(Protocol):
    def __call__(self, turn: int, present: Sequence[int]) -> int:
        """The block to drop next; `present` holds indexes in order of arrival, never empty, none of 0 tokens."""
        ...


def keep_only(trace: Trace, capacity: Capacity, victim: Victim, per: Per = "need") -> Tally:
    """Weight met when blocks enter at arrival and `victim` names what leaves, for good, while room is short.

    Blocks of 0 tokens (pinned text) always stay. Raises ValueError as `demands` and `room` do.
    """
    wanted = demands(trace, per)
    rooms = room(capacity, last_turn(wanted) + 1)
    arrivals: dict[int, list[int]] = {}
    for index, block in enumerate(trace.blocks):
        arrivals.setdefault(block.arrival, []).append(index)
    due: dict[int, list[Demand]] = {}
    for demand in wanted:
        due.setdefault(demand.turn, []).append(demand)
    free = {index for index, block in enumerate(trace.blocks) if block.tokens == 0}
    present: list[int] = []
    met: list[float] = []
    for turn, tokens in enumerate(rooms):
        present += [index for index in arrivals.get(turn, []) if index not in free]
        held = sum(trace.blocks[index].tokens for index in present)
        while held > tokens:
            index = victim(turn, present)
            present.remove(index)
            held -= trace.blocks[index].tokens
        view = free.union(present)  # clauses name only what has arrived
        met += [d.weight for d in due.get(turn, []) if all(not view.isdisjoint(clause) for clause in d.clauses)]
    return Tally(math.fsum(met), math.fsum(demand.weight for demand in wanted), "none")


def farthest_next_use(trace: Trace, capacity: Capacity, per: Per = "need") -> Tally:
    """`keep_only` with Belady's rule at block granularity: never needed again first; ties: the larger, the older."""
    uses: list[list[int]] = [[] for _ in trace.blocks]
    for demand in sorted(demands(trace, per), key=lambda demand: demand.turn):
        for clause in demand.clauses:
            for index in clause:
                uses[index].append(demand.turn)

    def next_use(index: int, turn: int) -> float:
        later = bisect_right(uses[index], turn - 1)  # a need of this very turn is still ahead
        return uses[index][later] if later < len(uses[index]) else math.inf

    def victim(turn: int, present: Sequence[int]) -> int:
        return max(present, key=lambda index: (next_use(index, turn), trace.blocks[index].tokens, -index))

    return keep_only(trace, capacity, victim, per)
