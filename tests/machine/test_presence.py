"""Which facts a message holds: whole values, bound to their key or bare."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.contract import Call, Fact, Message
from harness.presence import Index, occurs
from tests.machine.toy import Sayings

FACTS = [
    Fact("a", "box-1/colour", "v1", "k", 1),
    Fact("b", "box-2/colour", "v1", "k", 1),
    Fact("c", "box-1/colour", "v10", "k", 2),
]


@pytest.mark.parametrize(
    "value, text, expected",
    [
        ("v1", "v10", False), ("v1", "xv1", False), ("v1", "_v1", False), ("v1", "v1_", False), ("v1", "év1", False),
        ("v1", "v1", True), ("v1", "=v1;", True), ("v1", "v10 and v1", True), ("v1", "-v1-", True), ("v1", "", False),
        ("a.b", "a.b.c", True), ("a.b", "aa.b", False), ("v1", "v1\u200b", True),
    ],
)  # fmt: skip
def test_values_match_whole(value: str, text: str, expected: bool) -> None:
    assert occurs(value, text) is expected


def holds(text: str, written: bool = False, calls: tuple[Call, ...] = (), grammar: bool = True) -> tuple[str, str]:
    """Ids of the facts that are bound, and of those that are there bare."""
    found = Index(FACTS, Sayings() if grammar else None).holds(Message("m", "tool", text, calls), written)
    return "".join(sorted(FACTS[p].id for p in found.bound)), "".join(sorted(FACTS[p].id for p in found.bare))


def test_a_value_counts_where_it_is_bound_to_its_key() -> None:
    assert holds("box-1/colour is v1.") == ("a", "ab")
    assert holds("box-2/colour is v1. box-1/colour is v10.") == ("bc", "abc")
    assert holds("v1 without a key") == ("", "ab")
    assert holds("nothing") == ("", "")
    assert holds("box-1/colour is v1.", grammar=False) == ("", "ab")


def test_in_written_text_one_line_with_all_parts_of_the_key_will_do() -> None:
    assert holds("colour of box-1: v1", written=True) == ("a", "ab")
    assert holds("colour of box-1: v1") == ("", "ab")
    assert holds("colour of box-1:\nv1", written=True) == ("", "ab")
    assert holds("colour of box-11: v1", written=True) == ("", "ab")
    assert holds("v1\nthe colour of box-2 is, I think, v1", written=True) == ("b", "ab")


def test_arguments_hold_values_bare() -> None:
    assert holds("", calls=(Call("c", "act", {"value": "v10"}),)) == ("", "c")
    assert holds("", written=True, calls=(Call("c", "act", {"x": ["v1", 3]}),)) == ("", "ab")


words = st.lists(
    st.sampled_from(["v1", "v10", "box-1", "box-2", "colour", "is", "\n", ".", "box-1/colour is v1."]), max_size=12
)


@given(words)
def test_the_index_finds_what_a_plain_search_finds(parts: list[str]) -> None:
    text = " ".join(parts)
    bare = "".join(f.id for f in FACTS if occurs(f.value, text))
    bound = {
        f.id
        for f in FACTS
        if any((f.key, f.value) == (c.key, c.value) for c in Sayings().claims(text))
        or any(all(occurs(part, line) for part in (f.value, *f.key.split("/"))) for line in text.split("\n"))
    }
    assert holds(text, written=True) == ("".join(sorted(bound)), bare)
