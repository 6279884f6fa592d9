"""Promises and hypotheses put to the test, and actions against them: counted from a record written out by hand."""

from __future__ import annotations

from harness.contract import Event, Fact, Goal, Message, Schedule, Usage
from harness.measures import measure
from harness.record import Record, Segment, TurnRow
from tests.machine.toy import Sayings

FACTS = (
    Fact("f1", "box-1/opening", "forbidden", "constraint", 0),
    Fact("f2", "box-2/rust", "refuted", "hypothesis", 0),
    Fact("f3", "box-3/colour", "vred", "code", 0),
)
SCHEDULE = Schedule(FACTS, tuple(Goal(step, "value", (f"f{step % 3 + 1}",)) for step in range(1, 7)))


def turn(n: int, *against: str) -> TurnRow:
    goal = Event("goal", {"step": n, "met": not against, "used": {f"f{n % 3 + 1}": "wrong" if against else "right"}})
    events = (goal, *(Event(kind, {"step": n}) for kind in against))
    return TurnRow(n, n, 1, 0, 2 * n + 1, [[0, 2 * n]], (), (), 10, 0, 1, Usage(), 0, (), events, 0.0)


def outcome(*turns: TurnRow, schedule: Schedule = SCHEDULE) -> dict[str, object]:
    messages = [Message("m0", "system", "s"), Message("m1", "user", "t"), Message("m2", "user", "begin")]
    for n in range(3, 3 + 2 * len(turns)):
        messages.append(Message(f"m{n}", "assistant" if n % 2 else "tool", "x", answers=None if n % 2 else f"c{n}"))
    segment = Segment(None, 0, tuple(messages), (1,) * len(messages), (1,))
    record = Record("i", 0, 100, schedule, (segment,), turns, "completed", "", len(turns), 9, 0, {})
    return dict(measure(record, Sayings(), ()).outcome)


def test_each_goal_that_needs_a_promise_or_hypothesis_is_a_test_and_each_event_counts() -> None:
    # steps 3 and 6 need f1 (constraint), 1 and 4 need f2 (hypothesis), 2 and 5 need f3
    row = outcome(turn(1), turn(2), turn(3, "violation"), turn(4, "refuted_again"), turn(5, "lure"), turn(6))
    assert (row["constraint_tests"], row["violations"], row["violations_share"]) == (2, 1, 0.5)
    assert (row["hypothesis_tests"], row["refuted_again"], row["refuted_again_share"]) == (2, 1, 0.5)


def test_where_nothing_was_tested_the_share_is_missing() -> None:
    row = outcome(turn(1), turn(2))
    assert (row["constraint_tests"], row["violations"], row["violations_share"]) == (0, 0, None)
    assert (row["hypothesis_tests"], row["refuted_again_share"]) == (1, 0.0)
