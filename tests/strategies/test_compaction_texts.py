"""Messages as text: borders, identifiers, what fits."""

from __future__ import annotations

import re

from hypothesis import given, settings
from hypothesis import strategies as st

from harness.contract import Call, Message
from strategies.blocks import Block
from strategies.compaction.texts import Place, identifiers, newest_within, parts, pieces, telling_lines, told
from strategies.summary import BORDER

ANNOUNCED = re.compile(BORDER)


def block(turn: int, *texts: str, role: str = "tool") -> Block:
    messages = tuple(Message(f"m{turn}.{n}", role, text) for n, text in enumerate(texts))  # type: ignore[arg-type]
    return Block(messages, sum(map(len, texts)), turn, turn)


def subtasks(
    blocks: list[Block], border: re.Pattern[str] | None = ANNOUNCED, longest: int = 4
) -> list[tuple[int, int]]:
    """(subtask, how many messages) of each piece."""
    return [(piece.subtask, len(piece.sources)) for piece in pieces(blocks, Place(5), border, longest, None)[0]]


def test_a_text_keeps_the_lines_of_the_messages_and_says_whose_they_are() -> None:
    call = Call("c1", "read", {"path": "a.py", "word": "é"})
    messages = [Message("m1", "assistant", "", (call,)), Message("m2", "tool", "one\n\n two", answers="c1")]
    assert told(messages) == '<assistant>\n-> read {"path": "a.py", "word": "é"}\n<tool>\none\n\n two'


def test_an_announced_subtask_begins_after_its_announcement() -> None:
    blocks = [block(n, f"done\n[step {n}, part {1 + n // 3}/9] go on") for n in range(1, 8)]
    # parts 1 1 2 2 2 3 3: the answer that announces part 2 still belongs to part 1
    assert subtasks(blocks) == [(5, 3), (6, 3), (7, 1)]


def test_where_nothing_is_announced_user_messages_and_length_are_borders() -> None:
    quiet = [block(n, "done") for n in range(1, 10)]
    assert subtasks(quiet) == [(5, 4), (6, 4), (7, 1)]
    blocks = [block(1, "done"), block(2, "now b", role="user"), block(3, "done")]
    assert subtasks(blocks) == [(5, 1), (6, 2)]
    assert subtasks(quiet, None, 20) == [(5, 9)]


def test_a_subtask_goes_on_in_the_next_summary() -> None:
    announced = [block(n, f"done\n[step {n}, part {1 + n // 3}/9] go on") for n in range(1, 8)]
    for blocks in ([block(n, "done") for n in range(1, 10)], announced):
        whole, end = pieces(blocks, Place(), ANNOUNCED, 4, 1)
        place, found = Place(), []
        for one in blocks:
            own, place = pieces([one], place, ANNOUNCED, 4, 1)
            found += own
        assert (found, place) == (whole, end)


def test_batches_cut_within_a_subtask() -> None:
    blocks = [block(n, "done") for n in range(1, 8)]
    assert [len(piece.sources) for piece in pieces(blocks, Place(), None, 4, 3)[0]] == [3, 1, 3]
    assert [len(piece.sources) for piece in pieces(blocks, Place(), None, 99, 1)[0]] == [1] * 7


def test_identifiers_come_once_and_the_last_one_last() -> None:
    text = "order A-77 for /srv/app.py failed with E1042; again A-77 (nothing else matters)"
    assert identifiers(text) == ["/srv/app.py", "E1042", "A-77"]


def test_the_newest_identifiers_that_fit() -> None:
    assert newest_within(["aa", "bb", "cc"], 8, len) == ("bb", "cc")
    assert newest_within(["aa", "bb", "cc"], 99, len) == ("aa", "bb", "cc")
    assert newest_within(["aa", "bb", "cc"], 3, len) == ()


def test_lines_that_stand_in_are_the_newest_that_tell_something() -> None:
    text = "job_1 began\nwell\njob_2 began\nso far so good\njob_2 went on"
    assert telling_lines(text, 26, len) == "job_1 began\njob_2 went on"
    assert telling_lines("a" * 50, 10, len) == "a" * 7  # no line fits: the end of the text


TEXTS = st.lists(st.text("ab _1🙂", max_size=40), max_size=8).map("\n".join)


@settings(max_examples=200, deadline=None)
@given(TEXTS, st.integers(4, 60))
def test_parts_hold_all_of_a_text_and_fit(text: str, room: int) -> None:
    found = parts(text, room, len)
    assert "".join(found).replace("\n", "") == "".join(text.splitlines())
    assert all(len(part) <= room for part in found)


@settings(max_examples=200, deadline=None)
@given(TEXTS, st.integers(0, 60))
def test_lines_that_stand_in_fit(text: str, room: int) -> None:
    assert len(telling_lines(text, room, len)) <= room
