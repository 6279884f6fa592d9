"""Bounds for the instances of a task at a budget, computed on the histories of its reference arm.

The reference (`full`) holds every block, so its record knows each block's size and what it states. Blocks are cut as
DESIGN has them: an assistant message with all its answers; any other message alone; pinned text is always there.
Each history (of an agent, of a session) has views of its own and is a trace of its own; the bound adds them up.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from hydra.utils import instantiate

from harness import facts as tables
from harness import files
from harness import record as records
from harness.belady import farthest_next_use
from harness.bounds import bound_any, bound_keep
from harness.contract import Grammar
from harness.facts import FactTable
from harness.presence import Index
from harness.record import Record, Segment, TurnRow
from harness.salt import private
from harness.trace import Block, Need, Tally, Trace
from harness.walk import AGENT, Walk, author

# Past this many turns the linear program is too large to be worth its time; the heuristic and bound_any remain.
LARGEST = 1000


def rows(folder: Path, budget: int) -> list[dict[str, Any]]:
    """For each instance and checkpoint the share met so far; None where nothing was needed.

    folder: a finished cell of the reference arm. keep, any: bounds on the needs met by keep-only and by re-admitting
    arms; keep_goals, any_goals: on the goals whose needs are all met together, hence on success; farthest: Belady's
    rule, a heuristic without a claim. n: needs so far.
    Raises SaltMissing for a private cell whose salt is not in the environment: the task's grammar depends on it.
    """
    config = private(json.loads((folder / "run.json").read_text())["config"], os.environ)
    task = instantiate(config["task"])
    found: list[dict[str, Any]] = []
    for path in files.records(folder):
        record = records.load(path)
        if record.turns:
            found += _instance(record, _traces(record, task, budget), config["checkpoints"])
    return [{**row, "budget": budget} for row in found]


def _traces(record: Record, task: Any, budget: int) -> list[tuple[Trace, int, list[TurnRow]]]:
    """For each history its trace, the tokens that the budget leaves for blocks, and its turns."""
    found = []
    for number in range(len(record.segments)):
        turns = [turn for turn in record.turns if turn.segment == number]
        if turns:
            trace, pinned = trace_of(record, task.grammar, getattr(task, "repositories", ()), number)
            found.append((trace, budget - turns[0].overhead - pinned, turns))
    return found


def _instance(
    record: Record, traces: Sequence[tuple[Trace, int, list[TurnRow]]], checkpoints: Sequence[int]
) -> list[dict[str, Any]]:
    """An instance without room for any block of some history is infeasible, and has no bound."""
    if any(room < 0 for _, room, _ in traces):
        return []
    found = []
    for k in checkpoints:
        parts, small = [], True
        for trace, room, turns in traces:
            last = max((i for i, turn in enumerate(turns) if turn.acted and turn.step <= k), default=-1)
            parts.append((trace.until(last), room))
            small = small and last < LARGEST
        found.append(
            {
                "instance": record.instance,
                "checkpoint": k,
                "keep": _share(bound_keep(part, room) for part, room in parts) if small else None,
                "any": _share(bound_any(part, room) for part, room in parts),
                "keep_goals": _share(bound_keep(part, room, per="goal") for part, room in parts) if small else None,
                "any_goals": _share(bound_any(part, room, per="goal") for part, room in parts),
                "farthest": _share(farthest_next_use(part, room) for part, room in parts),
                "n": sum(len(part.needs) for part, _ in parts),
            }
        )
    return found


def _share(tallies: Iterable[Tally]) -> float | None:
    both = list(tallies)
    total = sum(tally.total for tally in both)
    return sum(tally.met for tally in both) / total if total else None


def trace_of(
    record: Record, grammar: Grammar | None, repositories: Sequence[str] = (), number: int = 0
) -> tuple[Trace, int]:
    """The blocks and needs of one history of a record, turns counted within it, and the tokens of its pinned text."""
    table = tables.table(record, repositories)
    segment = record.segments[number]
    walk = Walk(record, table.facts, Index(table.facts, grammar), table.declared)
    pinned = {0, *segment.tasks}
    turns = [turn for turn in record.turns if turn.segment == number]
    blocks, block_of = _blocks(turns, segment, pinned)
    providers = _providers(table, walk, number, segment, block_of)
    turn_of = {s: i for i, turn in enumerate(turns) for s in range(turn.step, turn.step + turn.acted)}
    needs = tuple(
        Need(turn_of[need.step], tuple(providers[need.fact]), goal=str(need.goal))
        for need in table.needs
        if need.step in turn_of
    )
    return Trace(tuple(blocks), needs), sum(segment.tokens[p] for p in pinned)


def _blocks(turns: Sequence[TurnRow], segment: Segment, pinned: set[int]) -> tuple[list[Block], dict[int, int]]:
    """Blocks with the first turn whose view may hold them, and the block of each message; pinned text is block 0."""
    lengths = [turn.length for turn in turns]
    blocks, block_of = [Block(0, 0)], dict.fromkeys(pinned, 0)
    sizes: list[int] = [0]
    starts: list[int] = [0]
    for position, message in enumerate(segment.messages):
        if position in pinned:
            continue
        if message.role != "tool":
            sizes.append(0)
            starts.append(position)
        sizes[-1] += segment.tokens[position]
        block_of[position] = len(sizes) - 1
    turn = 0
    for start, size in zip(starts[1:], sizes[1:], strict=True):
        while turn < len(lengths) and lengths[turn] <= start:
            turn += 1
        blocks.append(Block(turn, size))
    return blocks, block_of


def _providers(
    table: FactTable, walk: Walk, number: int, segment: Segment, block_of: dict[int, int]
) -> list[list[int]]:
    """For each fact the blocks that hold it under the headline reading: bound where keys are declared, else shown."""
    found: list[set[int]] = [set() for _ in table.facts]
    for position, message in enumerate(segment.messages):
        held = walk.holds(number, position)
        if table.declared:
            facts = held.bound
        elif author(message, original=True) != AGENT:
            facts = held.bare
        else:
            facts = frozenset()
        for fact in facts:
            found[fact].add(block_of[position])
    return [sorted(blocks) for blocks in found]
