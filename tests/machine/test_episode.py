"""The loop, turn by turn: answers find their calls, rereads are no steps, every ending has its reason."""

from __future__ import annotations

import json
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

from harness.contract import Brief, Call, Instance, Message, Reply, Turn, Usage
from harness.episode import Limits
from harness.journal import read
from harness.record import load
from harness.tokens import Characters, Counter
from tests.machine.arms import Asking, Endless, Faulty, Newest, Notebook, Whole
from tests.machine.toy import (
    ACT, BRIEF, LOOK, OPEN, ClerkReader, Desk, Letters, Lines, Stage, act, answered, finished, play, said,
)  # fmt: skip


def tool(answers: str, text: str) -> Message:
    return Message("", "tool", text, answers=answers)


def told(path: Path) -> list[tuple[str, str, str | None]]:
    """The messages of the first history: role, text, and the call that is answered."""
    return [(m.role, m.content, m.answers) for m in load(path).segments[0].messages]


# ---------------------------------------------------------------- calls and answers


@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_answers_find_their_calls_in_whatever_order_they_come(tmp_path: Path, order: tuple[int, ...]) -> None:
    def shuffled(reply: Message) -> Turn:
        answers = [tool(call.id, f"did {call.arguments['value']}") for call in reply.calls]
        return Turn((*(answers[n] for n in order), Message("", "user", "well done")), done=True)

    path = tmp_path / "e.jsonl"
    play(path, Stage(OPEN, shuffled), Lines(said("go", act("a"), act("b"), act("c"))))
    assert told(path)[3:] == [
        ("assistant", "go", None),
        ("tool", "did a", "c0"),
        ("tool", "did b", "c1"),
        ("tool", "did c", "c2"),
        ("user", "well done", None),
    ]
    assert load(path).steps == 3


def test_a_call_without_an_answer_gets_an_explicit_error(tmp_path: Path) -> None:
    path = tmp_path / "e.jsonl"
    stage = Stage(OPEN, lambda reply: Turn((tool(reply.calls[1].id, "did b"),), done=True))
    play(path, stage, Lines(said("go", act("a"), act("b"))))
    assert told(path)[-2:] == [("tool", "error: act gave no answer", "c0"), ("tool", "did b", "c1")]


@pytest.mark.parametrize("unknown", ["c7", None, "c0"])
def test_an_answer_to_no_open_call_is_a_fault_of_the_environment(tmp_path: Path, unknown: str | None) -> None:
    stage = Stage(OPEN, lambda reply: Turn((tool(reply.calls[0].id, "x"), Message("", "tool", "y", answers=unknown))))
    with pytest.raises(ValueError, match=f"toy: the environment answered {unknown!r}, no open call"):
        play(tmp_path / "e.jsonl", stage, Lines(said("go", act())))


def test_a_reset_without_a_brief_is_a_fault_of_the_environment(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="toy: the environment's reset gave no brief"):
        play(tmp_path / "e.jsonl", Stage(Turn()), Lines(said("go")))


def test_call_ids_of_models_may_repeat(tmp_path: Path) -> None:
    path = tmp_path / "e.jsonl"
    play(path, Stage(OPEN, answered, finished), Lines(said("one", act(), act()), said("two", act())))
    calls = [call.id for m in load(path).segments[0].messages for call in m.calls]
    assert calls == ["c0", "c1", "c2"]


def test_messages_are_named_in_order_whoever_says_what(tmp_path: Path) -> None:
    path = tmp_path / "e.jsonl"
    odd = Reply(Message("mine", "user", "go", (act(),), answers="c9"), Usage(7, 5, 0, 2), "tool_calls")
    play(path, Stage(OPEN, finished), Lines(odd))
    messages = load(path).segments[0].messages
    assert [m.id for m in messages] == ["m0", "m1", "m2", "m3", "m4"]
    assert (messages[3].role, messages[3].answers) == ("assistant", None)
    assert load(path).turns[0].usage == Usage(7, 5, 0, 2)


# ---------------------------------------------------------------- turns and steps


def test_rereads_and_own_calls_cost_turns_and_no_steps(tmp_path: Path) -> None:
    look, recall = Call("x", "look", {"box": "1"}), Call("x", "recall", {"handle": "n3"})
    lines = Lines(said("look", look), said("act", act()), said("recall", recall), said("both", recall, act(), look))
    stage = Stage(OPEN, answered, answered, finished)
    ended, _ = play(tmp_path / "e.jsonl", stage, lines, Notebook)
    record = load(tmp_path / "e.jsonl")
    assert ended.ending == "completed"
    assert [(turn.n, turn.step, turn.acted) for turn in record.turns] == [(1, 1, 0), (2, 1, 1), (3, 2, 0), (4, 2, 1)]
    assert (record.steps, len(record.turns)) == (2, 4)
    # the environment never sees the strategy's calls, and is not asked about a turn that has no other
    assert [[call.name for call in reply.calls] for reply in stage.got] == [["look"], ["act"], ["act", "look"]]
    last = record.segments[0].messages[-3:]
    assert [(m.answers, m.author) for m in last] == [("c3", "memory"), ("c4", None), ("c5", None)]
    names = [tool.name for tool in lines.requests[0].tools]
    assert names == ["act", "look", "recall"]


def test_the_environment_cannot_answer_the_strategys_calls(tmp_path: Path) -> None:
    calls = (Call("x", "recall", {"handle": "n1"}), act())
    stage = Stage(OPEN, lambda reply: Turn((tool("c0", "stolen"), tool("c1", "fine"))))
    with pytest.raises(ValueError, match="answered 'c0', no open call"):
        play(tmp_path / "e.jsonl", stage, Lines(said("go", *calls)), Notebook)


def test_a_reply_without_calls_is_a_turn_that_the_environment_sees(tmp_path: Path) -> None:
    nudge = Turn((Message("", "user", "Call a tool."),))
    ended, _ = play(tmp_path / "e.jsonl", Stage(OPEN, nudge, finished), Lines(said("Hm."), said("go", act())))
    record = load(tmp_path / "e.jsonl")
    assert [(turn.step, turn.acted) for turn in record.turns] == [(1, 0), (1, 1)]
    assert [m.content for m in record.segments[0].messages[3:5]] == ["Hm.", "Call a tool."]


def test_the_request_carries_tools_seed_and_reply_limit(tmp_path: Path) -> None:
    lines = Lines(said("go", act()))
    play(tmp_path / "e.jsonl", Stage(OPEN, finished), lines, limits=Limits(output=77), seed=11)
    request = lines.requests[0]
    assert (request.tools, request.seed, request.max_output) == ((ACT, LOOK), 11, 77)
    assert [m.content for m in request.view] == ["Be brief.", "Do the thing.", "Begin."]


def test_tokens_of_a_turn_are_counted_once_and_add_up(tmp_path: Path) -> None:
    path = tmp_path / "e.jsonl"
    _, episode = play(path, Stage(OPEN, answered, finished), Lines(said("go", act()), said("on", act())))
    record, counter = load(path), Counter(Characters())
    messages = record.segments[0].messages
    assert record.segments[0].tokens == tuple(map(counter.message, messages))
    first, second = record.turns
    assert first.overhead == counter.overhead((ACT, LOOK))
    assert first.tokens == counter.messages(messages[:3])
    assert second.tokens == counter.messages(messages[:5])
    assert record.tokens == sum(t.tokens + t.overhead + t.output for t in record.turns)
    assert second.output == counter.message(messages[5])


# ---------------------------------------------------------------- endings


def ends(tmp_path: Path, strategy: Any = Whole, **settings: Any) -> tuple[str, str]:
    """Ending and reason of an endless episode that fills up."""
    path = tmp_path / "e.jsonl"
    turns = [answered] * 400
    ended, episode = play(path, Stage(OPEN, *turns), Lines(said("word " * 20, act())), strategy, **settings)
    record = load(path)
    assert (record.ending, record.reason) == (ended.ending, ended.reason)
    assert record.score == {"replies": float(record.steps)}
    return ended.ending, ended.reason


def test_limits_end_an_episode(tmp_path: Path) -> None:
    assert ends(tmp_path, limits=Limits(turns=7)) == ("limit_turns", "7 turns")
    assert len(load(tmp_path / "e.jsonl").turns) == 7


def test_the_token_limit_counts_input_and_output(tmp_path: Path) -> None:
    ending, reason = ends(tmp_path, limits=Limits(tokens=1000))
    record = load(tmp_path / "e.jsonl")
    last = record.turns[-1]
    assert (ending, reason) == ("limit_tokens", f"{record.tokens} tokens")
    assert record.tokens >= 1000 > record.tokens - last.tokens - last.overhead - last.output


def test_a_view_over_the_budget_ends_as_context_overflow(tmp_path: Path) -> None:
    ending, reason = ends(tmp_path, budget=400)
    assert ending == "context_overflow"
    record = load(tmp_path / "e.jsonl")
    net = 400 - record.turns[0].overhead
    assert reason.startswith("over_budget: the view has ")
    assert reason.endswith(f"tokens, the budget leaves {net} for messages")
    assert all(turn.tokens + turn.overhead <= 400 for turn in record.turns)


def test_an_unlimited_reference_knows_no_budget(tmp_path: Path) -> None:
    assert ends(tmp_path, Endless, budget=400, limits=Limits(turns=30)) == ("limit_turns", "30 turns")


def test_a_strategy_that_crashes_is_a_result_with_its_reason(tmp_path: Path) -> None:
    assert ends(tmp_path, Faulty) == ("strategy_error", "compose raised KeyError: 'lost'")
    assert len(load(tmp_path / "e.jsonl").turns) == 2


@pytest.mark.parametrize("method", ["reset", "export", "compose"])
def test_a_crash_in_any_part_of_a_strategy_is_a_result(tmp_path: Path, method: str) -> None:
    class Torn(Notebook):
        """Goes wrong in one method; `compose` gives no messages at all."""

    setattr(Torn, method, lambda self, *arguments: 1 // 0 if method != "compose" else None)
    ending, reason = ends(tmp_path, Torn, checkpoints=(2,))
    expected = "TypeError: 'NoneType' object is not iterable" if method == "compose" else "ZeroDivisionError: "
    assert ending == "strategy_error"
    assert reason.startswith(f"{method} raised {expected}")


def test_a_strategy_that_breaks_a_rule_is_a_result_with_its_reason(tmp_path: Path) -> None:
    class Headless(Whole):
        def compose(self, history: Any, budget: int) -> Any:
            return history[1:]

    ending, reason = ends(tmp_path, Headless)
    assert (ending, reason) == ("strategy_error", "pinned: the view does not start with a system message")


def test_a_strategy_whose_tool_crashes_is_a_result(tmp_path: Path) -> None:
    path = tmp_path / "e.jsonl"
    recall = Call("x", "recall", {"wrong": 1})
    ended, _ = play(path, Stage(OPEN, finished), Lines(said("go", recall)), Notebook)
    assert (ended.ending, ended.reason) == ("strategy_error", "answer raised KeyError: 'handle'")
    assert load(path).turns[0].acted == 0


def test_a_host_without_memory_is_no_result(tmp_path: Path) -> None:
    with pytest.raises(MemoryError, match="no more room"):
        ends(tmp_path, lambda: Faulty("memory"))
    assert not (tmp_path / "e.jsonl").exists()


def test_pinned_text_over_the_budget_is_infeasible_before_the_first_turn(tmp_path: Path) -> None:
    path, counter = tmp_path / "e.jsonl", Counter(Characters())
    need = counter.messages((Message("a", "system", "Be brief."), Message("b", "user", "Do the thing.")))
    overhead = counter.overhead((ACT, LOOK))
    lines = Lines(said("go", act()))
    ended, _ = play(path, Stage(OPEN, finished), lines, budget=overhead + need - 1)
    assert ended.ending == "infeasible"
    assert ended.reason == f"pinned text has {need} tokens, the budget leaves {need - 1} for messages"
    assert (lines.requests, load(path).turns) == ([], ())


def test_what_was_said_with_the_last_turn_is_recorded(tmp_path: Path) -> None:
    path = tmp_path / "e.jsonl"
    last = lambda reply: Turn((*answered(reply).messages, Message("", "user", "Thanks.")), done=True)
    play(path, Stage(Turn(OPEN.messages, agent="a", brief=Brief("S", "T", (ACT,), "a")), last), Lines(said("go", act())))
    assert told(path)[-1] == ("user", "Thanks.", None)


# ---------------------------------------------------------------- sessions, chains, several agents


def opens(text: str, new_history: bool, session: int) -> Any:
    brief = Brief("Be brief.", text, (ACT,), None, session)
    return lambda reply: Turn((*answered(reply).messages, Message("", "user", "Next.")), brief=brief, new_history=new_history)


def test_a_session_begins_with_an_empty_history_and_the_saved_memory(tmp_path: Path) -> None:
    path = tmp_path / "e.jsonl"
    stage = Stage(OPEN, answered, answered, answered, opens("Again.", True, 1), finished)
    play(path, stage, Lines(said("go", act())), Notebook)
    one, two = load(path).segments
    assert [(s.session, s.tasks) for s in (one, two)] == [(0, (1,)), (1, (1,))]
    assert one.messages[-1].role == "tool"
    assert [m.content for m in two.messages[:4]] == ["Be brief.", "Again.", "Next.", "go"]
    made = [m.content for turn in load(path).turns for m in turn.made]
    assert made[-1].startswith("Composed 4 times."), "the notebook was handed on"
    assert [t.step for t in load(path).turns] == [1, 2, 3, 4, 5]


def test_a_strategy_without_saved_state_begins_a_session_afresh(tmp_path: Path) -> None:
    path = tmp_path / "e.jsonl"
    stage = Stage(OPEN, answered, answered, opens("Again.", True, 1), answered, finished)
    assert play(path, stage, Lines(said("go", act())), lambda: Faulty(at=4))[0].ending == "completed"


def test_a_chain_goes_on_in_one_history_under_a_new_task(tmp_path: Path) -> None:
    path = tmp_path / "e.jsonl"
    stage = Stage(OPEN, answered, opens("And this.", False, 1), finished)
    lines = Lines(said("go", act()))
    play(path, stage, lines, lambda: Newest(1))
    (segment,) = load(path).segments
    assert segment.tasks == (1, 7)
    assert [m.content for m in segment.messages[7:9]] == ["And this.", "Next."]
    assert [m.content for m in lines.requests[-1].view] == ["Be brief.", "And this.", "Next."]


def test_each_agent_has_a_history_and_a_strategy_of_its_own(tmp_path: Path) -> None:
    path = tmp_path / "e.jsonl"
    one, two = (Brief(f"You are {name}.", "Work.", (ACT,), name) for name in ("one", "two"))
    stage = Stage(
        Turn((Message("", "user", "to one"),), brief=one),
        lambda r: Turn((*answered(r).messages, Message("", "user", "to two")), brief=two, agent="two"),
        lambda r: Turn((*answered(r).messages, Message("", "user", "back to one")), agent="one"),
        lambda r: Turn((*answered(r).messages, Message("", "user", "stay")), agent="one"),
        lambda r: Turn((*answered(r).messages, Message("", "user", "over to two")), agent="two"),
        finished,
    )
    lines = Lines(said("go", act()))
    play(path, stage, lines)
    record = load(path)
    assert [s.agent for s in record.segments] == ["one", "two"]
    said_by_users = [[m.content for m in s.messages if m.role == "user"] for s in record.segments]
    assert said_by_users == [["Work.", "to one", "back to one", "stay"], ["Work.", "to two", "over to two"]]
    assert [turn.segment for turn in record.turns] == [0, 1, 0, 0, 1]
    assert [r.view[0].content[-4:] for r in lines.requests] == ["one.", "two.", "one.", "one.", "two."]
    assert [c.id for s in record.segments for m in s.messages for c in m.calls] == ["c0", "c2", "c3", "c1", "c4"]


def test_a_turn_for_an_agent_that_never_began_names_it(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="toy: the environment hands over to agent 'ghost', which has no brief"):
        play(tmp_path / "e.jsonl", Stage(OPEN, lambda r: Turn(answered(r).messages, agent="ghost")), Lines(said("go", act())))


# ---------------------------------------------------------------- text, and what a strategy is lent


BAD = "a\ud800b\x00c\x1bd"
CLEAN = "a\ufffdb\ufffdc\ufffdd"


def test_unsafe_characters_are_replaced_at_every_door(tmp_path: Path) -> None:
    path = tmp_path / "e.jsonl"
    stage = Stage(
        Turn((Message("", "user", BAD),), brief=Brief(BAD, BAD, (ACT,))),
        lambda reply: Turn((tool("c0", BAD),)),
        finished,
    )
    lines = Lines(said(BAD, Call("x", BAD, {BAD: [BAD, {"k": BAD}, 1, None, True]})), said("ok", act()))
    play(path, stage, lines)
    json.dumps(read(path)).encode()
    messages = load(path).segments[0].messages
    assert [m.content for m in messages[:5]] == [CLEAN] * 5
    assert (messages[3].calls[0].name, messages[3].calls[0].arguments) == (
        CLEAN, {CLEAN: [CLEAN, {"k": CLEAN}, 1, None, True]},
    )  # fmt: skip
    assert stage.got[0].content == CLEAN


def test_the_reason_of_a_crash_may_hold_any_text(tmp_path: Path) -> None:
    class Crash(Whole):
        def compose(self, history: Any, budget: int) -> Any:
            raise OSError(BAD)

    ending, reason = ends(tmp_path, Crash)
    assert (ending, reason) == ("strategy_error", f"compose raised OSError: {CLEAN}")


def test_a_made_message_with_unsafe_text_is_an_error_of_the_strategy(tmp_path: Path) -> None:
    class Odd(Whole):
        def compose(self, history: Any, budget: int) -> Any:
            return [*history, Message("odd", "user", BAD, sources=("m1",))]

    ending, reason = ends(tmp_path, Odd)
    assert (ending, reason.split(":")[0]) == ("strategy_error", "text")


def test_line_ends_tabs_and_emoji_stay(tmp_path: Path) -> None:
    path, text = tmp_path / "e.jsonl", "a\r\n\tb\u2028\U0001f600é"
    play(path, Stage(OPEN, finished), Lines(said(text, act())))
    assert load(path).segments[0].messages[3].content == text


def test_questions_of_the_strategy_are_recorded_and_billed(tmp_path: Path) -> None:
    path = tmp_path / "e.jsonl"
    compactor = Lines(said("short"))
    play(path, Stage(OPEN, answered, answered, finished), Lines(said("go", act())), Asking, compactor=compactor, embedder=Letters())
    record = load(path)
    rows = [row for row in read(path) if row["row"] == "ask"]
    counter = Counter(Characters())
    view = compactor.requests[0].view
    cost = counter.messages(view) + counter.overhead(()) + counter.message(Message("r", "assistant", "short"))
    assert len(rows) == len(compactor.requests) == 1
    assert rows[0]["tokens"] == cost
    assert [turn.asked for turn in record.turns] == [0, cost, 0]
    assert record.tokens == cost + sum(t.tokens + t.overhead + t.output for t in record.turns)


class Down:
    """A model whose server is down."""

    def complete(self, request: Any) -> Reply:
        raise ConnectionError("refused")


class Stoic(Asking):
    """Lives with any fault of its model."""

    def compose(self, history: Any, budget: int) -> Any:
        try:
            return super().compose(history, budget)
        except Exception:
            return list(history)


@pytest.mark.parametrize("strategy", [Asking, Stoic])
def test_a_fault_of_the_strategys_model_is_no_result(tmp_path: Path, strategy: Any) -> None:
    with pytest.raises(ConnectionError, match="refused"):
        ends(tmp_path, strategy, compactor=Down(), embedder=Letters())
    assert not (tmp_path / "e.jsonl").exists()


@pytest.mark.parametrize(
    "missing, message",
    [
        ({"embedder": Letters()}, "asked a model of its own, but none is configured: set compactor="),
        ({"compactor": Lines(said("short"))}, "asked for embeddings, but none are configured: set embedder=wordllama"),
    ],
)
def test_what_is_not_configured_is_named(tmp_path: Path, missing: dict[str, Any], message: str) -> None:
    ended, _ = play(tmp_path / "e.jsonl", Stage(OPEN, answered, answered), Lines(said("go", act())), Asking, **missing)
    assert ended.ending == "strategy_error"
    assert message in ended.reason


def test_luck_depends_on_seed_and_instance_alone(tmp_path: Path) -> None:
    def shown(name: str, seed: int, instance: str) -> str:
        path = tmp_path / f"{name}.jsonl"
        stage = Stage(OPEN, answered, answered, finished)
        lines, compactor = Lines(said("go", act())), Lines(said("short"))
        play(
            path, stage, lines, Asking, compactor=compactor, embedder=Letters(), seed=seed, instance=Instance(instance)
        )  # fmt: skip
        return load(path).turns[1].made[0].content

    assert shown("a", 1, "x") == shown("b", 1, "x")
    assert len({shown("c", 1, "x"), shown("d", 2, "x"), shown("e", 1, "y")}) == 3


def test_events_of_a_strategy_stand_with_their_turn(tmp_path: Path) -> None:
    path = tmp_path / "e.jsonl"
    play(path, Desk(6).open(Desk(6).instances()[0], 0), ClerkReader(), lambda: Newest(2))
    noted = [turn.noted for turn in load(path).turns]
    assert noted[:2] == [(), ()]
    assert noted[2] == (("evict", "age", [2]),)
    assert noted[3] == (("evict", "age", [[3, 4]]),)


def test_nothing_is_left_open(tmp_path: Path) -> None:
    stage = Stage(OPEN, lambda reply: Turn((tool("c9", "x"),)))
    with pytest.raises(ValueError):
        play(tmp_path / "e.jsonl", stage, Lines(said("go", act())))
    assert BRIEF.system == "Be brief."
    assert [p.name for p in tmp_path.iterdir()] == ["e.jsonl.part"]
