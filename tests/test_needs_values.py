"""Which values an action names (docs/needs.md)."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.values import action_text, values


def named(action, **settings):
    return [value.text for value in values(action, **settings)]


@pytest.mark.parametrize(
    ("action", "found"),
    [
        # paths
        ("cat core/files/storage.py", ["core/files/storage.py"]),
        ("cat /testbed/core/files/storage.py", ["core/files/storage.py"]),
        ("cat /repo/core/x.py /workspace/proj__1/core/y.py ./core/z.py", ["core/x.py", "core/y.py", "core/z.py"]),
        ("--- a/core/x.py\n+++ b/core/y.py", ["core/x.py", "core/y.py"]),
        ("ls core/files/", ["core/files"]),
        ("vi core/x.py:12", ["core/x.py"]),
        ("cat storage.py", ["storage.py"]),
        ("python my-tool.py", ["my-tool.py"]),
        ("ls /testbed/core /tmp", []),
        ("ls /usr/lib/python3", ["/usr/lib/python3"]),
        ("curl https://example.org/docs/x.html", ["example.org/docs/x.html"]),
        ("cat setup.py __init__.py core/__init__.py", ["core/__init__.py"]),
        ("tests/test_x.py::TestFoo::test_bar", ["tests/test_x.py", "TestFoo", "test_bar"]),
        # identifiers
        ("grep upload_mode DEFAULT_MODE FileStorage HTMLParser camelCase", None),
        ("x = core.files", ["core.files"]),
        ("grep -r word Plain PLAIN v1 3.14 x.y", []),
        ("os.path.join sys.path json os", []),
        ("__init__ __main__", []),
        ("isinstance NotImplementedError ValueError", []),
        ("raise FieldError, MyWarning", ["FieldError", "MyWarning"]),
        ("self.upload_mode()", ["self.upload_mode"]),
        (r"grep 'core\.files\b'", ["core.files"]),
        (r'print("x\nupload_mode")', ["upload_mode"]),
        ("sed -i 's/old_name/new_name/g' x.py", ["old_name", "new_name", "x.py"]),
        ("sed -n '/class FileStorage/,/def open_it/p' x.py", ["FileStorage", "open_it", "x.py", None]),
        # phrases
        ('grep "class of files"', ["class of files"]),
        ("grep 'class of' \"of files\"", ["of files", "class of"]),
        ('echo "one" \'\' "10, 20"', ["10, 20"]),
        ('echo "spans\nlines here"', []),
        (f'echo "{"ab " * 28}"', []),
    ],
)
def test_values_of_an_action(action, found):
    if found is None:
        found = action.split()[1:]
    if None in found:
        found = [*found[:-1], "/class FileStorage/,/def open_it/p"]
    assert named(action) == found


def test_further_repositories():
    assert named("cat /home/me/proj/core/x.py", prefixes=("/home/me/proj",)) == ["core/x.py"]


def test_kinds():
    kinds = {value.text: value.kind for value in values('core/x.py upload_mode core.FieldError "two words"')}
    expected = {"core/x.py": "path", "upload_mode": "identifier", "core.FieldError": "error", "two words": "phrase"}
    assert kinds == expected


def test_parts_of_a_dotted_name_are_identifiers_longest_first():
    (value,) = values("settings.core.DEFAULT_MODE")
    assert [part.text for part in value.parts] == ["settings.core", "core.DEFAULT_MODE", "DEFAULT_MODE"]


def test_the_texts_of_all_arguments_are_executed_their_names_are_not():
    assert action_text({"path": "a.py", "lines": [1, 2], "edit": {"old": "x", "new": ["y"]}}) == "a.py\nx\ny"


@given(st.text(), st.text())
def test_each_value_once_and_none_is_blank(left, right):
    found = named(left + right)
    assert len(set(found)) == len(found)
    assert all(len(value) >= 4 and value.strip() == value for value in found)


def test_a_long_action_takes_linear_time():
    start = time.perf_counter()
    for action in ("x" * 200_000, "a/" * 100_000, "a." * 10_000, "'" * 200_000, "A" * 200_000 + "/s/" * 1000):
        values(action)
    assert time.perf_counter() - start < 5
