"""A task's salt: never written down, known again by its fingerprint."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

VARIABLE = "LONGHAUL_SALT"


class SaltMissing(Exception):
    """Salted instances cannot be built anew; the message names the fingerprint and the remedy."""


def fingerprint(salt: str) -> str:
    """What may be written of a salt: the first eight digits of its SHA-256."""
    return f"sha256:{hashlib.sha256(salt.encode()).hexdigest()[:8]}"


def public(config: Mapping[str, Any]) -> dict[str, Any]:
    """The settings as they may be written down, with the fingerprint in place of the salt."""
    if (salt := salt_of(config)) is None:
        return dict(config)
    return _salted(config, fingerprint(salt))


def private(config: Mapping[str, Any], environment: Mapping[str, str]) -> dict[str, Any]:
    """Written settings with the salt put back. Raises SaltMissing where the environment has not the one they name."""
    if (written := salt_of(config)) is None:
        return dict(config)
    salt = environment.get(VARIABLE)
    if salt is None or fingerprint(salt) != written:
        found = "is not set" if salt is None else f"is another one ({fingerprint(salt)})"
        raise SaltMissing(f"played with the salt {written}, but {VARIABLE} {found}: set {VARIABLE} to that salt")
    return _salted(config, salt)


def salt_of(config: Mapping[str, Any]) -> str | None:
    """That of the task, or of the task that it is made of (a chain)."""
    task = config.get("task")
    if not isinstance(task, Mapping):
        return None
    return str(task["salt"]) if task.get("salt") is not None else salt_of(task)


def _salted(config: Mapping[str, Any], salt: str) -> dict[str, Any]:
    task = config["task"]
    own = {**task, "salt": salt} if task.get("salt") is not None else _salted(task, salt)
    return {**config, "task": own}
