"""The string-replace editor: view, create, str_replace, insert, undo_edit, on files of a machine."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tasks.swebench.machine import Fault, Machine
from tasks.swebench.screen import clipped
from tasks.swebench.texts import Refused, inserted, lines_of, numbered, replaced

LARGEST = 20_000_000  # bytes of a file that is edited
AROUND = 4  # lines shown on both sides of an edit
KEPT = 20  # earlier states of a file that can come back
_FOLDER, _NONE, _LARGE, _OTHER = 41, 42, 43, 44  # exit codes of our own

_READ = f"""
if [ -d "$1" ]; then exit {_FOLDER}; fi
if [ ! -e "$1" ] && [ ! -L "$1" ]; then exit {_NONE}; fi
if [ ! -f "$1" ]; then exit {_OTHER}; fi
size=$(wc -c < "$1") || exit 1
if [ "$size" -gt "$2" ]; then exit {_LARGE}; fi
exec cat -- "$1"
"""
# Written aside first: where that fails the file is untouched. Then into the file itself: mode, owner and links stay.
_WRITE = """
aside=$(mktemp "/tmp/.edit.XXXXXX") || exit 1
trap 'rm -f -- "$aside"' EXIT
head -c "$2" > "$aside" && [ "$(wc -c < "$aside")" -eq "$2" ] && cat -- "$aside" > "$1"
"""
_LIST = """cd -- "$1" && find . -mindepth 1 -maxdepth 2 -not -path '*/.*' | sed 's|^\\./||' | LC_ALL=C sort"""


class Editor:
    """Keeps the earlier states of the files that it changed. limit: characters of an answer."""

    def __init__(self, machine: Machine, limit: int = 100_000) -> None:
        self.machine = machine
        self.limit = limit
        self._before: dict[str, list[bytes | None]] = {}  # by path; None = the file was not there

    def run(self, arguments: Mapping[str, Any]) -> tuple[str, bool]:
        """What the tool answers, and whether it did what was asked. Raises Fault."""
        try:
            return clipped(self._done(arguments), self.limit), True
        except Refused as refusal:
            return f"error: {refusal}", False

    def _done(self, arguments: Mapping[str, Any]) -> str:
        command, path = arguments.get("command"), str(arguments.get("path", ""))
        actions = {
            "view": self._view,
            "create": self._create,
            "str_replace": self._replace,
            "insert": self._insert,
            "undo_edit": self._undo,
        }
        if command not in actions:
            raise Refused(f"command is {command!r}: choose one of {', '.join(actions)}.")
        if not path.startswith("/"):
            raise Refused(f"path is {path!r}: give the whole path, from / on.")
        return actions[command](path, arguments)

    # ------------------------------------------------------------ commands

    def _view(self, path: str, arguments: Mapping[str, Any]) -> str:
        ran = self._read(path)
        if ran is None:
            if arguments.get("view_range") is not None:
                raise Refused("view_range is for files, and this is a folder.")
            listed = self.machine.run(["sh", "-c", _LIST, "sh", path])
            if listed.code != 0:
                raise Refused(_words(listed.err) or f"{path} cannot be listed.")
            return f"{path}, two levels, without hidden files:\n{listed.out.decode(errors='replace')}".rstrip()
        text = _shown(ran)
        return numbered(text, arguments.get("view_range")) or "(the file is empty)"

    def _create(self, path: str, arguments: Mapping[str, Any]) -> str:
        text = _needed(arguments, "file_text")
        if self._exists(path):
            raise Refused(f"{path} is there already: edit it with str_replace, or remove it first.")
        made = self.machine.run(["sh", "-c", 'mkdir -p -- "$(dirname -- "$1")"', "sh", path])
        if made.code != 0:
            raise Refused(_words(made.err))
        self._write(path, _bytes(text), None)
        return f"{path} was created, {len(lines_of(text))} lines."

    def _replace(self, path: str, arguments: Mapping[str, Any]) -> str:
        old = self._file(path)
        text, line = replaced(_text(old), _needed(arguments, "old_str"), str(arguments.get("new_str") or ""))
        self._write(path, _bytes(text), old)
        return self._edited(path, text, line, str(arguments.get("new_str") or ""))

    def _insert(self, path: str, arguments: Mapping[str, Any]) -> str:
        old, after = self._file(path), arguments.get("insert_line")
        if isinstance(after, bool) or not isinstance(after, int):
            raise Refused(f"insert_line is {after!r}: give the number of the line after which to insert.")
        new = _needed(arguments, "new_str")
        text = inserted(_text(old), after, new)
        self._write(path, _bytes(text), old)
        return self._edited(path, text, after + 1, new)

    def _undo(self, path: str, arguments: Mapping[str, Any]) -> str:
        earlier = self._before.get(path)
        if not earlier:
            raise Refused(f"no edit of {path} can be undone.")
        before = earlier[-1]
        if before is None:
            gone = self.machine.run(["rm", "-f", "--", path])
            if gone.code != 0:
                raise Refused(_words(gone.err))
            earlier.pop()
            return f"{path} was removed: it had been created by the edit that is undone."
        self._put(path, before)
        earlier.pop()
        return f"The last edit of {path} was undone."

    # ------------------------------------------------------------ files

    def _exists(self, path: str) -> bool:
        return self.machine.run(["sh", "-c", '[ -e "$1" ] || [ -L "$1" ]', "sh", path]).code == 0

    def _read(self, path: str) -> bytes | None:
        """The content; None for a folder. Raises Refused."""
        ran = self.machine.run(["sh", "-c", _READ, "sh", path, str(LARGEST)])
        said = {
            _NONE: f"{path} does not exist.",
            _LARGE: f"{path} is larger than {LARGEST:,} bytes: use bash.",
            _OTHER: f"{path} is no plain file.",
        }
        if ran.code in said:
            raise Refused(said[ran.code])
        if ran.code not in (0, _FOLDER):
            raise Refused(_words(ran.err) or f"{path} cannot be read.")
        return None if ran.code == _FOLDER else ran.out

    def _file(self, path: str) -> bytes:
        found = self._read(path)
        if found is None:
            raise Refused(f"{path} is a folder.")
        return found

    def _write(self, path: str, content: bytes, before: bytes | None) -> None:
        self._put(path, content)
        earlier = self._before.setdefault(path, [])
        earlier.append(before)
        del earlier[:-KEPT]

    def _put(self, path: str, content: bytes) -> None:
        ran = self.machine.run(["sh", "-c", _WRITE, "sh", path, str(len(content))], content)
        if ran.code == 124:
            raise Fault(f"writing {path} took too long")
        if ran.code != 0:
            raise Refused(_words(ran.err) or f"{path} cannot be written.")

    def _edited(self, path: str, text: str, line: int, new: str) -> str:
        last = line + new.count("\n")
        count = len(lines_of(text))
        span = (max(1, min(line - AROUND, count)), max(1, min(last + AROUND, count)))
        return f"{path} was edited:\n{numbered(_shown(_bytes(text)), span if count else None)}"


def _needed(arguments: Mapping[str, Any], name: str) -> str:
    value = arguments.get(name)
    if not isinstance(value, str):
        raise Refused(f"{arguments['command']} needs {name}.")
    return value


def _text(content: bytes) -> str:
    return content.decode("utf-8", "surrogateescape")


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def _shown(content: bytes) -> str:
    return content.decode("utf-8", "replace")


def _words(error: bytes) -> str:
    return _shown(error).strip()[:500]
