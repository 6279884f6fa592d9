"""One episode, written out by hand, and every number that it must give."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from harness.contract import Call, Event, Fact, Goal, Message, Schedule, Usage
from harness.measures import Measured, measure
from harness.ranges import Packed
from harness.record import Record, Segment, TurnRow
from tests.machine.toy import Sayings

# f1 is told at step 1; f2 at 2, and f3 replaces it at 4; nothing needs f4
FACTS = (
    Fact("f1", "box-1/colour", "vred", "colour", 1),
    Fact("f2", "box-2/colour", "vblue", "size", 2, superseded=4),
    Fact("f3", "box-2/colour", "vgreen", "colour", 4),
    Fact("f4", "box-9/colour", "vgrey", "colour", 1),
)
GOALS = (
    Goal(3, "value", ("f1",)),
    Goal(4, "value", ("f2",)),
    Goal(5, "value", ("f1",)),
    Goal(6, "join", ("f1", "f3")),
)
ANSWERS = {1: "box-1/colour is vred.", 2: "box-2/colour is vblue.", 4: "box-2/colour is vgreen."}
NOTE = Message("note", "user", "vred was seen", sources=("m4",))
# steps' replies are m3 m5 … and their answers m4 m6 …
VIEWS: tuple[Packed, ...] = (
    [[0, 2]], [[0, 4]], [[0, 6]], [[0, 1], [5, 8]], [[0, 1], [7, 10]], [[0, 1], "note", [9, 12]],
)  # fmt: skip
TOKENS = (30, 55, 80, 70, 70, 78)  # 10 for each of m0 m1 m2, 5 a reply, 20 an answer, 8 the note
NOTED: dict[int, tuple[tuple[str, str, Packed], ...]] = {
    4: (("evict", "age", [[2, 4]]),),
    5: (("evict", "age", [5]), ("overflow", "window", [6])),
}
USED = {
    3: (True, {"f1": "right"}), 4: (True, {"f2": "right"}), 5: (False, {"f1": "wrong"}),
    6: (False, {"f1": "abstained", "f3": "right"}),
}  # fmt: skip


def turn(n: int) -> TurnRow:
    events = (Event("goal", {"step": n, "met": USED[n][0], "used": USED[n][1]}),) if n in USED else ()
    made = (NOTE,) if n == 6 else ()
    asked = 9 if n == 2 else 0
    length = 2 * n + 1
    return TurnRow(
        n, n, 1, 0, length, VIEWS[n - 1], made, (8,) * len(made), TOKENS[n - 1], 7, 5, Usage(), asked,
        NOTED.get(n, ()), events, 0.0,
    )  # fmt: skip


def record(turns: int = 6, ending: str = "completed") -> Record:
    messages = [Message("m0", "system", "s"), Message("m1", "user", "t"), Message("m2", "user", "begin")]
    for n in range(1, turns + 1):
        argument = "vgrey" if n == 5 else f"x{n % 2}"  # steps 3, 4 and 6 repeat an earlier action
        messages.append(Message(f"m{2 * n + 1}", "assistant", "", (Call(f"c{n}", "act", {"value": argument}),)))
        messages.append(Message(f"m{2 * n + 2}", "tool", ANSWERS.get(n, "done"), answers=f"c{n}"))
    segment = Segment(None, 0, tuple(messages), (10, 10, 10, *(5, 20) * turns), (1,))
    rows = tuple(turn(n) for n in range(1, turns + 1))
    schedule = Schedule(FACTS, GOALS)
    return Record("i", 0, 100, schedule, (segment,), rows, ending, "", turns, 999, 0, {"met": 2.0})


def at(found: Measured, k: int) -> dict[str, Any]:
    return next(row for row in found.checkpoints if row["checkpoint"] == k)


def subset(row: dict[str, Any], *names: str) -> dict[str, Any]:
    return {name: row[name] for name in names}


FOUND = measure(record(), Sayings(), (1, 4, 6, 8))


def test_success_is_goals_met_of_goals_due() -> None:
    assert [at(FOUND, k)["success"] for k in (1, 4, 6)] == [None, 1.0, 0.5]
    assert [at(FOUND, k)["unbroken"] for k in (1, 4, 6)] == [None, 1.0, 0.0]
    assert [at(FOUND, k)["goals_due"] for k in (1, 4, 6)] == [0, 2, 4]


def test_a_completed_episode_carries_its_score_on() -> None:
    late = at(FOUND, 8)
    assert subset(late, "success", "goals_due", "reached") == {"success": 0.5, "goals_due": 4, "reached": False}
    assert "retention" not in late, "nothing can be said of a view that there was not"


@pytest.mark.parametrize("ending", ["strategy_error", "limit_turns", "limit_tokens", "context_overflow"])
def test_goals_after_an_early_end_are_not_met(ending: str) -> None:
    found = measure(record(4, ending), Sayings(), (4, 6))
    assert [at(found, k)["success"] for k in (4, 6)] == [1.0, 0.5]
    found = measure(record(2, ending), Sayings(), (4, 6))
    assert [at(found, k)["success"] for k in (4, 6)] == [0.0, 0.0]
    assert found.outcome["status"] == "scored"


def test_an_infeasible_instance_has_no_success() -> None:
    found = measure(record(0, "infeasible"), Sayings(), (4,))
    assert at(found, 4)["success"] is None
    assert subset(found.outcome, "status", "arm_class", "hit_ratio") == {
        "status": "infeasible", "arm_class": None, "hit_ratio": None,
    }  # fmt: skip


def test_retention_over_the_live_facts() -> None:
    names = ("live", "retention", "retention_bare", "retention_weighted")
    # at 4 f1 has two needs ahead and is gone, f2 has one and is there
    assert subset(at(FOUND, 4), *names) == dict(zip(names, (2, 1 / 2, 1 / 2, 1 / 3), strict=True))
    # at 6 the note names vred, and not what it is the colour of
    assert subset(at(FOUND, 6), *names) == dict(zip(names, (2, 1 / 2, 1.0, 1 / 2), strict=True))


def test_a_share_of_nothing_is_missing_and_not_zero() -> None:
    first = at(FOUND, 1)
    assert first["live"] == 0
    names = ("retention", "retention_bare", "retention_weighted", "recoverable", "stored_unreachable", "hit_ratio")
    assert subset(first, *names, "used_right") == dict.fromkeys((*names, "used_right"))


def test_facts_of_a_checkpoint() -> None:
    rows = {(row["checkpoint"], row["fact"]): row for row in FOUND.facts}
    assert set(rows) == {(4, "f1"), (4, "f2"), (6, "f1"), (6, "f3")}
    names = ("kind", "age", "needs_left", "present", "bare", "still_needed")
    assert subset(rows[4, "f2"], *names) == dict(zip(names, ("size", 2, 1, True, True, True), strict=True))
    assert subset(rows[6, "f1"], *names) == dict(zip(names, ("colour", 5, 1, False, True, True), strict=True))


def test_what_the_forks_found_is_counted_apart() -> None:
    found = measure(record(), Sayings(), (6,), {6: {"f1": "recoverable", "f3": "recoverable"}})
    assert subset(at(found, 6), "recoverable", "stored_unreachable", "retention") == {
        "recoverable": 0.5, "stored_unreachable": 0.0, "retention": 0.5,
    }  # fmt: skip
    found = measure(record(), Sayings(), (6,), {6: {"f1": "stored"}})
    assert subset(at(found, 6), "recoverable", "stored_unreachable") == {"recoverable": 0.0, "stored_unreachable": 0.5}


def test_needs_are_met_by_the_view_that_chose_the_action() -> None:
    rows = [(r["step"], r["fact"], r["met"], r["met_bare"], r["lost_turn"], r["lost_by"]) for r in FOUND.needs]
    assert rows == [
        (3, "f1", True, True, None, None),
        (4, "f2", True, True, None, None),
        (5, "f1", False, False, 4, "evict:age"),
        (6, "f1", False, True, 4, "evict:age"),
        (6, "f3", True, True, None, None),
    ]
    assert [row["distance"] for row in FOUND.needs] == [2, 2, 4, 5, 2]
    assert FOUND.outcome["hit_ratio"] == 3 / 5
    assert FOUND.outcome["inputs_together"] == 2 / 4
    assert at(FOUND, 4)["hit_ratio"] == 1.0


def test_a_loss_names_the_event_that_covers_the_last_provider() -> None:
    goals = (Goal(5, "value", ("f2",)), Goal(6, "value", ("f3",)), Goal(6, "value", ("f1",)))
    changed = replace(record(), schedule=Schedule(FACTS, goals))
    lost = {r["fact"]: r["lost_by"] for r in measure(changed, Sayings(), ()).needs}
    assert lost == {"f2": "overflow:window", "f3": None, "f1": "evict:age"}
    silent = replace(changed, turns=tuple(replace(t, noted=()) for t in changed.turns))
    lost = {r["fact"]: r["lost_by"] for r in measure(silent, Sayings(), ()).needs}
    assert lost == {"f2": "dropped", "f3": None, "f1": "dropped"}
    early = replace(record(), schedule=Schedule(FACTS, (Goal(1, "value", ("f3",)),)))
    assert [r["lost_by"] for r in measure(early, Sayings(), ()).needs] == ["never shown"]


def test_a_made_message_is_a_provider_too_and_is_named_by_its_sources() -> None:
    copy = Message("copy", "user", "box-1/colour is vred.", sources=("m4",))
    shown = {3: [[0, 2], "copy", [5, 6]], 4: [[0, 1], "copy", [5, 8]]}
    said = {3: (("evict", "age", [[3, 4]]),), 5: (("overflow", "budget", [[4, 5]]),)}
    turns = [replace(t, view=shown.get(t.n, t.view), noted=said.get(t.n, ())) for t in record().turns]
    turns[2] = replace(turns[2], made=(copy,), made_tokens=(8,))
    found = measure(replace(record(), turns=tuple(turns)), Sayings(), ())
    lost = {(r["step"], r["fact"]): (r["lost_turn"], r["lost_by"]) for r in found.needs if not r["met"]}
    assert lost == {(5, "f1"): (5, "overflow:budget"), (6, "f1"): (5, "overflow:budget")}


def test_use_of_facts() -> None:
    names = ("used_right", "used_stale", "used_wrong", "used_abstained", "opportunities", "unmet_silent")
    assert subset(FOUND.outcome, *names) == dict(zip(names, (0.6, 0.0, 0.2, 0.2, 5, 0.2), strict=True))
    assert at(FOUND, 4)["used_right"] == 1.0


def test_tokens_and_the_ideal_cache() -> None:
    assert [row["input"] for row in FOUND.turns] == [37, 62, 87, 77, 77, 85]
    # the whole old view, while it is a prefix of the new one; then the pinned text alone; with the schemas
    assert [row["cached_ideal"] for row in FOUND.turns] == [0, 37, 62, 27, 27, 27]
    names = ("input", "output", "asked", "cached_ideal")
    assert subset(FOUND.outcome, *names) == dict(zip(names, (425, 30, 9, 180), strict=True))
    assert at(FOUND, 4)["view_tokens"] == 77
    assert [at(FOUND, k)["input"] for k in (4, 6, 8)] == [263, 425, 425]
    assert FOUND.outcome["history_tokens"] == 30 + 6 * 25


def test_tokens_that_are_needed_soon() -> None:
    assert at(FOUND, 4)["useful_tokens"] == 20 / 70  # m6 holds f2
    assert at(FOUND, 6)["useful_tokens"] == 28 / 78  # m10 holds f3, and the note the value of f1


def test_what_the_strategy_did() -> None:
    names = ("turns", "overhead_turns", "fired_turns", "managed_turns", "overflow_turns")
    assert subset(FOUND.outcome, *names) == dict(zip(names, (6, 0, 3, 3, 1), strict=True))
    assert FOUND.outcome["arm_class"] == "rewriting"
    assert measure(record(5), Sayings(), ()).outcome["arm_class"] == "keep-only"
    back = replace(record(5), turns=(*record(4).turns, replace(turn(5), view=[[0, 6], [9, 10]])))
    assert measure(back, Sayings(), ()).outcome["arm_class"] == "re-admitting"
    ledger = [(r["turn"], r["event"], r["trigger"], r["messages"], r["tokens"]) for r in FOUND.ledger]
    assert ledger == [(4, "evict", "age", 3, 35), (5, "evict", "age", 1, 5), (5, "overflow", "window", 1, 20)]


def test_repeated_actions() -> None:
    assert subset(FOUND.outcome, "repeated_actions", "rereads", "repeated_reads") == {
        "repeated_actions": 3, "rereads": 0, "repeated_reads": 0,
    }  # fmt: skip


def test_bare_values_alone_without_a_schedule() -> None:
    """A recorded run: the value is known, the key is not; the headline wants an observation or pinned text."""
    messages = (
        Message("m0", "system", "s"),
        Message("m1", "user", "Fix `src/app/parser.py` please"),
        Message("m2", "assistant", "look", (Call("c0", "bash", {"command": "ls"}),)),
        Message("m3", "tool", "src/app/lexer_core.py", answers="c0"),
        Message(
            "m4", "assistant", "see src/app/lexer_core.py", (Call("c1", "bash", {"command": "cat src/app/parser.py"}),)
        ),
        Message("m5", "tool", "…", answers="c1"),
        Message("m6", "assistant", "now", (Call("c2", "bash", {"command": "cat src/app/lexer_core.py"}),)),
        Message("m7", "tool", "…", answers="c2"),
    )
    segment = Segment(None, 0, messages, (1,) * 8, (1,))
    views: tuple[Packed, ...] = ([[0, 1]], [[0, 3]], [[0, 1], [4, 5]])
    rows = tuple(
        TurnRow(n + 1, n + 1, 1, 0, 2 * n + 2, view, (), (), 2, 0, 1, Usage(), 0, (), (), 0.0)
        for n, view in enumerate(views)
    )
    found = measure(Record("r", 0, 9, None, (segment,), rows, "completed", "", 3, 9, 0, {}), None, (3,))
    readings = [
        (r["step"], r["fact"], r["met_any"], r["met_observation"], r["met_first"], r["met"]) for r in found.needs
    ]
    assert readings == [
        (2, "src/app/parser.py", True, True, True, True),
        (3, "src/app/lexer_core.py", True, False, False, False),
    ]
    assert at(found, 3)["success"] is None
    assert found.needs[1]["lost_by"] == "dropped"
