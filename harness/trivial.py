"""Names that say nothing of where the agent learnt them: the language's own, and files that every repository has."""

from __future__ import annotations

import builtins
import keyword
import re
import sys

SHORTEST = 4  # characters

# Files at hand by name alone in any repository; under a folder they are paths like any other.
FILES = frozenset(
    {"__init__.py", "__main__.py", "conftest.py", "setup.py", "setup.cfg", "pyproject.toml", "tox.ini", "pytest.ini"}
    | {"requirements.txt", "MANIFEST.in", "README.md", "README.rst", "README.txt", "CHANGELOG.md", "CHANGES.rst"}
    | {"LICENSE.txt", "package.json"}
)

# The modules that left the standard library in 3.12 and 3.13 are named, so that every interpreter finds the same needs.
_GONE = (
    {
        "aifc",
        "asynchat",
        "asyncore",
        "audioop",
        "cgi",
        "cgitb",
        "chunk",
        "crypt",
        "distutils",
        "imghdr",
        "imp",
        "lib2to3",
    }
    | {"mailcap", "msilib", "nis", "nntplib", "ossaudiodev", "pipes", "smtpd", "sndhdr", "spwd", "sunau", "telnetlib"}
    | {"uu", "xdrlib"}
)
_MODULES = frozenset(sys.stdlib_module_names) | _GONE
_LANGUAGE = frozenset(keyword.kwlist) | frozenset(keyword.softkwlist) | frozenset(dir(builtins))
_DUNDER = re.compile(r"__\w+__")


def is_trivial_name(name: str) -> bool:
    """Whether a name, dotted or not, is short, the language's own, a dunder, or of the standard library."""
    first = name.partition(".")[0]
    return len(name) < SHORTEST or name in _LANGUAGE or first in _MODULES or _DUNDER.fullmatch(name) is not None


def is_trivial_path(path: str) -> bool:
    """Whether a path is short, or a bare file name that every repository has."""
    return len(path) < SHORTEST or path in FILES
