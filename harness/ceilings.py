"""Bounds for the instances of a task at a budget, computed on the histories of its reference arm.

The reference (`full`) holds every block, so its record knows each block's size and what it states. Blocks are cut as
DESIGN has them: an assistant message with all its answers; any other message alone; pinned text is always there.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from hydra.utils import instantiate

from harness import facts as tables
from harness import record as records
from harness.belady import farthest_next_use
from harness.bounds import bound_any, bound_keep
from harness.contract import Grammar
from harness.facts import FactTable
from harness.presence import Index
from harness.record import Record, Segment
from harness.trace import Block, Need, Trace
from harness.walk import AGENT, Walk, author

# Past this many turns the linear program is too large to be worth its time; the heuristic and bound_any remain.
LARGEST = 1000


def rows(folder: Path, budget: int) -> list[dict[str, Any]]:
    """For each instance and checkpoint the share met so far; None where nothing was needed.

    folder: a finished cell of the reference arm. keep, any: bounds on the needs met by keep-only and by re-admitting
    arms; keep_goals, any_goals: on the goals whose needs are all met together, hence on success; farthest: Belady's rule,
    a heuristic without a claim. n: needs so far.
    """
    config = json.loads((folder / "run.json").read_text())["config"]
    task = instantiate(config["task"])
    found: list[dict[str, Any]] = []
    for path in sorted((folder / "episodes").glob("*.jsonl")):
        if path.name.endswith(".times.jsonl"):
            continue
        record = records.load(path)
        if len(record.segments) == 1 and record.turns:
            trace, pinned = trace_of(record, task.grammar, getattr(task, "repositories", ()))
            found += _instance(record, trace, budget - record.turns[0].overhead - pinned, config["checkpoints"])
    return [{**row, "budget": budget} for row in found]


def _instance(record: Record, trace: Trace, room: int, checkpoints: Sequence[int]) -> list[dict[str, Any]]:
    """room: tokens that the budget leaves for blocks; an instance without any is infeasible, and has no bound."""
    if room < 0:
        return []
    found = []
    for k in checkpoints:
        last = max((i for i, turn in enumerate(record.turns) if turn.acted and turn.step <= k), default=-1)
        part, small = trace.until(last), last < LARGEST
        found.append(
            {
                "instance": record.instance,
                "checkpoint": k,
                "keep": bound_keep(part, room).share if small else None,
                "any": bound_any(part, room).share,
                "keep_goals": bound_keep(part, room, per="goal").share if small else None,
                "any_goals": bound_any(part, room, per="goal").share,
                "farthest": farthest_next_use(part, room).share,
                "n": len(part.needs),
            }
        )
    return found


def trace_of(record: Record, grammar: Grammar | None, repositories: Sequence[str] = ()) -> tuple[Trace, int]:
    """The blocks and needs of a record with one history, and the tokens of its pinned text."""
    table = tables.table(record, repositories)
    segment = record.segments[0]
    walk = Walk(record, table.facts, Index(table.facts, grammar), table.declared)
    pinned = {0, *segment.tasks}
    blocks, block_of = _blocks(record, segment, pinned)
    providers = _providers(table, walk, segment, block_of)
    turn_of = {s: i for i, turn in enumerate(record.turns) for s in range(turn.step, turn.step + turn.acted)}
    needs = tuple(
        Need(turn_of[need.step], tuple(providers[need.fact]), goal=str(need.goal))
        for need in table.needs
        if need.step in turn_of
    )
    return Trace(tuple(blocks), needs), sum(segment.tokens[p] for p in pinned)


def _blocks(record: Record, segment: Segment, pinned: set[int]) -> tuple[list[Block], dict[int, int]]:
    """Blocks with the first turn whose view may hold them, and the block of each message; pinned text is block 0."""
    lengths = [turn.length for turn in record.turns]
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


def _providers(table: FactTable, walk: Walk, segment: Segment, block_of: dict[int, int]) -> list[list[int]]:
    """For each fact the blocks that hold it under the headline reading: bound where keys are declared, else shown."""
    found: list[set[int]] = [set() for _ in table.facts]
    for position, message in enumerate(segment.messages):
        held = walk.holds(0, position)
        if table.declared:
            facts = held.bound
        else:
            facts = held.bare if author(message, original=True) != AGENT else frozenset()
        for fact in facts:
            found[fact].add(block_of[position])
    return [sorted(blocks) for blocks in found]
