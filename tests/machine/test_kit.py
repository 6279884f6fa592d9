"""Text at the doors of an episode, and what a strategy is lent."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from harness.contract import Brief, Call, Instance, Message, Reply, Turn
from harness.journal import read
from harness.record import load
from harness.tokens import Characters, Counter
from tests.machine.arms import Asking, Newest, Whole
from tests.machine.toy import (
    ACT,
    BRIEF,
    OPEN,
    ClerkReader,
    Desk,
    Letters,
    Lines,
    Stage,
    act,
    answer,
    answered,
    ends,
    finished,
    play,
    said,
)

BAD = "a\ud800b\x00c\x1bd"
CLEAN = "a\ufffdb\ufffdc\ufffdd"


def test_unsafe_characters_are_replaced_at_every_door(tmp_path: Path) -> None:
    path = tmp_path / "e.jsonl"
    stage = Stage(
        Turn((Message("", "user", BAD),), brief=Brief(BAD, BAD, (ACT,))),
        lambda reply: Turn((answer("c1", BAD),)),
        finished,
    )
    odd = Call("x", "act", {"value": BAD, BAD: [BAD, {"k": BAD}, 1, None, True]})
    lines = Lines(said(BAD, Call("x", BAD, {}), odd), said("ok", act()))
    play(path, stage, lines)
    json.dumps(read(path)).encode()
    messages = load(path).segments[0].messages
    assert [m.content for m in (*messages[:4], messages[5])] == [CLEAN] * 5
    assert messages[3].calls[0].name == CLEAN
    assert messages[3].calls[1].arguments == {"value": CLEAN, CLEAN: [CLEAN, {"k": CLEAN}, 1, None, True]}
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
    play(
        path,
        Stage(OPEN, answered, answered, finished),
        Lines(said("go", act())),
        Asking,
        compactor=compactor,
        embedder=Letters(),
    )
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
    stage = Stage(OPEN, lambda reply: Turn((answer("c9", "x"),)))
    with pytest.raises(ValueError):
        play(tmp_path / "e.jsonl", stage, Lines(said("go", act())))
    assert BRIEF.system == "Be brief."
    assert [p.name for p in tmp_path.iterdir()] == ["e.jsonl.part"]
