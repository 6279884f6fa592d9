"""Settings as words of a command line: key=value."""

from __future__ import annotations

from collections.abc import Sequence


class Usage(Exception):
    """What to print instead of running: how the command is used, or which word is no setting."""


def settings(words: Sequence[str], usage: str | None) -> dict[str, str]:
    """Raises Usage for a word without "=", with the usage where that word asks for it."""
    if wrong := [word for word in words if "=" not in word]:
        raise Usage(usage if wrong[0] in ("-h", "--help") else f"{wrong[0]!r} is no setting: write key=value")
    return dict(word.partition("=")[::2] for word in words)
