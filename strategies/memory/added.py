"""What memory adds to the view of a turn, and the events that say when it changed."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Literal

from harness.contract import Kit, Message
from strategies.memory import page
from strategies.memory.layers import Layers
from strategies.memory.reading import Position
from strategies.memory.retrieval import EXEMPT, Hit, Query
from strategies.memory.statements import names, statements
from strategies.memory.unit import Unit

Made = tuple[Message, ...]
LookBack = Literal["follow", "tool", "off"]


@dataclass(frozen=True, slots=True)
class Added:
    """standing: goals and constraints. now: open subtask, last steps. recalled: what memory found."""

    standing: Made = ()
    now: Made = ()
    recalled: Made = ()

    def placed(self, place: Literal["tail", "front"]) -> tuple[Made, Made]:
        """Directly after the task message; after everything else."""
        if place == "front":
            return (*self.standing, *self.recalled), self.now
        return self.standing, (*self.now, *self.recalled)


class Additions:
    """Makes the messages. last_steps: steps shown in a line where their messages are no longer in view. look_back: how
    what a summary stands for comes back: with the summary, as far as it names what is asked (follow), by a tool, never.
    """

    def __init__(self, kit: Kit, layers: Layers, last_steps: int, look_back: LookBack) -> None:
        self._kit = kit
        self._layers = layers
        self._last_steps = last_steps
        self._look_back = look_back
        self._before = Added()

    def standing(self, shown: Collection[str], task: str, room: int, most: int) -> tuple[Made, frozenset[str]]:
        """Goals and constraints, in up to `most` tokens, and preferences as far as there is room; none that is in view
        anyway. With the ids of the units that are listed."""
        units = [unit for unit in self._layers.store.active("semantic") if not _shown(unit, shown)]
        units = [unit for unit in units if unit.kind != "record"]
        binding = [unit for unit in units if unit.kind in EXEMPT]
        others = [unit for unit in units if unit.kind not in EXEMPT]
        made, listed = page.standing([*others, *binding], room, self._kit.count, task)  # the first ones give way first
        if len(listed) < len(binding):
            made, listed = page.standing(binding, most, self._kit.count, task)
        return made, frozenset(unit.id for unit in listed)

    def now(self, at: Position, shown: Collection[str], task: str, room: int) -> Made:
        steps = [unit for unit in self._layers.store.active("working") if unit.kind == "progress"]
        last = [unit for unit in steps if unit.created > at.step - self._last_steps and not _shown(unit, shown)]
        return page.now(at, last, room, self._kit.count, task)

    def recalled(self, text: str, step: int, shown: Collection[str], task: str, room: int) -> Made:
        found = [(hit, self._followed(hit)) for hit in self._layers.retrieve(Query(text, names(text), step, shown))]
        newest = self._layers.newest() if found else {}
        return page.recalled(found, newest, room, self._kit.count, task, self._look_back == "tool")

    def _followed(self, hit: Hit) -> list[str]:
        """The statements behind a summary that share a name with what is asked; of what has faded further, none."""
        if self._look_back != "follow" or hit.unit.level != "summary":
            return []
        told = [one for one in map(self._layers.store.get, hit.unit.metadata.originals) if one is not None]
        return [line for unit in told for line in statements(unit.content) if hit.about & names(line)]

    def original(self, name: str, order: str, task: str, room: int) -> Message | None:
        """What a unit stands for, what the order names first; None where there is no such unit."""
        store = self._layers.store
        unit = store.get(name)
        if unit is None:
            return None
        told = [one for one in map(store.get, unit.metadata.originals) if one is not None] or [unit]
        return page.original(told, names(order), room, self._kit.count, task)

    def note(self, added: Added, place: Literal["tail", "front"]) -> None:
        """Events for what makes this view differ from the one before: `write` for what stands, `retrieve` for the rest,
        which moves with every turn. They name what came and what went."""
        old, self._before = self._before, added
        if added.standing != old.standing:
            self._kit.event("write", "standing", _sources((*old.standing, *added.standing)))
        volatile = (*old.now, *old.recalled, *added.now, *added.recalled)
        if volatile:
            self._kit.event("retrieve", place, _sources(volatile))


def _shown(unit: Unit, shown: Collection[str]) -> bool:
    sources = unit.metadata.sources
    return bool(sources) and all(source in shown for source in sources)


def _sources(messages: Iterable[Message]) -> list[str]:
    return list(dict.fromkeys(source for message in messages for source in message.sources))
