"""Scores of dependency graphs and stores, on a record written by hand and on a real episode."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from harness.contract import Call, Claim, Fact, Goal, Grammar, Message, Question, Role, Schedule, Usage
from harness.graphs.__main__ import main
from harness.graphs.edges import Safe, Source, safe, scores
from harness.graphs.stores import Found
from harness.ranges import Packed
from harness.record import Record, Segment, TurnRow


@dataclass(frozen=True, slots=True)
class Edge:
    weight: float
    origin: str
    kept: bool = True


class Plain:
    """ "db/port is 9" states a value."""

    def claims(self, text: str) -> list[Claim]:
        parts = [line.partition(" is ") for line in text.splitlines() if " is " in line]
        return [Claim(key, value) for key, _, value in parts]

    def question(self, text: str) -> Question | None:
        return None


GRAMMAR: Grammar = Plain()
TEXTS = ("system", "task", "db/port is v1\ndb/host is v2", "", "db/port is v3", "", "nothing", "", "the end")
ROLES: tuple[Role, ...] = ("system", "user", "user", "assistant", "tool", "assistant", "tool", "assistant", "tool")


def message(place: int) -> Message:
    role = ROLES[place]
    calls = (Call(f"c{place}", "run", {}),) if role == "assistant" else ()
    answers = f"c{place - 1}" if role == "tool" else None
    return Message(f"m{place}", role, TEXTS[place], calls, answers)


def turn(n: int, length: int, acted: int, noted: tuple[tuple[str, str, Packed], ...] = ()) -> TurnRow:
    return TurnRow(n, n, acted, 0, length, [], (), (), 1, 0, 1, Usage(), 0, noted, (), 0.0)


def record(noted: tuple[tuple[str, str, Packed], ...] = ()) -> Record:
    """Step 1 (m3) needs port v1 and host v2, step 2 (m5) port v3, step 3 (m7) host v2 again."""
    facts = (
        Fact("f1", "db/port", "v1", "mode", 0, 1),
        Fact("f2", "db/host", "v2", "mode", 0),
        Fact("f3", "db/port", "v3", "mode", 1),
    )
    goals = (Goal(1, "join", ("f1", "f2")), Goal(2, "value", ("f3",)), Goal(3, "value", ("f2",)))
    messages = tuple(message(place) for place in range(len(TEXTS)))
    segment = Segment(None, 0, messages, (1,) * len(messages), (1,))
    turns = (turn(1, 3, 1), turn(2, 5, 1, noted), turn(3, 7, 1))
    return Record("one", 0, 100, Schedule(facts, goals), (segment,), turns, "completed", "", 3, 9, 9, {})


def test_an_edge_is_true_when_its_source_states_what_the_step_of_its_dependent_needs() -> None:
    edges = [
        (Edge(1.0, "use"), "m2", "m3"),  # v1 and v2 at step 1
        (Edge(1.0, "use", kept=False), "m2", "m5"),  # v1 is not what step 2 needs
        (Edge(1.0, "declared"), "m4", "m4"),  # m4 leads to step 2
        (Edge(0.3, "declared"), "m2", "m6"),  # m6 leads to step 3
        (Edge(0.3, "declared"), "m2", "m8"),  # nothing comes after m8
    ]
    found = scores(record(), GRAMMAR, edges)
    assert found["use must"] == Source(edges=2, true=1, kept=1, kept_true=1, found=2, needs=4)
    assert found["declared must"] == Source(1, 1, 1, 1, 1, 4)
    assert found["declared may"] == Source(2, 1, 2, 1, 1, 4)
    assert (found["use must"].precision, found["use must"].recall) == (0.5, 0.5)
    assert found["use must"].precision_kept == 1.0


def test_nothing_proposed_has_no_precision() -> None:
    assert scores(record(), GRAMMAR, []) == {}
    assert (Source().precision, Source().recall, Source().precision_kept) == (None, None, None)


def test_a_safe_eviction_counts_when_a_later_step_needs_what_it_stated() -> None:
    noted: tuple[tuple[str, str, Packed], ...] = (("evict", "safe", ["m2", "m4"]), ("evict", "utility", ["m6"]))
    assert safe(record(noted), GRAMMAR) == Safe(messages=2, telling=2, needed=1)  # v2 at step 3; v3 is over


def test_recall_and_latency_of_a_search() -> None:
    found = Found(4, 3, (0.004, 0.001)) + Found(4, 1, (0.002, 0.010))
    assert (found.recall, found.median, found.milliseconds(95)) == (0.5, 3.0, 10.0)
    assert (Found().recall, Found().median, Found().milliseconds(95)) == (None, None, None)


def test_the_command_prints_every_source_and_way_of_searching(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "160")
    main(["task=graph", "task.horizon=16", "task.subtasks=4", "task.labels=declared", "instances=1", "budget=2500"])
    printed = capsys.readouterr().out
    for words in ("declared must", "use must", "use may", "evicted as safe: ", "keyword", "vector+metadata", "cold"):
        assert words in printed


@pytest.mark.parametrize(
    ("settings", "words"),
    [(["strategy=window"], "has no graph"), (["task=team"], "choose a task with one")],
)
def test_the_command_refuses_what_it_cannot_score(settings: list[str], words: str) -> None:
    with pytest.raises(SystemExit, match=words):
        main([*settings, "task.horizon=16", "instances=1"])
