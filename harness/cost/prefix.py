"""All prefixes that an endpoint was sent, as a tree of pieces: the same start of two requests is the same path.

A piece is a message, or the tool schemas in front of them: what it is (a digest of what is sent) and its tokens. A
request costs as many steps as it has pieces; token ids are not needed.
"""

from __future__ import annotations

from collections.abc import Sequence

Piece = tuple[str, int]


class Prefixes:
    """lifetime: seconds, calls: requests, that a prefix outlives its last use; None = for good."""

    def __init__(self, lifetime: float | None = None, calls: int | None = None) -> None:
        self._lifetime = lifetime
        self._calls = calls
        self._next: dict[tuple[int, str], int] = {}
        self._sent = [0]  # by node: requests that began so and are still remembered
        self._last: list[tuple[float | None, int]] = [(None, 0)]  # by node: when it was used last, in seconds and calls
        self._number = 0

    def send(self, pieces: Sequence[Piece], at: float | None = None) -> tuple[list[int], int]:
        """For each piece, how many remembered requests began like this one up to there (never rising along it); and the
        tokens that any earlier request began with, remembered or not. at: seconds, rising; None = no clock."""
        self._number += 1
        node, ideal, counts = 0, 0, []
        for key, tokens in pieces:
            child = self._next.get((node, key))
            if child is None:
                child = self._next[node, key] = len(self._sent)
                self._sent.append(0)
                self._last.append((None, 0))
            else:
                ideal += tokens
                if self._forgotten(child, at):
                    self._sent[child] = 0
            counts.append(self._sent[child])
            self._sent[child] += 1
            self._last[child] = at, self._number
            node = child
        return counts, ideal

    def _forgotten(self, node: int, at: float | None) -> bool:
        then, number = self._last[node]
        if self._calls is not None and self._number - number > self._calls:
            return True
        return self._lifetime is not None and at is not None and then is not None and at - then > self._lifetime
