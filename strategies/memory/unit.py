"""What a layered memory holds: units.

Source of the fields: the seed's memory unit (id, type, content, subtask, status, version, time, metadata).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Literal

Layer = Literal["working", "episodic", "semantic"]
Status = Literal["active", "compressed", "archived"]
Kind = Literal[
    "goal", "constraint", "preference", "decision", "event", "address", "summary", "record", "progress", "reasoning"
]
Level = Literal["whole", "summary", "points", "tag"]


@dataclass(frozen=True, slots=True)
class Metadata:
    """What a unit is filtered by, without a vector.

    names: the id-like strings of all that it stands for, also where its text no longer holds them.
    sources: ids of the history messages that it was made from; () = from an earlier session or another agent.
    tools: the tools whose answers it is. failed: an answer reported an error. until: the last step that it covers.
    originals: ids of the units that a summary stands for. former: what it replaced, oldest first: (step, content).
    """

    names: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()
    failed: bool = False
    until: int = 0
    originals: tuple[str, ...] = ()
    former: tuple[tuple[int, str], ...] = ()
    author: str | None = None


@dataclass(frozen=True, slots=True)
class Unit:
    """One memory. created: the step in which it was told. level: how far it was shortened.

    Its embedding is a function of the content and is kept by `Vectors`, not here.
    """

    id: str
    layer: Layer
    kind: Kind
    content: str
    subtask: str | None = None
    status: Status = "active"
    version: int = 1
    created: int = 0
    level: Level = "whole"
    metadata: Metadata = Metadata()

    @property
    def number(self) -> int:
        return int(self.id[1:])


_UNIT = tuple(field.name for field in fields(Unit))
_METADATA = tuple(field.name for field in fields(Metadata))


def to_json(unit: Unit) -> dict[str, Any]:
    row = {name: getattr(unit, name) for name in _UNIT}
    row["metadata"] = {name: getattr(unit.metadata, name) for name in _METADATA}
    return row


def from_json(row: Mapping[str, Any]) -> Unit:
    found = dict(row["metadata"])
    for name in ("names", "sources", "tools", "originals"):
        found[name] = tuple(found[name])
    found["former"] = tuple((step, content) for step, content in found["former"])
    return Unit(**{**row, "metadata": Metadata(**found)})
