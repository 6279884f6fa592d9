"""What a bound is computed from: blocks with sizes, and the needs that they can meet.

Nothing here knows messages or strategies. Turn t is the t-th view of an episode, counted from 0. A need is met at
its turn when one of its providers is in that view. Text that is always in view (pinned) is a block of 0 tokens.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

Per = Literal["need", "goal"]
Claim = Literal["optimum", "upper bound", "none"]
Capacity = int | Sequence[float]


@dataclass(frozen=True, slots=True)
class Block:
    """arrival: the first turn whose view may hold the block. tokens: its size, at least 0."""

    arrival: int
    tokens: int


@dataclass(frozen=True, slots=True)
class Need:
    """One fact needed at `turn`. providers: indexes of the blocks that state it, any one of them is enough; those that
    arrive after `turn` do not count. goal: needs with the same goal are met together or not at all under `per="goal"`;
    None = a goal of its own.
    """

    turn: int
    providers: tuple[int, ...]
    weight: float = 1.0
    goal: str | None = None


@dataclass(frozen=True, slots=True)
class Trace:
    blocks: tuple[Block, ...]
    needs: tuple[Need, ...]

    def until(self, turn: int) -> Trace:
        """The trace as a checkpoint sees it: the needs up to and including `turn`."""
        return Trace(self.blocks, tuple(need for need in self.needs if need.turn <= turn))


@dataclass(frozen=True, slots=True)
class Tally:
    """Weight of needs (or goals) met, out of `total`. claim: what `met` is to policies of the class that it bounds."""

    met: float
    total: float
    claim: Claim

    @property
    def share(self) -> float | None:
        """met ÷ total; None where nothing was needed: that is missing, not 0."""
        return self.met / self.total if self.total > 0 else None


@dataclass(frozen=True, slots=True)
class Demand:
    """What is counted: met when each clause has one of its providers in the view of `turn`."""

    turn: int
    clauses: tuple[tuple[int, ...], ...]
    weight: float


def demands(trace: Trace, per: Per) -> tuple[Demand, ...]:
    """Each need alone, or the needs of each goal together, with the providers that have arrived by then.

    Raises ValueError for a provider that is no block, a negative number, a goal whose needs differ in turn or weight.
    """
    for index, block in enumerate(trace.blocks):
        if block.arrival < 0 or block.tokens < 0:
            raise ValueError(f"block {index} is {block}: arrival and tokens must be at least 0")
    if per == "need":
        return tuple(_demand(trace.blocks, (need,)) for need in trace.needs)
    if per != "goal":
        raise ValueError(f"per={per!r}: choose 'need' or 'goal'")
    groups: dict[tuple[str, str | int], list[Need]] = {}
    for index, need in enumerate(trace.needs):
        groups.setdefault(("alone", index) if need.goal is None else ("goal", need.goal), []).append(need)
    return tuple(_demand(trace.blocks, group) for group in groups.values())


def _demand(blocks: Sequence[Block], needs: Sequence[Need]) -> Demand:
    first = needs[0]
    for need in needs:
        if (need.turn, need.weight) != (first.turn, first.weight):
            raise ValueError(f"goal {need.goal!r} joins {first} and {need}: give its needs one turn and one weight")
        if need.turn < 0 or not 0 <= need.weight < math.inf:
            raise ValueError(f"{need}: turn must be at least 0, weight at least 0 and finite")
        if wrong := [index for index in need.providers if not 0 <= index < len(blocks)]:
            raise ValueError(f"{need}: provider {wrong[0]} is none of the {len(blocks)} blocks (indexes count from 0)")
    clauses = (tuple(sorted({i for i in n.providers if blocks[i].arrival <= n.turn})) for n in needs)
    return Demand(first.turn, tuple(clauses), first.weight)


def room(capacity: Capacity, turns: int) -> tuple[float, ...]:
    """Tokens free for blocks at each of the first `turns` turns; `math.inf` marks a turn without a limit.

    Raises ValueError when a turn has no value or a negative one (the pinned text alone is over the budget).
    """
    rooms = (float(capacity),) * turns if isinstance(capacity, int) else tuple(map(float, capacity[:turns]))
    if len(rooms) < turns:
        raise ValueError(f"capacity has {len(rooms)} turns, the last need stands at turn {turns - 1}: one value a turn")
    for turn, tokens in enumerate(rooms):
        if not tokens >= 0:
            raise ValueError(f"capacity is {tokens} at turn {turn}: pinned text is over the budget, no bound exists")
    return rooms


def last_turn(wanted: Iterable[Demand]) -> int:
    """The last turn at which something is needed, -1 for none."""
    return max((demand.turn for demand in wanted), default=-1)
