"""What could have been met: by any keep-only policy, and by one that always shows the newest turn."""

from __future__ import annotations

from dataclasses import dataclass, replace

from harness.bounds import bound_keep
from harness.ceilings import trace_of
from harness.contract import Grammar
from harness.learn.plan import Repositories
from harness.record import Record
from harness.trace import Block, Trace


@dataclass(frozen=True, slots=True)
class Ceiling:
    """Needs met at most. keep: `bound_keep`. newest: the same among policies that show each block in the turn in which
    it arrives, as the strategies here do, so that the agent sees what its last action did; `bound_keep` need not."""

    keep: float
    newest: float


def ceiling(record: Record, grammar: Grammar | None, repositories: Repositories, budget: int) -> Ceiling | None:
    """Of all histories of a record of `full`. None where the pinned text alone is over the budget."""
    keep = newest = 0.0
    for number in range(len(record.segments)):
        turns = [turn for turn in record.turns if turn.segment == number]
        if not turns:
            continue
        trace, pinned = trace_of(record, grammar, repositories, number)
        room = budget - turns[0].overhead - pinned
        if room < 0:
            return None
        keep += bound_keep(trace, room).met
        newest += _newest(trace, room, len(turns))
    return Ceiling(keep, newest)


def _newest(trace: Trace, room: int, turns: int) -> float:
    """A block takes its room in its first turn for nothing: what it meets there is met, and what the others may have is
    less. From the next turn on it is a block like any other. A block over the whole room is in no view."""
    taken = [0] * turns
    for block in trace.blocks:
        if block.tokens <= room and block.arrival < turns:
            taken[block.arrival] += block.tokens
    left = tuple(max(0, room - tokens) for tokens in taken)
    seen = [
        any(trace.blocks[p].arrival == need.turn and 0 < trace.blocks[p].tokens <= room for p in need.providers)
        for need in trace.needs
    ]
    later = Trace(
        tuple(_from_the_next_turn(block) for block in trace.blocks),
        tuple(need for need, met in zip(trace.needs, seen, strict=True) if not met),
    )
    return sum(seen) + bound_keep(later, left).met


def _from_the_next_turn(block: Block) -> Block:
    return replace(block, arrival=block.arrival + 1) if block.tokens else block
