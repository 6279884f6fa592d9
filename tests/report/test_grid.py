"""Tables of plain text: everything stands under its heading."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.report import text
from harness.report.grid import Column, grid

WORDS = st.text(st.sampled_from("ab1.–"), min_size=1, max_size=9)


@st.composite
def tables(draw: st.DrawFn) -> tuple[list[Column], list[list[str]]]:
    count = draw(st.integers(1, 6))
    groups = sorted(draw(st.lists(st.sampled_from(["", "x", "a long heading"]), min_size=count, max_size=count)))
    columns = [Column(draw(WORDS), group) for group in groups]
    return columns, draw(st.lists(st.lists(WORDS, min_size=count, max_size=count), min_size=1, max_size=5))


@given(tables())
def test_columns_end_where_their_heading_ends(table: tuple[list[Column], list[list[str]]]) -> None:
    columns, rows = table
    lines = grid(columns, rows)[-len(rows) - 1 :]
    ends = [
        [end for end in range(1, len(line) + 1) if line[end - 1] != " " and line[end : end + 1] in ("", " ")]
        for line in lines
    ]
    assert all(found == ends[0] for found in ends)
    assert [line.split() for line in lines[1:]] == rows


def test_a_group_stands_over_its_columns() -> None:
    columns = [Column("arm", left=True), Column("@20", "success"), Column("@40", "success")]
    assert grid(columns, [["window", ".97", "1.00"], None, ["no", ".1", ".2"]]) == [
        "        success─",
        "arm     @20  @40",
        "window  .97 1.00",
        "────────────────",
        "no       .1   .2",
    ]


def test_a_short_row_is_refused() -> None:
    with pytest.raises(ValueError, match="a row has 1 entries for 2 columns"):
        grid([Column("a"), Column("b")], [["1"]])


@pytest.mark.parametrize(
    ("value", "written"), [(None, "–"), (0.0, ".00"), (0.456, ".46"), (1.0, "1.00"), (-0.25, "-.25"), (0.999, "1.00")]
)
def test_a_missing_share_is_not_written_as_zero(value: float | None, written: str) -> None:
    assert text.share(value) == written


@pytest.mark.parametrize(("value", "written"), [(None, "–"), (0.0, "0 %"), (0.001, "<1 %"), (0.284, "28 %")])
def test_something_that_happened_is_not_rounded_to_nothing(value: float | None, written: str) -> None:
    assert text.percent(value) == written


@pytest.mark.parametrize(
    ("value", "written"), [(670, "670"), (5836.2, "5,836"), (41_300, "41.3k"), (445_621, "446k"), (1_046_887, "1.05M")]
)
def test_tokens_keep_three_figures(value: float, written: str) -> None:
    assert text.tokens(value) == written


def test_limits_of_shares_are_written_within_zero_and_one() -> None:
    assert text.limits(-0.02, 1.1, "t") == ".00–1.00"
    assert text.limits(None, None, "no interval under n = 8") == "n < 8"
    assert text.limits(None, None, "no interval: all values are equal") == "all equal"
