"""Labels: which values of which blocks were needed later. Known from the record of a whole history alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from harness import facts
from harness.ceilings import trace_of
from harness.contract import Grammar
from harness.record import Record
from harness.trace import Trace


@dataclass(frozen=True, slots=True)
class Wanted:
    """`value` was needed at `turn`. holders: (place of its first message, first turn whose view may hold it) of each
    block that states it under the headline reading."""

    turn: int
    value: str
    holders: tuple[tuple[int, int], ...]


def wanted(record: Record, grammar: Grammar | None, repositories: Sequence[str], number: int) -> list[Wanted]:
    """The needs of history `number` of a record, turns counted within it, as `ceilings.trace_of` counts them."""
    trace, _ = trace_of(record, grammar, repositories, number)
    table = facts.table(record, repositories)
    turns = [turn for turn in record.turns if turn.segment == number]
    steps = {step for turn in turns for step in range(turn.step, turn.step + turn.acted)}
    values = [table.facts[need.fact].value for need in table.needs if need.step in steps]
    starts = _starts(record, number)
    return [
        Wanted(need.turn, value, tuple((starts[p], trace.blocks[p].arrival) for p in need.providers if p))
        for need, value in zip(trace.needs, values, strict=True)
        if not _pinned(trace, need.providers)
    ]


def _pinned(trace: Trace, providers: Sequence[int]) -> bool:
    """Block 0 is the pinned text: it meets the need in any view, and no other block has to."""
    return 0 in providers and trace.blocks[0].tokens == 0


def _starts(record: Record, number: int) -> list[int]:
    """The place of each block's first message; the pinned text comes first, and has none."""
    segment = record.segments[number]
    pinned = {0, *segment.tasks}
    return [-1, *(i for i, m in enumerate(segment.messages) if i not in pinned and m.role != "tool")]


def due(all_wanted: Sequence[Wanted], turn: int, horizon: int) -> Counter[tuple[int, str]]:
    """For blocks seen by `turn`: how often (block, value) is needed in this turn and those after it, `horizon` in all.

    A need that a later block meets does not count: the value is shown anew before it is needed.
    """
    found: Counter[tuple[int, str]] = Counter()
    for one in all_wanted:
        if turn <= one.turn < turn + horizon and not any(turn < arrival <= one.turn for _, arrival in one.holders):
            found.update((start, one.value) for start, arrival in one.holders if arrival <= turn)
    return found
