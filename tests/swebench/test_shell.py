"""The lasting shell: what stays, what ends, and what is printed. A bash of this computer stands for the container's."""

from __future__ import annotations

import gzip
import resource
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tasks.swebench.raw import Raw
from tasks.swebench.shell import Shell
from tests.swebench.local import Local


@pytest.fixture
def shell(tmp_path: Path) -> Iterator[Shell]:
    machine = Local()
    made = Shell(machine, str(tmp_path), seconds=20, variables={"PAGER": "cat"})
    yield made
    made.close()
    machine.close()


def alive(marker: str) -> list[str]:
    """Processes whose command line holds the marker."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if marker.encode() in path.read_bytes().replace(b"\0", b" "):
                found.append(path.parent.name)
        except OSError:
            continue
    return found


def test_directory_variables_and_functions_last(shell: Shell, tmp_path: Path) -> None:
    assert shell.run("mkdir sub && cd sub && export A='x y' && f() { echo called; }").code == 0
    said = shell.run('pwd; echo "$A"; f; echo "$PAGER"')
    assert said.text == f"{tmp_path}/sub\nx y\ncalled\ncat\n"


@pytest.mark.parametrize(
    ("command", "text", "code"),
    [
        ("false", "", 1),
        ("printf abc", "abc", 0),
        ("echo out; echo err >&2; echo out", "out\nerr\nout\n", 0),
        ("cat", "", 0),  # waits for keys
        ("read line; echo \"got '$line'\"", "got ''\n", 0),
        ("python3 -i -c 'print(1)' 2>/dev/null", "1\n", 0),
        ("cat <<'END'\nunfinished", "unfinished\n", 0),
        ("set -x; echo traced; { set +x; } 2>/dev/null", "++ echo traced\ntraced\n", 0),
        ("exec >/dev/null; echo lost", "", 0),
        ("(exit 7)", "", 7),
        ("printf 'a\\0b' | tr '\\0' '-'", "a-b", 0),
        ("printf() { :; }; builtin() { :; }; echo still here; unset -f builtin printf", "still here\n", 0),
        ("exec 200>&1; echo x", "x\n", 0),
        ("eval() { :; }; echo mine; unset -f eval", "mine\n", 0),
    ],
)
def test_what_a_command_says_and_how_it_ends(shell: Shell, command: str, text: str, code: int) -> None:
    said = shell.run(command)
    # bash itself says that the here-document has no end
    assert said.text.splitlines()[-1:] == text.splitlines()[-1:] if "<<" in command else said.text == text
    assert said.code == code
    assert shell.run("echo next").text == "next\n"


@pytest.mark.parametrize("command", ["echo 'open", 'echo "open', "if true; then", "echo $(", "f() {"])
def test_what_is_no_whole_command_is_an_error_at_once(shell: Shell, command: str) -> None:
    said = shell.run(command)
    assert said.code not in (0, None)
    assert "unexpected" in said.text
    assert shell.run("echo next").text == "next\n"


def test_a_command_that_ends_the_shell_is_told_so(shell: Shell, tmp_path: Path) -> None:
    shell.run("cd / && export A=1")
    said = shell.run("echo before; exit 3")
    assert said.code is None
    assert said.text.startswith("before\n[The command ended the shell. The shell was started anew")
    assert shell.run('pwd; echo "${A-unset}"').text == f"{tmp_path}\nunset\n"


def test_a_shell_that_ended_between_two_commands_is_told_so(shell: Shell) -> None:
    shell.run("(sleep 0.2; kill -KILL $$) &")
    time.sleep(0.6)
    said = [shell.run("echo one") for _ in range(2)]
    assert any("was started anew" in one.text for one in said)
    assert shell.run("echo three").text == "three\n"


def test_background_children_keep_nobody_waiting(shell: Shell) -> None:
    started = time.monotonic()
    assert shell.run("sleep 61.5 & echo started").text == "started\n"
    assert shell.run("setsid sleep 61.5 & nohup sleep 61.5 >/dev/null 2>&1 & echo second").text == "second\n"
    assert time.monotonic() - started < 5
    while len(alive("sleep 61.5")) < 3:
        assert time.monotonic() - started < 10
    shell.close()
    assert not alive("sleep 61.5")


def test_what_takes_too_long_is_killed_with_all_that_it_started(tmp_path: Path) -> None:
    machine = Local()
    shell = Shell(machine, str(tmp_path), seconds=1)
    try:
        shell.run("cd / && (trap '' TERM; exec sleep 62.5) &")
        started = time.monotonic()
        said = shell.run("echo so far; (trap '' TERM; while :; do sleep 62.5; done) | cat & setsid -w sleep 62.5")
        assert time.monotonic() - started < 6
        assert said.code is None
        assert said.text.startswith("so far\n[The command was killed after 1 seconds. The shell was started anew")
        assert not alive("sleep 62.5")
        assert shell.run("pwd").text == f"{tmp_path}\n"
    finally:
        shell.close()
        machine.close()


def test_long_output_keeps_both_ends_and_the_true_size(shell: Shell) -> None:
    exact = shell.run("head -c 100000 /dev/zero | tr '\\0' x")
    assert (exact.text, exact.size) == ("x" * 100_000, 100_000)
    said = shell.run("echo first; yes | head -c 400000; echo last; exit_code() { return 5; }; exit_code")
    assert said.code == 5
    assert said.size == 400_000 + len("first\nlast\n")
    assert said.text.startswith("first\ny\ny\n")
    assert said.text.endswith("y\nlast\n")
    assert f"[{said.size - 100_000:,} of {said.size:,} characters left out here]" in said.text
    assert len(said.text) < 100_100


@pytest.mark.parametrize("command", ["yes | head -c 60000000", "head -c 60000000 /dev/zero | tr '\\0' x"])
def test_memory_stays_flat(shell: Shell, tmp_path: Path, command: str) -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    said = shell.run(command, Raw(tmp_path / "raw.gz"))
    assert said.size == 60_000_000
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 20_000  # kilobytes


@pytest.mark.parametrize(
    ("command", "kept"),
    [
        (r"echo as it is; printf 'caf\303\251'", None),
        ("true", None),
        (r"printf ' 10%%\r100%%\n'", b" 10%\r100%\n"),
        (r"printf '\033[31mred\033[0m'", b"\x1b[31mred\x1b[0m"),
        (r"printf 'a\xfeb'", b"a\xfeb"),
        (r"head -c 100002 /dev/zero | tr '\0' x", b"x" * 100_002),
        (r"printf '5%%\r6%%\r'; exit 3", b"5%\r6%\r"),
    ],
)
def test_output_is_kept_as_it_came_where_something_else_was_shown(
    shell: Shell, tmp_path: Path, command: str, kept: bytes | None
) -> None:
    path = tmp_path / "raw" / "1.gz"
    shell.run(command, Raw(path))
    assert (gzip.decompress(path.read_bytes()) if path.is_file() else None) == kept


def test_what_is_kept_of_endless_output_is_bounded(shell: Shell, tmp_path: Path) -> None:
    raw = Raw(tmp_path / "1.gz", most=1000)
    assert shell.run("yes | head -c 400000", raw).size == raw.size == 400_000
    assert gzip.decompress(raw.path.read_bytes()) == b"y\n" * 500


def test_bytes_that_are_no_utf8_are_replaced(shell: Shell) -> None:
    assert shell.run(r"printf 'a\xfeb\n'").text == "a\ufffdb\n"
    slowly = r"for byte in '\xe4' '\xb8' '\xad'; do printf $byte; sleep 0.05; done"
    assert shell.run(slowly).text == "中"
    assert shell.run("head -c 3000 /bin/ls").code == 0
