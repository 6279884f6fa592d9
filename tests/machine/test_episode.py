"""The loop, turn by turn: answers find their calls, rereads are no steps, every ending has its reason."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

from harness.contract import Brief, Call, Message, Reply, Turn, Usage
from harness.record import load
from harness.setup import Limits
from harness.tokens import Characters, Counter
from tests.machine.arms import Endless, Faulty, Notebook, Whole
from tests.machine.toy import (
    ACT,
    LOOK,
    OPEN,
    Lines,
    Stage,
    act,
    answer,
    answered,
    ends,
    finished,
    play,
    said,
    told,
)

# ---------------------------------------------------------------- calls and answers


@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_answers_find_their_calls_in_whatever_order_they_come(tmp_path: Path, order: tuple[int, ...]) -> None:
    def shuffled(reply: Message) -> Turn:
        answers = [answer(call.id, f"did {call.arguments['value']}") for call in reply.calls]
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
    stage = Stage(OPEN, lambda reply: Turn((answer(reply.calls[1].id, "did b"),), done=True))
    play(path, stage, Lines(said("go", act("a"), act("b"))))
    assert told(path)[-2:] == [("tool", "error: act gave no answer", "c0"), ("tool", "did b", "c1")]


@pytest.mark.parametrize("unknown", ["c7", None, "c0"])
def test_an_answer_to_no_open_call_is_a_fault_of_the_environment(tmp_path: Path, unknown: str | None) -> None:
    stage = Stage(OPEN, lambda reply: Turn((answer(reply.calls[0].id, "x"), Message("", "tool", "y", answers=unknown))))
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
    look, recall = Call("x", "look", {"box": "1"}), Call("x", "recall", {"handle": "n0"})
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
    stage = Stage(OPEN, lambda reply: Turn((answer("c0", "stolen"), answer("c1", "fine"))))
    with pytest.raises(ValueError, match="answered 'c0', no open call"):
        play(tmp_path / "e.jsonl", stage, Lines(said("go", *calls)), Notebook)


def test_a_reply_without_calls_is_a_turn_that_the_environment_sees(tmp_path: Path) -> None:
    nudge = Turn((Message("", "user", "Call a tool."),))
    play(tmp_path / "e.jsonl", Stage(OPEN, nudge, finished), Lines(said("Hm."), said("go", act())))
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
    play(path, Stage(OPEN, answered, finished), Lines(said("go", act()), said("on", act())))
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
    recall = Call("x", "recall", {"handle": "nothing"})
    ended, _ = play(path, Stage(OPEN, finished), Lines(said("go", recall)), Notebook)
    assert ended.ending == "strategy_error"
    assert ended.reason == "answer raised ValueError: invalid literal for int() with base 10: 'othing'"
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
    play(
        path, Stage(Turn(OPEN.messages, agent="a", brief=Brief("S", "T", (ACT,), "a")), last), Lines(said("go", act()))
    )
    assert told(path)[-1] == ("user", "Thanks.", None)
