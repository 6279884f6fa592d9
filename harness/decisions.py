"""Do two runs of one instance do the same? Actions are compared step by step, and the runs' own noise is the floor.

agree(a, b): over all pairs of a run of a and a run of b, the share of the steps that both reached at which the actions
are the same: the same tool with the same arguments, spaces aside. consistency = agree(full, arm) - agree(full, full),
where a run is never paired with itself; so it is 0 for an arm that decides like `full` does, and below where memory
changes decisions.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

from harness.record import Record

Actions = Mapping[int, str]  # by step
ENOUGH = 5  # runs of each instance, from which on a random model's agreement is worth printing


def actions(record: Record) -> dict[int, str]:
    """The action of each step; calls of the strategy's tools and rereads are none. Calls in one reply are steps."""
    found: dict[int, str] = {}
    for turn in record.turns:
        calls = record.segments[turn.segment].messages[turn.length].calls if turn.acted else ()
        for number in range(turn.acted):
            call = calls[number] if number < len(calls) else None
            found[turn.step + number] = "" if call is None else f"{call.name} {_plain(call.arguments)}"
    return found


def agree(these: Sequence[Actions], those: Sequence[Actions]) -> float | None:
    """Mean over the pairs; None without a common step. Where both are the same list, no run is paired with itself."""
    same = these is those
    shares = []
    for (i, a), (j, b) in product(enumerate(these), enumerate(those)):
        common = a.keys() & b.keys()
        if common and not (same and i == j):
            shares.append(sum(a[step] == b[step] for step in common) / len(common))
    return sum(shares) / len(shares) if shares else None


def _plain(value: Any) -> str:
    return json.dumps(_spaced(value), sort_keys=True, ensure_ascii=False)


def _spaced(value: Any) -> Any:
    if isinstance(value, str):
        return " ".join(value.split())
    if isinstance(value, Mapping):
        return {str(key): _spaced(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [_spaced(inner) for inner in value]
    return value
