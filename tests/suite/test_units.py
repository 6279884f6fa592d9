"""What a guesser is shown, and what is kept from it."""

from __future__ import annotations

import pytest

from harness.contract import Claim, Fact, Goal, Message, Schedule, Usage
from harness.record import Record, Segment, TurnRow
from harness.shortcuts.checks import bound_by_values
from harness.shortcuts.units import fields, pieces, told


class Equations:
    """Reads "owner.field is value" wherever it stands."""

    def claims(self, text: str) -> list[Claim]:
        words = text.replace("\n", " ").split(" ")
        triples = zip(words, words[1:], words[2:], strict=False)
        return [Claim(a.replace(".", "/"), c.rstrip(".!")) for a, b, c in triples if b == "is"]

    def question(self, text: str) -> None:
        return None


READS = Equations()
FACTS = (
    Fact("f1", "a/size", "v1", "code", 0),
    Fact("f2", "b/writes", "never", "constraint", 1),
    Fact("f3", "c/size", "v3", "code", 1),
)


def history(*messages: Message) -> Segment:
    brief = (Message("m0", "system", "a.size is v1"), Message("m1", "user", "c.size is v3"))
    return Segment(None, 0, (*brief, *messages), (1,) * (2 + len(messages)), (1,))


def turn(step: int, segment: int, length: int) -> TurnRow:
    return TurnRow(step, step, 1, segment, length, [], (), (), 0, 0, 0, Usage(), 0, (), (), 0.0)


def record(
    *messages: Message, facts: tuple[Fact, ...] = FACTS, turns: tuple[TurnRow, ...] = (), more: Segment | None = None
) -> Record:
    """The action of step 3 needs f1 and f2."""
    segments = (history(*messages), *((more,) if more else ()))
    schedule = Schedule(facts, (Goal(3, "join", ("f1", "f2")),))
    return Record("one", 0, 100, schedule, segments, turns, "completed", "", 3, 9, 9, {})


def texts(text: str) -> list[tuple[str, int]]:
    return [(text[start:end], len(claims)) for start, end, claims in pieces(text, READS)]


def test_pieces_are_the_lines_and_their_sentences() -> None:
    assert texts("Well. a.size is v1. And so on\n\nb.x is v2") == [
        ("Well. ", 0),
        ("a.size is v1. ", 1),
        ("And so on", 0),
        ("b.x is v2", 1),
    ]
    assert texts("") == []


def test_a_line_that_only_states_something_as_a_whole_is_not_cut() -> None:
    assert texts("see c. is v9 there") == [("see c. is v9 there", 1)]


def test_statements_know_what_will_be_needed_and_what_is_exempt() -> None:
    user = Message("m2", "user", "Hello there. a.size is v1. c.size is v3.")
    agent = Message("m3", "assistant", "a.size is v1")
    tool = Message("m4", "tool", "b.writes is never\nd.writes is now\na.size is v0", answers="c1")
    idle = Message("m5", "user", "Nothing of note.")
    found = list(told(record(user, agent, tool, idle, turns=(turn(3, 0, 6),)), READS, {"writes"}))
    assert [(one.role, [(s.text, s.place, s.of, s.needed, s.exempt) for s in one.statements]) for one in found] == [
        ("user", [("a.size is v1.", 1, 3, True, False), ("c.size is v3.", 2, 3, False, False)]),
        (
            "tool",
            [
                ("b.writes is never", 0, 3, True, True),
                ("d.writes is now", 1, 3, False, True),
                ("a.size is v0", 2, 3, False, False),
            ],
        ),
    ]


def test_what_is_needed_is_needed_later_and_in_the_same_history() -> None:
    """Two agents are told the same; the action of step 3 is the second agent's, when it has seen three messages."""
    said = Message("m2", "user", "a.size is v1")
    twice = history(said, Message("m3", "user", "a.size is v1"))
    found = told(record(said, turns=(turn(1, 0, 3), turn(3, 1, 3)), more=twice), READS, ())
    assert [one.statements[0].needed for one in found] == [False, True, False]


def test_the_fields_of_exempt_kinds_are_those_of_their_facts() -> None:
    assert fields([record()]) == {"writes"}
    assert fields([record()], kinds=("code",)) == {"size"}


def test_values_that_are_parts_of_keys_bind_something() -> None:
    assert bound_by_values(record(), READS) == 0
    assert bound_by_values(record(facts=(*FACTS, Fact("f4", "v3/never", "v1", "code", 2))), READS) == 1


def test_a_record_without_a_schedule_cannot_be_judged() -> None:
    bare = Record("one", 0, 100, None, record().segments, (), "completed", "", 3, 9, 9, {})
    with pytest.raises(ValueError, match="one: the record has no schedule"):
        list(told(bare, READS, ()))
