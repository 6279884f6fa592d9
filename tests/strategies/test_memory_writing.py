"""What a message leaves in memory, and where."""

from __future__ import annotations

import time

import pytest

from harness.contract import Call, Message
from strategies.memory.bindings import Binding, binding
from strategies.memory.borders import parted
from strategies.memory.intake import ROUTES, Place, from_agent, from_tool, from_user
from strategies.memory.statements import names, negated, numbers, statements
from strategies.memory.writing import classify, scores

HERE = Place(7, "part 2/9", False)


def kinds(units) -> list[tuple[str, str]]:
    return [(unit.kind, unit.content) for unit in units]


def user(text: str, place: Place = HERE):
    return from_user(Message("m5", "user", text), text, place, "event", 64)


def tool(text: str, call: Call | None, chunk="event", size: int = 64):
    return from_tool(Message("m6", "tool", text, answers="c1"), text, call, {"reread"}, HERE, chunk, size)


# ---------------------------------------------------------------- reading


def test_statements_are_lines_and_long_lines_are_sentences() -> None:
    long = "The first sentence of a line that is longer than eighty characters. The second one of it."
    assert statements(f"a. b.\n\n  {long}\n") == [
        "a. b.",
        "The first sentence of a line that is longer than eighty characters.",
        "The second one of it.",
    ]


def test_names_are_ids_their_parts_and_proper_nouns() -> None:
    assert names("ask for clients_23.tsv/parser") == {"clients_23.tsv/parser", "clients_23.tsv", "parser"}
    assert names("we met Ada Lovelace in 1843") == {"Ada Lovelace"}
    assert numbers("at 17.5 of v10 in 1843") == {"17.5", "1843"}


@pytest.mark.parametrize("text", ["do not call", "never", "it mustn't", "without it", "不要"])
def test_what_is_negated(text: str) -> None:
    assert negated(text)
    assert not negated("do it now")


@pytest.mark.parametrize(
    ("statement", "found"),
    [
        ("bay_12 has vs-38 as its policy.", Binding("bay_12/policy", "vs-38", False)),
        ("bay_12 comes with the profile kg89qn.", Binding("bay_12/profile", "kg89qn", False)),
        ("bay_12: license=c9.x43j", Binding("bay_12/license", "c9.x43j", False)),
        ("bay_12\tclass\tC6CK-93\twas cc-7173", Binding("bay_12/class", "C6CK-93", False)),
        ("bay_12 does not use class X7-46 any longer, it is C6-93.", Binding("bay_12/class", "C6-93", False)),
        ('{"of": "bay_12", "field": "seat", "from": "d-2", "to": "h8-q5"}', Binding("bay_12/seat", "h8-q5", False)),
        ('configure("bay_12", seal="S1-99")', Binding("bay_12/seal", "S1-99", False)),
        ("bay_12/port = 8080", Binding("bay_12/port", "8080", True)),
        ("bay_12 counts 954 replies this time.", Binding("bay_12/replies", "954", True)),
        ("bay_12 is forbidden for restarts", None),
        ("a-1 and b-2 and c-3 and d-4", None),
        ("nothing here", None),
    ],
)  # fmt: skip
def test_which_name_gets_which_value(statement: str, found: Binding | None) -> None:
    assert binding(statement) == found


def test_orders_and_subtasks_are_read_in_the_text() -> None:
    assert parted("told\n\n[step 3/80, part 2/9] Now do it.") == ("told", "Now do it.", "part 2/9")
    assert parted("told\n\n[step 3/80] Now do it.") == ("told", "Now do it.", None)  # hidden borders
    assert parted("first\n\nlast words") == ("first\n\nlast words", "last words", None)
    assert parted("a list [of 3] things") == ("a list [of 3] things", "a list [of 3] things", None)


def test_reading_is_linear_in_the_text() -> None:
    started = time.process_time()
    for text in ("a" * 100_000, "[" * 100_000, "[step 1/2 " * 10_000, "a_1." * 25_000, "x(" * 50_000, "-" * 100_000):
        parted(text)
        binding(text)
        names(text)
    assert time.process_time() - started < 3


# ---------------------------------------------------------------- write rules


@pytest.mark.parametrize(
    ("statement", "speaker", "found"),
    [
        ("Never touch server_57.", "user", "constraint"),
        ("The goal is to deliver the report in the end.", "user", "goal"),
        ("I would like short answers, please.", "user", "preference"),
        ("I decided for sqlite because the server is down.", "agent", "decision"),
        ("I decided for sqlite.", "agent", "event"),  # no reason
        ("I think maybe the port is 8080.", "user", "hedged"),
        ("Let me look at that.", "agent", "thought"),
        ("The file must not be opened.", "tool", "event"),  # a result states facts, no rules
        ("The port is 8080.", "user", "event"),
    ],
)
def test_the_classes(statement: str, speaker, found: str) -> None:
    assert classify(statement, speaker) == found


def test_the_scorer_is_a_sum_of_stated_weights() -> None:
    assert scores("Never, always.", "user")["constraint"] == pytest.approx(0.4 + 1.5 + 0.7)


def test_routes() -> None:
    assert ROUTES["event"] == "episodic" and ROUTES["progress"] == "working"
    assert {ROUTES[kind] for kind in ("goal", "constraint", "preference")} == {"semantic"}


def test_what_the_user_says_is_taken_apart() -> None:
    text = "Never touch server_57.\nI think maybe it rains.\nport_1 is 8080.\nport_2 is 8081."
    assert kinds(user(text)) == [
        ("constraint", "Never touch server_57."),
        ("event", "port_1 is 8080.\nport_2 is 8081."),
    ]


def test_what_is_said_before_anybody_acts_holds_throughout() -> None:
    assert kinds(user("port_1 is 8080.", Place(0, None, True))) == [("constraint", "port_1 is 8080.")]


def test_a_tool_result_is_progress_and_an_event_without_hedges() -> None:
    made = tool("port_1 is 8080.\nperhaps it is down", Call("c1", "scan", {"host": "a-1"}))
    assert kinds(made) == [
        ("progress", "step 7: scan(host=a-1) -> port_1 is 8080. perhaps it is down"),
        ("event", "port_1 is 8080."),
    ]
    assert made[1].metadata.tools == ("scan",) and made[1].metadata.sources == ("m6",)
    assert (made[1].created, made[1].subtask) == (7, "part 2/9")


@pytest.mark.parametrize(
    "call", [Call("c1", "reread", {"path": "inbox/a-1"}), Call("c1", "bash", {"command": "cat src/a-1.py"})]
)
def test_of_what_can_be_fetched_again_the_address_stays(call: Call) -> None:
    text = "port_1 is 8080. " + "word " * 300
    _, address = tool(text, call)
    assert address.kind == "address"
    assert address.content.startswith(f"{call.name}(") and "can be called again" in address.content
    assert len(address.content) < len(text) / 4
    assert "port_1" in address.metadata.names  # it is still found by what it holds


def test_a_short_answer_of_a_reading_command_is_kept_whole() -> None:
    assert tool("port_1 is 8080.", Call("c1", "bash", {"command": "cat a-1"}))[1].kind == "event"


def test_a_failure_is_marked() -> None:
    assert [unit.metadata.failed for unit in tool("error: no such host", Call("c1", "scan", {}))] == [True, True]


def test_of_the_agent_s_words_decisions_with_reasons_stay_and_one_thought() -> None:
    text = "Let me see.\nI chose sqlite because it needs no server.\nNext I go on."
    made = from_agent(Message("m4", "assistant", text), HERE)
    assert kinds(made) == [
        ("decision", "I chose sqlite because it needs no server."),
        ("reasoning", "Let me see. Next I go on."),
    ]


def test_chunks_of_fixed_length_cut_statements() -> None:
    whole = tool("port_1 is 8080 today", None)[1:]
    cut = tool("port_1 is 8080 today", None, "fixed", 2)[1:]
    assert [unit.content for unit in whole] == ["port_1 is 8080 today"]
    assert [unit.content for unit in cut] == ["port_1 i", "s 8080 t", "oday"]
