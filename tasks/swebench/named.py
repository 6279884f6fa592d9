"""Which files of a repository an action names."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Any

_WORD = re.compile(r"[\w./+@-]+")


def files(arguments: Mapping[str, Any], folder: str, known: Collection[str]) -> list[str]:
    """The known files among the words of a command or path, sorted. A name below another folder than the repository's
    own, where the shell has gone, is not recognised.
    """
    text = str(arguments.get("command", "")) + " " + str(arguments.get("path", ""))
    words = (word.removeprefix(folder.rstrip("/") + "/").removeprefix("./") for word in _WORD.findall(text))
    return sorted({word for word in words if word in known})
