"""The units of one agent in one episode, and what is counted about them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from strategies.memory.bindings import bindings
from strategies.memory.unit import Layer, Unit, from_json, to_json


@dataclass(slots=True)
class Tally:
    """writes: units that were offered. repeats: already there, nothing done. versions: same fact, other words.

    conflicts: a name was given another value; both stay in the store with their sources, the newest wins.
    corrections: those of them in which a unit superseded another one.
    """

    writes: int = 0
    repeats: int = 0
    versions: int = 0
    corrections: int = 0
    conflicts: int = 0


class Store:
    """Units in the order in which they were last written: the newest word comes last."""

    def __init__(self) -> None:
        self._units: dict[str, Unit] = {}
        self._next = 1
        self._often: Counter[str] = Counter()  # name -> active units that have it
        self.tally = Tally()

    def __iter__(self) -> Iterator[Unit]:
        return iter(self._units.values())

    def __len__(self) -> int:
        return len(self._units)

    def get(self, name: str) -> Unit | None:
        return self._units.get(name)

    def active(self, *layers: Layer) -> list[Unit]:
        """The active units of some layers; of all without one."""
        return [u for u in self if u.status == "active" and (not layers or u.layer in layers)]

    def add(self, draft: Unit) -> Unit:
        """A new unit from one without an id."""
        unit = replace(draft, id=f"u{self._next}")
        self._next += 1
        self._units[unit.id] = unit
        self._count(unit, +1)
        return unit

    def put(self, unit: Unit, newest: bool = False) -> None:
        """Another form of a unit; `newest`: as if it had been written now."""
        self._count(self._units[unit.id], -1)
        if newest:
            del self._units[unit.id]
        self._units[unit.id] = unit
        self._count(unit, +1)

    def remove(self, unit: Unit) -> None:
        self._count(self._units.pop(unit.id), -1)

    def telling(self, names: Iterable[str], share: float) -> frozenset[str]:
        """Those of the names that not more than a share of the active units have: others tell nothing apart."""
        most = max(1.0, share * sum(u.status == "active" for u in self))
        return frozenset(name for name in names if 0 < self._often[name] <= most)

    def newest(self) -> dict[str, str]:
        """The value that each name was given last. Figures are left out: they may be a series."""
        found: dict[str, str] = {}
        for unit in self:
            if unit.kind not in ("progress", "reasoning"):
                found.update((one.name, one.value) for one in bindings(unit.content) if not one.amount)
        return found

    def without_sources(self) -> None:
        """Another history begins: its ids mean other messages."""
        for unit in list(self):
            self.put(replace(unit, metadata=replace(unit.metadata, sources=())))

    def dump(self) -> Mapping[str, Any]:
        tally = self.tally
        return {
            "units": [to_json(unit) for unit in self],
            "next": self._next,
            "tally": [tally.writes, tally.repeats, tally.versions, tally.corrections, tally.conflicts],
        }

    @classmethod
    def load(cls, saved: Mapping[str, Any]) -> Store:
        store = cls()
        for row in saved["units"]:
            unit = from_json(row)
            store._units[unit.id] = unit
            store._count(unit, +1)
        store._next = saved["next"]
        store.tally = Tally(*saved["tally"])
        return store

    def _count(self, unit: Unit, sign: int) -> None:
        if unit.status == "active":
            self._often.update(dict.fromkeys(unit.metadata.names, sign))
