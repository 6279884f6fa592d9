"""The extractive summariser: whole units, word for word, never over the room, the same for the same text."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.contract import Message, Request
from harness.models.extractive import Extractive, ranked
from harness.models.units import Unit, units, words
from harness.tokens import Characters, Tiktoken

WORDS = Characters(1.0)


def shortened(text: str, room: int, *context: str, model: Extractive | None = None) -> str:
    texts = [Message("s", "system", "shorten"), *(Message(f"c{n}", "user", told) for n, told in enumerate(context))]
    request = Request((*texts, Message("t", "user", text)), (), 0, room)
    return (model or Extractive(WORDS)).complete(request).message.content


LINES = st.lists(st.text("ab c_1.\n🙂", max_size=30), max_size=12).map("\n".join)


@settings(max_examples=150, deadline=None)
@given(LINES, st.integers(0, 80))
def test_the_room_is_never_passed(text: str, room: int) -> None:
    for tokenizer in (WORDS, Characters()):
        assert tokenizer.text(shortened(text, room, model=Extractive(tokenizer))) <= room


def test_the_room_holds_with_a_real_tokenizer_and_is_used() -> None:
    tokenizer = Tiktoken("cl100k_base")
    text = "\n".join(f"pump_{n} moved shelf r{n}.q{n * 7} beside the <|endoftext|> gate." for n in range(60))
    for room in (1, 7, 40, 150, 400):
        used = tokenizer.text(shortened(text, room, model=Extractive(tokenizer)))
        assert used <= room
        assert used >= 0.8 * room or room < 40


@settings(max_examples=100, deadline=None)
@given(LINES, st.integers(5, 80))
def test_units_stay_word_for_word_and_in_order(text: str, room: int) -> None:
    found = [unit.text for unit in units(text)]
    chosen = [unit.text for unit in units(shortened(text, room))]
    if len(chosen) == 1 and chosen[0] not in found:
        return  # cut off, see below
    places = iter(found)
    assert all(any(line == other for other in places) for line in chosen)


def test_a_text_that_fits_stays_and_its_tags_go() -> None:
    assert shortened("<tool>\nwater is wet\n\nfire is hot\n</tool>", 100) == "water is wet\nfire is hot"


def test_repeats_are_taken_once() -> None:
    text = "\n".join(["build failed at step_7 in gate.py"] * 20 + ["the key of box_4 is red"] + ["ok"] * 20)
    chosen = shortened(text, 60).splitlines()
    assert chosen.count("build failed at step_7 in gate.py") == 1
    assert "the key of box_4 is red" in chosen


def test_names_and_figures_go_before_chatter() -> None:
    text = "well that is very nice indeed\nport of db_3 is 5432\nso we all went there again and again"
    assert shortened(text, 22) == "port of db_3 is 5432"


def test_what_is_known_is_not_repeated_and_what_is_asked_about_is_taken() -> None:
    text = "lane_1 holds apples\nlane_2 holds pears"
    assert shortened(text, 20, "<known>\nlane_1 holds apples\n</known>") == "lane_2 holds pears"
    assert shortened(text, 20, "<goal>\nfind pears\n</goal>") == "lane_2 holds pears"
    assert shortened(text, 20, "<goal>\nfind apples\n</goal>") == "lane_1 holds apples"


def test_long_lines_are_cut_into_sentences() -> None:
    text = "The pump_1 is on shelf a. " * 1 + "It was moved there by the night crew. " * 3 + "Gate code is k9.x1 now."
    assert "Gate code is k9.x1 now." in shortened(text, 60)
    assert "\n" not in shortened(text, 100)  # sentences of one line stay on one line


def test_where_no_unit_fits_it_says_that_it_was_cut_off() -> None:
    request = Request((Message("t", "user", "one line that is longer than the room"),), (), 0, 8)
    reply = Extractive(WORDS).complete(request)
    assert (reply.message.content, reply.finish) == ("one line", "length")
    assert Extractive(WORDS).complete(Request((Message("t", "user", "ab"),), (), 0, 8)).finish == "stop"


def test_a_request_over_its_window_is_refused() -> None:
    model = Extractive(WORDS, window=30)
    assert shortened("x" * 10, 10, model=model) == "x" * 10  # 7 + 10 + 10
    with pytest.raises(ValueError, match=r"compactor\.window=30: a request takes 32 tokens"):
        shortened("x" * 15, 10, model=model)


def test_the_same_text_gives_the_same_summary() -> None:
    text = "\n".join(f"row {n % 7} of sheet_{n % 5} says v{n}" for n in range(200))
    assert len({shortened(text, 300, model=Extractive(Characters(1.0))) for _ in range(3)}) == 1


def test_the_cost_grows_with_the_text_and_no_faster() -> None:
    class Counted(Characters):
        characters = 0

        def text(self, text: str) -> int:
            self.characters += len(text)
            return super().text(text)

    def cost(lines: int) -> int:
        tokenizer = Counted(1.0)
        shortened("\n".join(f"row {n} of sheet_{n % 5}" for n in range(lines)), 500, model=Extractive(tokenizer))
        return tokenizer.characters

    assert cost(2000) <= 2.2 * cost(1000)


@pytest.mark.parametrize("line", ["log line 7", "log line 7 at {n}"])
def test_many_like_lines_are_not_compared_with_each_other(line: str) -> None:
    class Costs(list[int]):
        looks = 0

        def __getitem__(self, place: Any) -> Any:
            self.looks += 1
            return super().__getitem__(place)

    def looks(count: int) -> int:
        found = [Unit(n, "", words(line.format(n=n))) for n in range(count)]
        costs = Costs([5] * count)
        assert sorted(ranked(found, costs)) == list(range(count))
        return costs.looks

    assert looks(800) <= 2.2 * looks(400) < 2.2 * 400 * 12
