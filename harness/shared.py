"""What the agents of one episode share: versioned entries. Writes come one at a time, the newest wins."""

from __future__ import annotations

from collections.abc import Mapping

from harness.contract import Entry

Entries = dict[str, Entry]


class SharedStore:
    """A `contract.Shared`, as one agent sees it. `entries` is the episode's own."""

    def __init__(self, entries: Entries, agent: str | None) -> None:
        self._entries = entries
        self._agent = agent

    def keys(self) -> tuple[str, ...]:
        return tuple(self._entries)

    def get(self, key: str) -> Entry | None:
        return self._entries.get(key)

    def put(self, key: str, value: str, base: int) -> Entry:
        held = self._entries.get(key)
        version = held.version if held is not None else 0
        entry = self._entries[key] = Entry(value, version + 1, self._agent, base != version)
        return entry


def snapshot(entries: Mapping[str, Entry]) -> Entries:
    """A copy for a fork: entries are frozen, so that a flat one is enough."""
    return dict(entries)
