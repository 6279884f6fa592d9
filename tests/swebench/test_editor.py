"""The editor changes what it was told to, in one place, or nothing."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.swebench.editor import Editor
from tasks.swebench.texts import Refused, inserted, lines_of, numbered, replaced
from tests.swebench.local import Local


@pytest.fixture
def editor() -> Editor:
    return Editor(Local())


def edit(editor: Editor, command: str, path: Path, **arguments: Any) -> str:
    said, done = editor.run({"command": command, "path": str(path), **arguments})
    assert done is not said.startswith("error: ")
    return said


# ---------------------------------------------------------------- texts


TEXTS = st.text(alphabet="ab.\\1\r\n", max_size=30)


@given(TEXTS, st.text(alphabet="ab.\\1\n", max_size=5), st.text("xy\n\\", max_size=5))
def test_one_place_changes_or_none(text: str, old: str, new: str) -> None:
    try:
        after, _ = replaced(text, old, new)
    except Refused:
        return
    plain = text.replace("\r\n", "\n")
    assert plain.count(old) == 1
    assert after.replace("\r\n", "\n") == plain.replace(old, new)
    # lines away from the place keep their ends
    place = plain.index(old)
    first, last = plain.count("\n", 0, place), plain.count("\n", place + len(old))
    lines, changed = text.split("\n"), after.split("\n")
    assert changed[:first] == lines[:first]
    assert changed[len(changed) - last :] == lines[len(lines) - last :]


@pytest.mark.parametrize(
    ("text", "old", "new", "after"),
    [
        ("a.b\naxb\n", "a.b", "\\1", "\\1\naxb\n"),
        ("one\r\ntwo\r\n", "one\ntwo", "1\n2\n3", "1\r\n2\r\n3\r\n"),
        ("one\r\ntwo\r\n", "two", "2\n3", "one\r\n2\r\n3\r\n"),
        ("a\r\nb\nc\r\n", "b", "B\nB", "a\r\nB\nB\nc\r\n"),
        ("a\r\nb\nc\r\n", "a\nb\nc", "A\nB\nC", "A\r\nB\nC\r\n"),
        ("\tx\n", "\tx", "\ty", "\ty\n"),
        ("end", "end", "", ""),
        ("a\x0cb\n", "b", "c", "a\x0cc\n"),
    ],
)
def test_texts_are_literal_and_line_ends_stay(text: str, old: str, new: str, after: str) -> None:
    assert replaced(text, old, new)[0] == after


@pytest.mark.parametrize(
    ("text", "old", "new", "said"),
    [
        ("x\ny\nx\n", "x", "z", "2 times, in lines 1, 3"),
        ("aaa", "aa", "b", "2 times"),
        ("abc", "", "b", "empty"),
        ("abc", "b", "b", "same"),
        ("a\r\nb", "a\nb", "a\r\nb", "same"),
        ("abc", "B", "b", "not found"),
    ],
)
def test_what_is_not_one_place_is_refused(text: str, old: str, new: str, said: str) -> None:
    with pytest.raises(Refused, match=said):
        replaced(text, old, new)


@pytest.mark.parametrize(
    ("text", "after", "new", "result"),
    [
        ("a\nb\n", 0, "x", "x\na\nb\n"),
        ("a\nb\n", 1, "x\n", "a\nx\nb\n"),
        ("a\nb\n", 2, "x\ny", "a\nb\nx\ny\n"),
        ("a\nb", 2, "x\n", "a\nb\nx"),
        ("a\r\nb\r\n", 1, "x\ny", "a\r\nx\r\ny\r\nb\r\n"),
        ("a\r\nb\r\n", 2, "x", "a\r\nb\r\nx\r\n"),
        ("", 0, "x", "x\n"),
    ],
)
def test_lines_are_inserted_as_lines(text: str, after: int, new: str, result: str) -> None:
    assert inserted(text, after, new) == result


def test_lines_have_numbers_and_ranges() -> None:
    text = "".join(f"l{n}\n" for n in range(1, 6))
    assert numbered(text, [2, 3]) == "     2\tl2\n     3\tl3"
    assert numbered(text, [4, -1]) == numbered(text, [4, 99]) == "     4\tl4\n     5\tl5"
    assert numbered("a\r\nb") == "     1\ta\n     2\tb"
    for span in ([0, 1], [6, 7], [3, 2], [1], [1, 2, 3]):
        with pytest.raises(Refused):
            numbered(text, span)


@given(st.text(alphabet="a\n\r\x0b\x0c\x85\u2028"))
def test_lines_join_to_the_text(text: str) -> None:
    assert "".join(lines_of(text)) == text
    assert len(lines_of(text)) == text.count("\n") + bool(text and not text.endswith("\n"))


# ---------------------------------------------------------------- files


def test_bytes_mode_and_place_of_a_file_stay(editor: Editor, tmp_path: Path) -> None:
    file = tmp_path / "run.sh"
    file.write_bytes(b"\xe9t\xe9\r\nfirst\r\n\tlast")
    file.chmod(0o751)
    link = tmp_path / "link"
    link.symlink_to(file)
    inode = file.stat().st_ino
    edit(editor, "str_replace", link, old_str="first\n", new_str="1\n2\n")
    assert file.read_bytes() == b"\xe9t\xe9\r\n1\r\n2\r\n\tlast"
    assert (file.stat().st_mode & 0o777, file.stat().st_ino, link.is_symlink()) == (0o751, inode, True)
    assert edit(editor, "view", file).splitlines()[0] == "     1\t\ufffdt\ufffd"


def test_an_error_changes_nothing(editor: Editor, tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_text("x\nx\n")
    assert "2 times" in edit(editor, "str_replace", file, old_str="x", new_str="y")
    assert "is there already" in edit(editor, "create", file, file_text="new")
    assert "needs old_str" in edit(editor, "str_replace", file, new_str="y")
    assert "choose 0 to 2" in edit(editor, "insert", file, insert_line=9, new_str="y")
    assert "give the number" in edit(editor, "insert", file, new_str="y")
    assert "is a folder" in edit(editor, "str_replace", tmp_path, old_str="x", new_str="y")
    assert "does not exist" in edit(editor, "view", tmp_path / "none")
    assert "no plain file" in edit(editor, "view", Path("/dev/null"))
    assert "whole path" in edit(editor, "view", Path("a.py"))
    assert "choose one of" in edit(editor, "delete", file)
    assert "no edit" in edit(editor, "undo_edit", file)
    assert file.read_text() == "x\nx\n"
    assert os.listdir(tmp_path) == ["a.py"]


def test_edits_are_undone_one_by_one(editor: Editor, tmp_path: Path) -> None:
    file = tmp_path / "new" / "deep" / "a.py"
    edit(editor, "create", file, file_text="a = '$HOME \\1'\n")
    assert file.read_text() == "a = '$HOME \\1'\n"
    said = edit(editor, "str_replace", file, old_str="a", new_str="b")
    assert said.endswith("was edited:\n     1\tb = '$HOME \\1'")
    edit(editor, "insert", file, insert_line=1, new_str="c = 2")
    assert file.read_text() == "b = '$HOME \\1'\nc = 2\n"
    edit(editor, "undo_edit", file)
    edit(editor, "undo_edit", file)
    assert file.read_text() == "a = '$HOME \\1'\n"
    edit(editor, "undo_edit", file)
    assert not file.exists()
    assert "no edit" in edit(editor, "undo_edit", file)


def test_odd_names_large_files_and_folders(editor: Editor, tmp_path: Path) -> None:
    odd = tmp_path / "a b'c\"$d\nx.txt"
    edit(editor, "create", odd, file_text="")
    assert edit(editor, "view", odd) == "(the file is empty)"
    large = tmp_path / "large.txt"
    edit(editor, "create", large, file_text="0123456789abcde\n" * 60_000)
    said = edit(editor, "view", large)
    assert said.startswith("     1\t0123456789abcde\n     2\t")
    assert "characters left out here" in said
    assert len(said) < 100_100
    (tmp_path / "sub" / "in").mkdir(parents=True)
    (tmp_path / "sub" / "in" / "too_deep").write_text("")
    (tmp_path / ".git").mkdir()
    listed = edit(editor, "view", tmp_path).splitlines()
    assert {"large.txt", "sub", "sub/in"} <= set(listed)
    assert not any("too_deep" in line or ".git" in line for line in listed)
    assert "for files" in edit(editor, "view", tmp_path, view_range=[1, 2])
