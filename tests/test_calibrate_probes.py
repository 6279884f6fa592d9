"""What micro-episodes show a model, and how they read what it does."""

import random
from collections.abc import Callable
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.calibrate.collect import Plan, collect
from harness.calibrate.probes import LATEST, PROBES, Probe, Reading
from harness.calibrate.scene import Scene
from harness.calibrate.wording import Plain, chatter, instruction, statement
from harness.contract import Call, Claim, Environment, Message, Reply, Request, Slot, Task
from harness.models.page import see
from harness.models.texts import parse

PROBE = {probe.dials[0]: probe for probe in PROBES}
Answer = Callable[[Request], Message]


@dataclass(frozen=True, slots=True)
class Says:
    """A model source whose models answer by a rule."""

    answer: Answer

    def open(self, task: Task, environment: Environment, seed: int) -> "Says":
        return self

    def complete(self, request: Request) -> Reply:
        return Reply(self.answer(request))


def calls(name: str, text: str = "", **arguments: object) -> Answer:
    return lambda request: Message("", "assistant", text, (Call("x", name, arguments),))


def say(text: str) -> Answer:
    return lambda request: Message("", "assistant", text)


def read(dial: str, answer: Answer) -> set[tuple[str, float | None]]:
    """The distinct readings of 12 micro-episodes."""
    found = collect(PROBE[dial], Says(answer), Plan(12, 0, 1500, 512))
    return {(reading.dial, reading.value) for readings in found.values() for reading in readings}


def asked(request: Request) -> tuple[str, str]:
    """The item and the key that the newest instruction names."""
    question = see(request, lambda text: parse(Plain(), text)).question
    assert question is not None
    return str(question.fixed["item"]), question.slots[0].keys[0]


def entry(text: str) -> Answer:
    return lambda request: calls("record", item=asked(request)[0], entry=text)(request)


@pytest.mark.parametrize("dial", PROBE)
@pytest.mark.parametrize("answer", [say("I would rather not."), calls("no_such_tool", entry="ab1234"), say("")])
def test_a_reply_without_an_offered_call_is_unreadable(dial: str, answer: Answer) -> None:
    assert read(dial, answer) == {(dial, None)}


def test_a_missing_fact_is_looked_for_or_not() -> None:
    assert read("retrieve", entry("unknown")) == {("retrieve", 0)}
    assert read("retrieve", calls("fetch", id="r000")) == {("retrieve", 1), ("pick", 0)}
    assert read("retrieve", calls("fetch")) == {("retrieve", 1), ("pick", 0)}

    def best(request: Request) -> Message:
        thing, attribute = asked(request)[1].split("/")
        lines = [line for message in request.view for line in message.content.splitlines()]
        (line,) = [line for line in lines if line.endswith(f": the {attribute} of {thing}")]
        return calls("fetch", id=line[:4])(request)

    assert read("retrieve", best) == {("retrieve", 1), ("pick", 1)}


def test_only_the_named_source_counts_as_read_again() -> None:
    assert read("reread", calls("read", path="files/valve_0000.txt")) == {("reread", 0)}
    named: Answer = lambda request: calls("read", path=f"files/{asked(request)[1].split('/')[0]}.txt")(request)
    assert read("reread", named) == {("reread", 1)}


def test_a_focus_is_opened_at_once_late_or_never() -> None:
    assert read("open", calls("open_focus", goal="part 1")) == {("open", 1), ("border", 0)}
    assert read("open", entry("unknown")) == {("open", 0)}
    late: Answer = lambda request: (calls("open_focus") if len(request.view) > 5 else entry("unknown"))(request)
    assert read("open", late) == {("open", 1), ("border", 2)}


def test_a_focus_is_closed_with_or_without_what_was_told_in_it() -> None:
    def told(request: Request) -> str:
        (claim,) = [claim for message in request.view[3:] for claim in Plain().claims(message.content)]
        return claim.value

    assert read("close", calls("close_focus", learnings="nothing to note")) == {("close", 1), ("carry", 0)}
    whole: Answer = lambda request: calls("close_focus", learnings=[f"the value is {told(request)}."])(request)
    assert read("close", whole) == {("close", 1), ("carry", 1)}
    another: Answer = lambda request: calls("close_focus", learnings=f"{told(request)}0")(request)
    assert read("close", another) == {("close", 1), ("carry", 0)}
    assert read("close", entry("unknown")) == {("close", 0)}
    assert read("close", calls("open_focus", goal="part 2")) == {("close", 0)}


def test_a_note_is_the_value_in_the_text() -> None:
    def restates(request: Request) -> Message:
        return calls("record", request.view[-1].content.splitlines()[1])(request)

    assert read("note", restates) == {("note", 1)}
    assert read("note", entry("unknown")) == {("note", 0)}


def test_a_fact_is_missed_unless_its_value_is_recorded() -> None:
    def right(request: Request) -> Message:
        key = asked(request)[1]
        (value,) = [c.value for message in request.view for c in Plain().claims(message.content) if c.key == key]
        return entry(value)(request)

    assert read("miss", right) == {("miss", 0)}
    assert read("miss", entry("unknown")) == read("miss", entry("zz0000")) == {("miss", 1)}


def test_inventing_is_a_value_and_reporting_is_none() -> None:
    assert read("bluff", entry("zz0000")) == {("bluff", 1)}
    assert read("bluff", entry("unknown")) == read("bluff", entry(" N/A ")) == {("bluff", 0)}
    assert read("bluff", entry("it was never told")) == {("bluff", None)}


def test_repeating_is_the_failed_item_again() -> None:
    def again(request: Request) -> Message:
        (failed,) = [call for message in request.view for call in message.calls]
        return calls("record", **failed.arguments)(request)

    assert read("poisoning", again) == {("poisoning", 1)}
    assert read("poisoning", entry("unknown")) == {("poisoning", 0)}
    assert read("poisoning", calls("record", item="item_0000")) == {("poisoning", None)}


# ---------------------------------------------------------------- what is shown


def shown(probe: Probe, seed: int) -> list[Request]:
    """The requests of one micro-episode with a model that always records something."""
    seen: list[Request] = []

    def answer(request: Request) -> Message:
        seen.append(request)
        return entry("unknown")(request)

    collect(probe, Says(answer), Plan(1, seed, 1500, 512))
    return seen


@pytest.mark.parametrize("probe", PROBES, ids=lambda probe: probe.dials[0])
def test_views_are_well_formed(probe: Probe) -> None:
    for request in shown(probe, 0):
        ids = [message.id for message in request.view]
        assert len(set(ids)) == len(ids)
        called = [call.id for message in request.view for call in message.calls]
        assert len(set(called)) == len(called)
        assert [message.answers for message in request.view if message.role == "tool"] == called
        assert [message.role for message in request.view[:2]] == ["system", "user"]


@pytest.mark.parametrize("probe", PROBES, ids=lambda probe: probe.dials[0])
def test_texts_differ_between_micro_episodes_and_short_ones_are_short(probe: Probe) -> None:
    views = [tuple(m.content for m in shown(probe, seed)[0].view[2:]) for seed in range(20)]
    assert len(set(views)) == 20
    for request in shown(probe, 0):
        tokens = sum(len(message.content) for message in request.view) // 4
        assert (tokens > 1500) is (probe.dials == ("miss",))


@pytest.mark.parametrize("probe", PROBES, ids=lambda probe: probe.dials[0])
def test_what_is_asked_for_is_in_view_but_where_its_absence_is_the_point(probe: Probe) -> None:
    for request in shown(probe, 0):
        key = asked(request)[1]
        told = [claim for message in request.view for claim in Plain().claims(message.content) if claim.key == key]
        assert len(told) == (0 if probe.dials[0] in ("retrieve", "reread", "bluff") else 1)


def test_a_part_is_played_to_its_end_and_no_further() -> None:
    assert [len(shown(probe, 0)) for probe in PROBES] == [probe.longest for probe in PROBES]
    assert {probe.longest for probe in PROBES} == {1, LATEST}


# ---------------------------------------------------------------- the grammar


@given(st.integers(0, 10**6), st.integers(0, 59))
def test_each_form_says_what_the_grammar_reads(seed: int, form: int) -> None:
    scene = Scene(random.Random(seed))
    fact, item = scene.fact(), scene.item()
    assert Plain().claims(f"Done.\n{statement(fact, form)}\nDone.") == [fact]
    source = f"files/{fact.key.split('/')[0]}.txt" if seed % 2 else None
    text = f"{chatter(form)}\n{instruction(3, 2, item, fact.key, form, source)}"
    question = Plain().question(text)
    assert question is not None and question.fixed == {"item": item} and question.subtask == "part 2"
    assert question.slots == (Slot("entry", "value", (fact.key,), source=source),)
    assert Plain().claims(text) == [] and Plain().question(statement(fact, form)) is None


def test_statements_are_read_in_their_order() -> None:
    facts = [Claim(f"valve_100{n}/alloy", f"kx100{n}") for n in range(5)]
    text = "\n".join(statement(fact, 4 - n) for n, fact in enumerate(facts))
    assert Plain().claims(text) == facts


def test_a_reading_is_in_the_middle_unless_said_otherwise() -> None:
    assert Reading("note", 1).depth == 0.5
