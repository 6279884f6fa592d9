"""Cutting a history into turns and blocks."""

from __future__ import annotations

import pytest

from harness.contract import Call, Message
from strategies.blocks import Block, by_turn, newest_first, oldest_first, split


def ones(messages: object) -> int:
    return len(messages)  # type: ignore[arg-type]


def block(tokens: int, start: int) -> Block:
    return Block((Message(f"m{start}", "user", ""),), tokens, 0, start)


MESSAGES = [
    Message("m0", "system", "s"),
    Message("m1", "user", "t"),
    Message("m2", "user", "u"),
    Message("m3", "assistant", "a", calls=(Call("c0", "run", {}), Call("c1", "run", {}))),
    Message("m4", "tool", "y", answers="c1"),
    Message("m5", "tool", "x", answers="c0"),
    Message("m6", "user", "more"),
    Message("m7", "assistant", "b"),
]


def test_a_turn_starts_at_each_assistant_message() -> None:
    turns = [[message.id for message in turn] for turn in by_turn(MESSAGES)]
    assert turns == [["m0", "m1", "m2"], ["m3", "m4", "m5", "m6"], ["m7"]]


def test_a_call_and_its_answers_are_one_block_and_pinned_text_is_none() -> None:
    first = split(MESSAGES[:3], 0, 0, ones, pinned={"m0", "m1"})
    second = split(MESSAGES[3:7], 1, 3, ones)
    assert [(b.ids, b.turn, b.start, b.user) for b in first] == [(("m2",), 0, 2, True)]
    assert [(b.ids, b.tokens, b.start, b.user) for b in second] == [
        (("m3", "m4", "m5"), 3, 3, False),
        (("m6",), 1, 6, True),
    ]


@pytest.mark.parametrize("before", [[], [MESSAGES[6]]])
def test_an_answer_apart_from_its_call_is_refused(before: list[Message]) -> None:
    with pytest.raises(ValueError, match="message m4 answers 'c1'"):
        split([*before, MESSAGES[4]], 1, 3, ones)


@pytest.mark.parametrize(
    ("tokens", "oldest", "newest"), [(-1, 0, 0), (0, 0, 0), (2, 1, 0), (3, 1, 1), (5, 2, 1), (6, 2, 2), (8, 3, 3)]
)
def test_runs_of_blocks_stop_at_the_first_that_does_not_fit(tokens: int, oldest: int, newest: int) -> None:
    blocks = [block(2, 0), block(3, 1), block(3, 2)]
    assert list(oldest_first(blocks, tokens)) == blocks[:oldest]
    assert list(newest_first(blocks, tokens)) == blocks[3 - newest :]
