"""The board of a team: results that its agents have reported, merged key by key."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from harness.contract import Event


@dataclass(frozen=True, slots=True)
class Entry:
    key: str
    value: str
    agent: str
    step: int


class Board:
    """Holds the newest value of each key. Writes come in the order of the steps."""

    def __init__(self) -> None:
        self.entries: dict[str, Entry] = {}

    def merge(self, agent: str, step: int, record: Mapping[str, str]) -> list[Event]:
        """Take a record over. Where another agent wrote another value the newest wins, and a conflict is recorded."""
        events = [Event("merged", {"step": step, "agent": agent, "keys": list(record)})]
        for key, value in record.items():
            old = self.entries.get(key)
            if old is not None and old.agent != agent and old.value != value:
                detail = {"step": step, "key": key, "agents": [old.agent, agent], "kept": value, "dropped": old.value}
                events.append(Event("conflict", detail))
            if old is None or old.value != value:
                self.entries.pop(key, None)  # the newest stands last
                self.entries[key] = Entry(key, value, agent, step)
        return events

    def news(self, agent: str, since: int) -> list[Entry]:
        """What others wrote after step `since` and still stands, oldest first."""
        return [e for e in self.entries.values() if e.agent != agent and e.step > since]
