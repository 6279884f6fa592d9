"""The values that an action names: paths, identifiers, error names, quoted phrases (docs/needs.md).

Only the action is taken apart; whether and where a value was seen before is `harness.needs`' business.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from harness.trivial import is_trivial_name, is_trivial_path

Kind = Literal["path", "identifier", "error", "phrase"]

LONGEST_PHRASE = 80  # characters
_LONGEST_PART = 8  # names in a row: longer parts of a dotted name are not looked for
PREFIXES = ("/testbed/", "/repo/")

# Extensions that attributes seldom have: elsewhere (`np.log`) a dotted name is read as an identifier.
_EXTENSIONS = frozenset(
    {"bat", "bib", "cc", "cfg", "cff", "conf", "cpp", "cs", "css", "csv", "diff", "hpp", "htm", "html", "ini", "ipynb"}
    | {"java", "jpg", "js", "json", "jsonl", "jsx", "md", "mjs", "parquet", "patch", "php", "png", "po", "pot", "proto"}
    | {"py", "pyc", "pyi", "pyx", "rb", "rej", "rs", "rst", "scala", "scss", "sh", "so", "sql", "sqlite", "svg", "tex"}
    | {"toml", "traj", "ts", "tsv", "tsx", "txt", "vue", "whl", "xhtml", "xml", "yaml", "yml"}
)
_ESCAPE = re.compile(r"\\[abBdDefnrsStvwW]")
_WORD = re.compile(r"[\w.+/\-]+")
_NAME = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*")
_SPLIT_HUMP = re.compile(r"[a-z0-9][A-Z]|[A-Z]{2}[a-z]{2}")
_ERROR = re.compile(r"\w*(?:Error|Exception|Warning)")
_WORKSPACE = re.compile(r"/workspace/[^/]+/")
_SUBSTITUTION = re.compile(r"(?:\d*[,\d$]*)s/")
_ADDRESS = re.compile(r"/?[^/]*/[pdq=]?")
_QUOTED = (re.compile(r'"([^"\n]*)"'), re.compile(r"'([^'\n]*)'"))


@dataclass(frozen=True, slots=True)
class Value:
    """A value of an action. parts: what counts instead of a dotted name that was never seen whole, longest first."""

    text: str
    kind: Kind
    parts: tuple[Value, ...] = ()


def action_text(arguments: Mapping[str, Any]) -> str:
    """What a call executes: the texts among its arguments, one below the other, without their names."""
    return "\n".join(_texts(arguments))


def values(action: str, prefixes: Sequence[str] = PREFIXES) -> list[Value]:
    """The values of an action, each once, in their order: first the names and paths, then the quoted phrases.

    Linear in the length of the action. prefixes: folders of the repository, which a path is written without.
    """
    found: dict[str, Value] = {}
    for match in _WORD.finditer(_ESCAPE.sub(" ", action).replace("\\.", ".")):
        for value in _word_values(match.group(), prefixes):
            found.setdefault(value.text, value)
    for phrase in _phrases(action):
        found.setdefault(phrase, Value(phrase, "phrase"))
    return list(found.values())


def is_identifier(name: str) -> bool:
    """Dotted, underscored, of two humps, or an error's name."""
    return "." in name or "_" in name or _SPLIT_HUMP.search(name) is not None or _is_error(name)


def _word_values(word: str, prefixes: Sequence[str]) -> Iterator[Value]:
    if _SUBSTITUTION.match(word) or _ADDRESS.fullmatch(word):  # sed: here the slash parts patterns, not folders
        for piece in word.split("/"):
            yield from _names(piece)
        return
    path = _stripped(word, prefixes)
    if "/" in path.strip("/") or _is_file(path):
        if not is_trivial_path(path) and re.search(r"[A-Za-z]", path):
            yield Value(path, "path")
        return
    yield from _names(path)


def _stripped(word: str, prefixes: Sequence[str]) -> str:
    """The path without its repository's prefix, a diff's a/ and b/, ./ at the start, / and dots at the end."""
    path = word.lstrip("+-").rstrip("./-+")
    if path.startswith("//"):  # what is left of an address
        return path.lstrip("/")
    workspace = _WORKSPACE.match(path)
    starts = (*(prefix.rstrip("/") + "/" for prefix in prefixes), *([workspace.group()] if workspace else []))
    path = next((path[len(start) :] for start in starts if path.startswith(start)), path)
    if path.startswith(("a/", "b/")):
        path = path[2:]
    while path.startswith("./"):
        path = path[2:].lstrip("/")
    return path


def _is_file(path: str) -> bool:
    stem, _, extension = path.rpartition("/")[2].rpartition(".")
    return stem.strip(".") != "" and extension.lower() in _EXTENSIONS


def _names(text: str) -> Iterator[Value]:
    for match in _NAME.finditer(text):
        name = match.group()
        if not is_identifier(name) or is_trivial_name(name):
            continue
        yield Value(name, _kind(name), tuple(_parts(name)))


def _parts(name: str) -> Iterator[Value]:
    """Shorter runs of a dotted name that are identifiers themselves, longest first."""
    pieces = name.split(".")
    for length in range(min(len(pieces) - 1, _LONGEST_PART), 0, -1):
        for start in range(len(pieces) - length + 1):
            part = ".".join(pieces[start : start + length])
            if is_identifier(part) and not is_trivial_name(part):
                yield Value(part, _kind(part))


def _kind(name: str) -> Kind:
    return "error" if _is_error(name) else "identifier"


def _is_error(name: str) -> bool:
    return _ERROR.fullmatch(name.rpartition(".")[2]) is not None


def _phrases(action: str) -> Iterator[str]:
    for pattern in _QUOTED:
        for match in pattern.finditer(action):
            phrase = match.group(1).strip()
            words = [word for word in phrase.split() if re.search(r"\w", word)]
            if len(words) > 1 and len(phrase) <= LONGEST_PHRASE:
                yield phrase


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from _texts(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _texts(item)
