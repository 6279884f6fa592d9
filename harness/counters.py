"""Running totals of an episode, read off at each turn, at the checkpoints and at the end."""

from __future__ import annotations

import json
from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from typing import Any

from harness.certify import Class, certify, widest
from harness.contract import Event
from harness.facts import FactTable
from harness.record import Record, TurnRow
from harness.returns import Returns
from harness.views import made
from harness.walk import STRATEGY, Walk, author

Row = dict[str, Any]

# Endings that a strategy caused, or a limit that is the same for every arm: goals not reached count as not met.
SCORED = frozenset(
    {"completed", "limit_turns", "limit_tokens", "broken_replies", "context_overflow", "strategy_error"}
)
VERDICTS = ("right", "stale", "wrong", "abstained")
TOTALS = (
    "turns", "overhead_turns", "overflow_turns", "fired_turns", "managed_turns", "input", "output", "asked",
    "cached_ideal", "rereads", "repeated_reads", "repeated_actions", "needs", "needs_met",
    "constraint_tests", "violations", "hypothesis_tests", "refuted_again",
)  # fmt: skip
# By kind of fact: the count of goals that put it to the test, the event of an action against it, the count of these.
TESTED = {
    "constraint": ("constraint_tests", "violation", "violations"),
    "hypothesis": ("hypothesis_tests", "refuted_again", "refuted_again"),
}


def share(part: float, whole: float) -> float | None:
    """part / whole, and nothing for a share of nothing."""
    return part / whole if whole else None


class Running:
    """Feed it each turn once, in order."""

    def __init__(self, record: Record, table: FactTable) -> None:
        self.record = record
        self.totals: Counter[str] = Counter()
        self._steps = sorted(need.step for need in table.needs)
        self.verdicts: Counter[str] = Counter()
        self.met: dict[int, bool] = {}  # goals by step
        self.together: Counter[bool] = Counter()
        self.arm_class: Class = "keep-only"
        self._due = sorted(goal.step for goal in record.schedule.goals) if record.schedule else []
        self.returns = Returns(self._due)
        self._needs_of: list[list[int]] = [[] for _ in table.facts]
        for need in table.needs:
            self._needs_of[need.fact].append(need.step)
        self._seconds = {"stall": 0.0, "seconds": 0.0}
        self._timed = any(turn.time is not None for turn in record.turns)
        self._kinds = {fact.id: fact.kind for fact in table.facts}
        self._actors = record.actors()
        self._seen_calls: set[tuple[str | None, str]] = set()
        self._seen_length: dict[int, int] = {}  # by segment, how much of the history the last view could hold

    def needs_left(self, fact: int, step: int, agent: str | None) -> int:
        """How many needs of the fact stand at the step or later, for this agent; at a step not reached, for any."""
        steps = self._needs_of[fact]
        return sum(self._actors.get(s, agent) == agent for s in steps[bisect_left(steps, step) :])

    def take(self, turn: TurnRow, walk: Walk, needs: Sequence[Row]) -> None:
        self._count_calls(turn)
        self.returns.take(turn)
        view_messages = sum(stop - start + 1 for start, stop in walk.ranges)
        self._classify(turn, walk)
        self.totals.update(
            turns=1,
            overhead_turns=turn.acted == 0,
            overflow_turns=turn.overflowed,
            fired_turns=bool(walk.change.removed or walk.change.made_added),
            managed_turns=view_messages < turn.length or bool(made(turn.view)),
            input=turn.tokens + turn.overhead,
            output=turn.output,
            asked=turn.asked,
            cached_ideal=walk.cached,
            needs=len(needs),
            needs_met=sum(row["met"] for row in needs),
        )
        if turn.time is not None:
            self._seconds["stall"] += turn.time[0]
            self._seconds["seconds"] += sum(turn.time) + turn.seconds
        goals = {row["goal"] for row in needs}
        unmet = {row["goal"] for row in needs if not row["met"]}
        self.together.update({True: len(goals - unmet), False: len(unmet)})
        for event in turn.events:
            if event.kind == "goal":
                self.met[event.detail["step"]] = event.detail["met"]
                self.verdicts.update(event.detail["used"].values())
            self._count_test(event)

    def turn_row(self, turn: TurnRow, walk: Walk) -> Row:
        due = [e.detail["met"] for e in turn.events if e.kind == "goal"]
        return {
            "turn": turn.n,
            "step": turn.step,
            "acted": turn.acted,
            "segment": turn.segment,
            "input": turn.tokens + turn.overhead,
            "overhead": turn.overhead,
            "output": turn.output,
            "asked": turn.asked,
            "cached_ideal": walk.cached,
            "messages": sum(b - a + 1 for a, b in walk.ranges) + len(made(turn.view)),
            "history": turn.length,
            "entered": len(walk.change.added),
            "left": len(walk.change.removed),
            "made": len(made(turn.view)),
            "overflow": turn.overflowed,
            "goals_due": len(due),
            "goals_met": sum(due),
            "stall": turn.time[0] if turn.time is not None else None,
            "call": turn.time[1] if turn.time is not None else None,
            "tools": turn.seconds,
            "input_reported": turn.usage.input,
            "cache_read_reported": turn.usage.cache_read,
            "output_reported": turn.usage.output,
        }

    def checkpoint_row(self, k: int, turn: TurnRow, live: Sequence[Row], useful: float | None) -> Row:
        weights = sum(row["needs_left"] for row in live)
        return {
            **self._progress(k),
            "reached": True,
            "turn": turn.n,
            "view_tokens": turn.tokens + turn.overhead,
            "live": len(live),
            "retention": share(sum(row["present"] for row in live), len(live)),
            "retention_weighted": share(sum(row["needs_left"] for row in live if row["present"]), weights),
            "retention_bare": share(sum(row["bare"] for row in live), len(live)),
            "recoverable": share(sum(row["recoverable"] and not row["present"] for row in live), len(live)),
            "stored_unreachable": share(sum(row["stored"] and not row["recoverable"] for row in live), len(live)),
            "useful_tokens": useful,
        }

    def after_end(self, k: int) -> Row:
        """A checkpoint that the episode did not reach: progress stands, nothing can be said of a view."""
        return {**self._progress(k), "reached": False}

    def outcome(self) -> Row:
        record = self.record
        ended = record.ending
        return {
            "instance": record.instance,
            "seed": record.seed,
            "budget": record.budget,
            "ending": ended,
            "reason": record.reason,
            "status": "scored" if ended in SCORED else ended,
            "steps": record.steps,
            **self._cumulative(len(self._steps)),
            "tokens": record.tokens,
            "encoded": record.encoded,
            "embedded": record.embedded,
            "history_tokens": sum(sum(segment.tokens) for segment in record.segments),
            "arm_class": self.arm_class if record.turns else None,
            **{f"score_{name}": value for name, value in sorted(record.score.items())},
        }

    def _progress(self, k: int) -> Row:
        due = bisect_left(self._due, k + 1)
        met = sum(ok for step, ok in self.met.items() if step <= k)
        known = bool(due) and self.record.ending in SCORED
        row: Row = {
            "instance": self.record.instance,
            "checkpoint": k,
            "ending": self.record.ending,
            "goals_due": due,
            "success": met / due if known else None,
            "unbroken": float(met == due) if known else None,
        }
        return row | self._cumulative(bisect_left(self._steps, k + 1))

    def _cumulative(self, needs_due: int) -> Row:
        opportunities = sum(self.verdicts.values())
        row: Row = {name: self.totals[name] for name in TOTALS}
        row |= {f"used_{name}": share(self.verdicts[name], opportunities) for name in VERDICTS}
        row |= {name: seconds if self._timed else None for name, seconds in self._seconds.items()}
        row["opportunities"] = opportunities
        row["needs_due"] = needs_due
        row["hit_ratio"] = share(self.totals["needs_met"], needs_due) if self.record.ending in SCORED else None
        row["inputs_together"] = share(self.together[True], sum(self.together.values()))
        for tests, _, count in TESTED.values():
            row[f"{count}_share"] = share(self.totals[count], self.totals[tests])
        row["returns"] = len(self.returns.lags)
        row["return_lag"] = self.returns.mean
        row["unmet_silent"] = share(self.verdicts["wrong"] + self.verdicts["stale"], opportunities)
        return row

    def _count_test(self, event: Event) -> None:
        """Goals that depend on what was promised or refuted, and actions that went against it."""
        used = {self._kinds.get(fact) for fact in event.detail["used"]} if event.kind == "goal" else set()
        for kind, (tests, against, count) in TESTED.items():
            self.totals[tests] += kind in used
            self.totals[count] += event.kind == against

    def _count_calls(self, turn: TurnRow) -> None:
        """Repeats: the same tool with the same arguments as any call of this agent before."""
        segment = self.record.segments[turn.segment]
        for call in segment.messages[turn.length].calls:
            key = (segment.agent, json.dumps([call.name, dict(call.arguments)], sort_keys=True, ensure_ascii=False))
            again = key in self._seen_calls
            self._seen_calls.add(key)
            if turn.acted:
                self.totals["repeated_actions"] += again
            else:
                self.totals["rereads"] += 1
                self.totals["repeated_reads"] += again

    def _classify(self, turn: TurnRow, walk: Walk) -> None:
        """The class of the arm, judged by its views alone: did anything come back, was anything rewritten?"""
        seen = self._seen_length.get(turn.segment, 0)
        messages = self.record.segments[turn.segment].messages
        came_back = any(position < seen for position in walk.change.added)
        rewritten = bool(walk.change.made_added) or any(
            author(messages[position], original=True) == STRATEGY for position in walk.change.added
        )
        self.arm_class = widest((self.arm_class, certify(came_back, rewritten)))
        self._seen_length[turn.segment] = turn.length
