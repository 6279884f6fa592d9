"""What became of the calls of a group: slots/ID.json in the folder of its cell, ID being its first instance."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from harness.serving.world import STANDING, World


@dataclass(frozen=True, slots=True)
class Served:
    """One call; all times in simulated seconds. standing: the agent stood still for it. seconds: of its answer, once it
    had a slot. started: None where its episode ended before there was one.
    """

    owner: str
    standing: bool
    seconds: float
    asked: float
    started: float | None


@dataclass(frozen=True, slots=True)
class Log:
    """ends: of the episodes, by instance. calls: in the order of asking."""

    slots: int
    ends: dict[str, float]
    calls: tuple[Served, ...]


def path(folder: Path, first: str) -> Path:
    return folder / "slots" / f"{first}.json"


def of(world: World) -> dict[str, Any]:
    calls = [
        Served(call.owner, call.priority == STANDING, call.seconds, call.at, world.slots.started.get(ticket))
        for ticket, call in enumerate(world.calls)
    ]
    return asdict(Log(world.rates.slots, world.ends, tuple(calls)))


def load(file: Path) -> Log:
    found = json.loads(file.read_text())
    return Log(found["slots"], found["ends"], tuple(Served(**call) for call in found["calls"]))
