"""How far two sequences begin alike."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


def common(a: Sequence[Any], b: Sequence[Any]) -> int:
    """The number of items that both begin with."""
    differing = (n for n, (old, new) in enumerate(zip(a, b, strict=False)) if old is not new and old != new)
    return next(differing, min(len(a), len(b)))
