"""Printed bytes to text: the same however they are cut, and no more than fits."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.swebench.screen import LONG, Clip, Screen

CASES = [
    ("plain\ntext", "plain\ntext"),
    ("  5%\r 50%\r100%\ndone\n", "100%\ndone\n"),
    ("  5%\r 50%\r100%", "100%"),
    ("a\r\nb\r\n", "a\r\nb\r\n"),
    ("\x1b[31mred\x1b[0m \x1b]0;title\x07x \x1b(Bb", "red x b"),
    ("spin|\b/\b-\b done\n", "spin done\n"),
    ("\b\bx\n", "x\n"),
    ("bar\r\x1b[Knext\n", "next\n"),
    ("tab\tstays\n", "tab\tstays\n"),
]


def shown(data: bytes, cuts: list[int]) -> str:
    screen = Screen()
    places = [0, *sorted(cut for cut in cuts if cut < len(data)), len(data)]
    return "".join(screen.feed(data[a:b]) for a, b in pairwise(places)) + screen.feed(b"", True)


@pytest.mark.parametrize(("printed", "read"), CASES)
def test_noise_is_cleaned_however_the_bytes_are_cut(printed: str, read: str) -> None:
    data = printed.encode()
    assert shown(data, []) == read
    for cut in range(len(data)):
        assert shown(data, [cut]) == read
    assert shown(data, list(range(len(data)))) == read


@given(st.text(alphabet="aé\r\n\b\x1b[m中", max_size=40), st.lists(st.integers(0, 80), max_size=6))
def test_cuts_change_nothing(text: str, cuts: list[int]) -> None:
    assert shown(text.encode(), cuts) == shown(text.encode(), [])


def test_a_line_without_end_is_not_kept() -> None:
    screen = Screen()
    out = "".join(screen.feed(b"x" * 1000) for _ in range(100))
    assert len(out) >= 100_000 - LONG - 1000
    assert out + screen.feed(b"", True) == "x" * 100_000


def test_a_bar_without_end_is_not_kept() -> None:
    screen = Screen()
    out = "".join(screen.feed(b"%6d of 99999\r" % n) for n in range(20_000))
    assert out == ""
    assert len(screen._line) <= LONG + 20
    assert screen.feed(b"", True) == " 19999 of 99999\r"


@given(st.lists(st.text(alphabet="ab", max_size=9), max_size=12), st.integers(0, 10))
def test_both_ends_are_kept_and_all_is_counted(pieces: list[str], half: int) -> None:
    clip, whole = Clip(2 * half), "".join(pieces)
    for piece in pieces:
        clip.add(piece)
    assert clip.total == len(whole)
    if len(whole) <= 2 * half:
        assert clip.text() == whole
    else:
        assert clip.text().startswith(whole[:half] + "\n[")
        assert clip.text().endswith("]\n" + (whole[-half:] if half else ""))
        assert f"{len(whole) - 2 * half:,} of {len(whole):,} characters" in clip.text()
