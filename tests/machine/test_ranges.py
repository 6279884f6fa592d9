"""Packed views: nothing is lost by packing, and arithmetic on packed views is arithmetic on lists."""

from __future__ import annotations

from itertools import takewhile

from hypothesis import given
from hypothesis import strategies as st

from harness.ranges import pack, pack_ids, unpack
from harness.views import change, common_prefix, contains, made, ranges

NAMES = ("mask:m2", "note", "m", "mx", "note:7")
anything = st.lists(st.integers(0, 30).map(lambda n: f"m{n}") | st.sampled_from(NAMES), max_size=30)


@st.composite
def views(draw: st.DrawFn) -> list[str]:
    """Ids as a view has them: history messages in order, own ones anywhere, none twice."""
    ids = [f"m{n}" for n in sorted(draw(st.sets(st.integers(0, 25))))]
    for name in draw(st.lists(st.sampled_from(NAMES), unique=True, max_size=4)):
        ids.insert(draw(st.integers(0, len(ids))), name)
    return ids


def test_a_long_view_is_a_few_numbers() -> None:
    assert pack([0, 1, 7, "mask:m2", 8, 9, 10, 12]) == [[0, 1], 7, "mask:m2", [8, 10], 12]
    assert pack([]) == []
    assert unpack([[0, 1], 7, "mask:m2", [8, 10], 12]) == ["m0", "m1", "m7", "mask:m2", "m8", "m9", "m10", "m12"]


@given(anything)
def test_unpacking_gives_the_ids_back(ids: list[str]) -> None:
    assert unpack(pack_ids(ids)) == ids


@given(views(), views())
def test_change_is_set_difference(old: list[str], new: list[str]) -> None:
    found = change(pack_ids(old), pack_ids(new))
    entered = [i for i in new if i not in old]
    left = [i for i in old if i not in new]
    assert [f"m{n}" for n in found.added] + list(found.made_added) == sorted(entered, key=lambda i: i in NAMES)
    assert [f"m{n}" for n in found.removed] + list(found.made_removed) == sorted(left, key=lambda i: i in NAMES)


@given(views(), views())
def test_common_prefix_is_that_of_the_lists(old: list[str], new: list[str]) -> None:
    shared = [a for a, _ in takewhile(lambda pair: pair[0] == pair[1], zip(old, new, strict=False))]
    assert unpack(common_prefix(pack_ids(old), pack_ids(new))) == shared


@given(views(), st.integers(0, 26))
def test_contains_looks_a_position_up(ids: list[str], position: int) -> None:
    assert contains(ranges(pack_ids(ids)), position) == (f"m{position}" in ids)


@given(views())
def test_ranges_and_made_split_a_view(ids: list[str]) -> None:
    packed = pack_ids(ids)
    positions = [f"m{n}" for start, stop in ranges(packed) for n in range(start, stop + 1)]
    assert positions == [i for i in ids if i not in NAMES]
    assert made(packed) == [i for i in ids if i in NAMES]
