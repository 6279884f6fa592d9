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
from harness.trace import Block, Need, Tally, Trace
from harness.walk import AGENT, Walk, author

# Past this many turns the linear program is too large to be worth its time; the heuristic and bound_any remain.
LARGEST = 400


def rows(folder: Path, budget: int) -> list[dict[str, Any]]:
    """For each instance and checkpoint: the share of the needs so far that each bound meets; None where nothing was needed.

    folder: a finished cell of the reference arm. keep, any: bounds on keep-only and re-admitting arms; farthest: Belady's
    rule, a heuristic without a claim. n: needs so far.
    """
    config = json.loads((folder / "run.json").read_text())["config"]
    grammar = instantiate(config["task"]).grammar
    found: list[dict[str, Any]] = []
    for path in sorted((folder / "episodes").glob("*.jsonl")):
        if path.name.endswith(".times.jsonl"):
            continue
        record = records.load(path)
        if len(record.segments) == 1 and record.turns:
            found += _instance(record, grammar, budget, config["checkpoints"])
    return found


def _instance(record: Record, grammar: Grammar | None, budget: int, checkpoints: Sequence[int]) -> list[dict[str, Any]]:
    trace, pinned = trace_of(record, grammar)
    room = budget - record.turns[0].overhead - pinned
    if room < 0:
        return []
    found = []
    for k in checkpoints:
        last = max((i for i, turn in enumerate(record.turns) if turn.acted and turn.step <= k), default=-1)
        part = trace.until(last)
        small = last < LARGEST
        found.append(
            {
                "instance": record.instance,
                "checkpoint": k,
                "budget": budget,
                "keep": bound_keep(part, room).share if small else None,
                "any": bound_any(part, room).share,
                "farthest": _share(farthest_next_use(part, room)),
                "n": len(part.needs),
            }
        )
    return found


def _share(tally: Tally) -> float | None:
    return tally.share


def trace_of(record: Record, grammar: Grammar | None) -> tuple[Trace, int]:
    """The blocks and needs of a record with one history, and the tokens of its pinned text."""
    table = tables.table(record)
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
