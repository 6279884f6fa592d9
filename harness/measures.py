"""What a record shows: one row a turn, a checkpoint, a live fact at a checkpoint, a need, an event, and an episode.

Columns and units are documented in docs/measures.md. Missing is None, never 0: a share of nothing has no value.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from harness import facts as tables
from harness.contract import Grammar
from harness.counters import SCORED, Running
from harness.facts import FactTable, NeedRow
from harness.ledger import Ledger
from harness.presence import Index
from harness.record import Record, TurnRow
from harness.views import contains
from harness.walk import Walk

Row = dict[str, Any]
USEFUL_AHEAD = 10  # steps: view tokens count as useful when they hold a fact needed within so many


@dataclass(slots=True)
class Measured:
    outcome: Row = field(default_factory=dict)
    turns: list[Row] = field(default_factory=list)
    checkpoints: list[Row] = field(default_factory=list)
    facts: list[Row] = field(default_factory=list)
    needs: list[Row] = field(default_factory=list)
    ledger: list[Row] = field(default_factory=list)


def measure(
    record: Record,
    grammar: Grammar | None,
    checkpoints: Sequence[int],
    recovered: Mapping[int, Mapping[str, str]] | None = None,
    repositories: Sequence[str] = (),
) -> Measured:
    """recovered: from the forks, for each checkpoint the facts that the strategy's tools return ("recoverable") or only
    hold ("stored"). repositories: see `facts.table`."""
    table = tables.table(record, repositories)
    walk = Walk(record, table.facts, Index(table.facts, grammar), table.declared)
    out, running, ledger = Measured(), Running(record, table), Ledger(record)
    needs_at: dict[int, list[NeedRow]] = {}
    for need in table.needs:
        needs_at.setdefault(need.step, []).append(need)
    for turn in walk:
        due = [need for step in range(turn.step, turn.step + turn.acted) for need in needs_at.get(step, ())]
        rows = [_need_row(record, walk, turn, table, need) for need in due]
        running.take(turn, walk, rows)
        out.needs += rows
        out.turns.append({"instance": record.instance, **running.turn_row(turn, walk)})
        ledger.take(turn, walk)
        for k in checkpoints:
            if turn.step <= k < turn.step + turn.acted:
                live = _fact_rows(record, walk, turn, table, k, (recovered or {}).get(k, {}), running)
                out.facts += live
                useful = _useful(walk, turn, table, k, record.actors())
                out.checkpoints.append(running.checkpoint_row(k, turn, live, useful))
    if table.declared and record.ending in SCORED:
        out.needs += [_unreached_row(record, table, need) for need in table.needs if need.step > record.steps]
    reached = {row["checkpoint"] for row in out.checkpoints}
    out.checkpoints += [running.after_end(k) for k in checkpoints if k not in reached]
    out.ledger = ledger.rows
    out.outcome = running.outcome() | ledger.totals()
    return out


def _need_row(record: Record, walk: Walk, turn: TurnRow, table: FactTable, need: NeedRow) -> Row:
    """One need at the view that chose its action. `met` is the headline reading."""
    fact, counts = table.facts[need.fact], walk.counts
    bare, shown = counts.bare[need.fact] > 0, counts.shown[need.fact] > 0
    pinned = any(need.fact in walk.holds(turn.segment, p).bare for p in (0, _task(record, turn)))
    first = pinned or (need.first is not None and contains(walk.ranges, need.first))
    met = walk.met(need.fact)
    lost = walk.lost[need.fact]
    cause = None if met else ("never shown" if lost is None else lost.cause)
    return {
        "instance": record.instance,
        "step": need.step,
        "turn": turn.n,
        "goal": need.goal,
        "op": need.op,
        "fact": fact.id,
        "kind": fact.kind,
        "distance": need.step - fact.stated,
        "met": met,
        "met_bare": bare,
        "met_any": bare,
        "met_observation": shown,
        "met_first": first if need.first is not None else None,
        "lost_turn": None if met or lost is None else lost.turn,
        "lost_by": cause,
    }


def _unreached_row(record: Record, table: FactTable, need: NeedRow) -> Row:
    """A need whose step the episode did not reach: not met, under any reading."""
    fact = table.facts[need.fact]
    readings = dict.fromkeys(("met", "met_bare", "met_any", "met_observation"), False)
    return {
        "instance": record.instance,
        "step": need.step,
        "turn": None,
        "goal": need.goal,
        "op": need.op,
        "fact": fact.id,
        "kind": fact.kind,
        "distance": need.step - fact.stated,
        **readings,
        "met_first": None,
        "lost_turn": None,
        "lost_by": "episode had ended",
    }


def _fact_rows(
    record: Record,
    walk: Walk,
    turn: TurnRow,
    table: FactTable,
    k: int,
    recovered: Mapping[str, str],
    running: Running,
) -> list[Row]:
    """The facts live at checkpoint k for the agent that acts, as the view that chose action k holds them."""
    agent, told, rows = record.segments[turn.segment].agent, walk.told(turn), list[Row]()
    for position, fact in enumerate(table.facts):
        if not tables.live(fact, k):
            continue
        if told is not None and position not in told:
            continue
        left = running.needs_left(position, k, agent)
        bound, bare = walk.counts.bound[position] > 0, walk.counts.bare[position] > 0
        state = recovered.get(fact.id)
        rows.append(
            {
                "instance": record.instance,
                "checkpoint": k,
                "fact": fact.id,
                "kind": fact.kind,
                "age": k - fact.stated,
                "needs_left": left,
                "still_needed": left > 0,
                "present": bound if table.declared else bare,
                "bare": bare,
                "shown": walk.counts.shown[position] > 0,
                "recoverable": state == "recoverable",
                "stored": state in ("recoverable", "stored"),
            }
        )
    return rows


def _useful(
    walk: Walk, turn: TurnRow, table: FactTable, k: int, actors: Mapping[int, str | None]
) -> float | None:
    """Share of the view's tokens in messages that hold a fact which its agent needs within the next steps."""
    ahead = [n for n in table.needs if k <= n.step < k + USEFUL_AHEAD]
    soon = frozenset(n.fact for n in ahead if actors.get(n.step, actors[k]) == actors[k])
    return walk.tokens_holding(turn, soon) / turn.tokens if soon and turn.tokens else None


def _task(record: Record, turn: TurnRow) -> int:
    """Position of the task message that was current at the turn."""
    tasks = record.segments[turn.segment].tasks
    return max((p for p in tasks if p < turn.length), default=tasks[0])

