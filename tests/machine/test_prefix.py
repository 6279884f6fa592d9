"""How far two sequences begin alike."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from harness.prefix import common


@given(st.text("ab", max_size=12), st.text("ab", max_size=12))
def test_both_begin_with_so_many_items_and_not_with_one_more(a: str, b: str) -> None:
    length = common(a, b)
    assert a[:length] == b[:length] and len(a[:length]) == length
    assert length == min(len(a), len(b)) or a[length] != b[length]
    assert common(a.encode(), b.encode()) == common(list(a), list(b)) == length
