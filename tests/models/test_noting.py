"""The simulated summariser: notes of facts, each kept with a stated probability."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest

from harness.contract import Claim, Message, Question, Request
from harness.models.noting import Noting
from harness.tokens import Characters

WORDS = Characters(1.0)


class Grammar:
    """ "pump_1/colour is red" states a fact."""

    def claims(self, text: str) -> Sequence[Claim]:
        return [Claim(key, value) for key, value in re.findall(r"(\S+/\S+) is (\w+)", text)]

    def question(self, text: str) -> Question | None:
        return None


@dataclass
class Task:
    grammar: Any = field(default_factory=Grammar)

    def instances(self) -> Any: ...
    def open(self, instance: Any, seed: int) -> Any: ...


def notes(text: str, room: int = 10_000, fidelity: float = 1.0, seed: int = 1, window: int | None = None) -> str:
    model = Noting(WORDS, fidelity, window).open(Task(), None, seed)  # type: ignore[arg-type]
    return model.complete(Request((Message("t", "user", text),), (), 0, room)).message.content


def test_every_change_of_a_value_is_noted_in_order_and_repeats_are_not() -> None:
    text = "a/x is 1\nchat\nb/x is 7, so b/x is 7\na/x is 2\na/x is 1"
    assert notes(text).splitlines() == ["note: a/x = 1", "note: b/x = 7", "note: a/x = 2", "note: a/x = 1"]


def test_a_summary_is_read_again_as_the_older_part_of_the_next_one() -> None:
    first = notes("a/x is 1\nb/x is 2")
    assert notes(f"{first}\na/x is 3").splitlines() == ["note: a/x = 1", "note: b/x = 2", "note: a/x = 3"]


def test_without_room_for_all_the_newest_value_of_each_key_goes_first() -> None:
    text = "a/x is 1\nb/x is 2\nb/x is 3\nc/x is 4"
    assert notes(text, 3 * len("note: a/x = 1\n")).splitlines() == ["note: a/x = 1", "note: b/x = 3", "note: c/x = 4"]
    assert notes(text, len("note: a/x = 1\n")) == "note: c/x = 4"
    assert notes(text, 3) == ""


@pytest.mark.parametrize("fidelity", [0.2, 0.5, 0.8])
def test_the_stated_share_of_facts_is_kept_however_often_they_are_summarised(fidelity: float) -> None:
    text = "\n".join(f"pump_{n}/colour is c{n}" for n in range(1000))
    first = notes(text, 10**6, fidelity)
    assert abs(len(first.splitlines()) / 1000 - fidelity) < 0.05
    assert notes(first, 10**6, fidelity) == first
    assert notes(text, 10**6, fidelity, seed=2) != first


def test_settings_that_cannot_work_are_refused() -> None:
    with pytest.raises(ValueError, match=r"compactor\.fidelity=1\.5"):
        notes("", fidelity=1.5)
    with pytest.raises(ValueError, match="no grammar to find facts by: set compactor=extractive"):
        Noting(WORDS).open(Task(None), None, 0)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"compactor\.window=20"):
        notes("a/x is 1", 18, window=20)
