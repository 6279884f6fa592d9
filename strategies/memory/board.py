"""Results that agents share: one record for each thing that they tell of, merged field by field.

Writes come one at a time, each over the version that its writer knew. The newest word on a field wins; a write over a
version that its writer had not seen is a conflict, and loses no field of the other's.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from harness.contract import Kit
from strategies.memory.bindings import Binding

GOAL = "goal"
RULE = "rule/"  # a goal or constraint that the user gave to one agent
RESULT = "result/"


@dataclass(frozen=True, slots=True)
class Told:
    """What another agent shared since the last look. of: the thing, or "" for a rule."""

    key: str
    author: str
    of: str
    text: str


class Board:
    """`seen`: the version of each key that this agent knows."""

    def __init__(self, kit: Kit, agent: str | None, seen: Mapping[str, int] | None = None) -> None:
        self._kit = kit
        self._agent = agent
        self.seen: dict[str, int] = dict(seen or {})

    def look(self) -> list[Told]:
        """What others wrote or changed since the last look."""
        found = []
        keys = self._kit.shared.keys()
        for key in keys:
            entry = self._kit.shared.get(key)
            if entry is None or self.seen.get(key, 0) == entry.version:
                continue
            self.seen[key] = entry.version
            if entry.author != self._agent:
                of = key.removeprefix(RESULT) if key.startswith(RESULT) else ""
                text = _line(of, json.loads(entry.value)) if of else entry.value
                found.append(Told(key, entry.author or "another agent", of, text))
        return found

    def say(self, key: str, text: str) -> None:
        """Share a text once: what stands there already is left."""
        held = self._kit.shared.get(key)
        if held is None:
            self._put(key, text)

    def merge(self, said: Iterable[Binding], sources: Iterable[str]) -> None:
        """Write values into the records of their things: known fields are renewed, the others stay."""
        records: dict[str, dict[str, str]] = {}
        for one in said:
            of, _, name = one.name.rpartition("/")
            records.setdefault(of, {})[name] = one.value
        for of, fields in records.items():
            key = RESULT + of
            held = self._kit.shared.get(key)
            known = json.loads(held.value) if held is not None else {}
            if known | fields == known:
                continue
            if self._put(key, json.dumps(known | fields, ensure_ascii=False)):
                self._kit.event("conflict", of, list(sources))

    def _put(self, key: str, value: str) -> bool:
        """Write over the version that is known here; whether that was a conflict."""
        entry = self._kit.shared.put(key, value, self.seen.get(key, 0))
        self.seen[key] = entry.version
        return entry.conflict


def _line(of: str, fields: Mapping[str, Any]) -> str:
    """A record as statements, one a line."""
    return "\n".join(f"{of}/{name} = {value}" for name, value in fields.items())
