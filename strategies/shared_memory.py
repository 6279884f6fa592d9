"""Several agents, each with a hierarchical memory of its own, and a memory that they share."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from harness.contract import Brief, Call, History, Kit, Message, Tool
from strategies import settings
from strategies.hierarchical import Hierarchical
from strategies.made import digest
from strategies.memory.bindings import Binding, binding
from strategies.memory.board import GOAL, RULE, Board, Told
from strategies.memory.statements import names, sentences
from strategies.memory.unit import Kind, Metadata, Unit
from strategies.memory.writing import classify
from strategies.overflow import Overflow

Share = Literal["turn", "subtask", "off"]
SHARED = ("goal", "constraint")
RECORD: Kind = "record"
CONSTRAINT: Kind = "constraint"
OTHERS_GOAL: Kind = "goal"


class SharedMemory:
    """The goal is shared, the process is private, results are merged as structured records.

    Shared: the task's goal and the user's rules, which all agents then have forced into their views; and results: the
    values that an agent gave in an action, under the names that its order asked for, one record a thing. Not shared:
    what an agent was told and did not use, calls, thoughts, decisions, events. What another agent shared becomes a unit
    of one's own memory, with its author, and is retrieved like others.

    results: when results are written: after each turn; at a subtask's end (the seed); never. An agent is not told that
    it hands over, so with `subtask` the last results of its turn come only when it acts again.
    rules: share goals and constraints.
    injection, place, look_back, ratio, low_water, overflow: as in `hierarchical`, whose other defaults hold here too.

    Source: the seed document on hierarchical memory, section 3.4: goal shared, process isolated, results merged; writes
    one at a time, with versions, the newest wins, conflicts logged.
    """

    _own: Hierarchical
    _board: Board
    _brief: Brief

    def __init__(
        self,
        results: Share = "turn",
        rules: bool = True,
        injection: bool = True,
        place: Literal["tail", "front"] = "tail",
        look_back: Literal["follow", "tool", "off"] = "follow",
        ratio: float = 20,
        low_water: float = 0.7,
        overflow: Overflow = "window",
    ) -> None:
        self.results = results
        self.rules = rules
        self.injection = injection
        self.place = place
        self.look_back = look_back
        self.ratio = ratio
        self.low_water = low_water
        self.overflow = overflow

    def reset(self, kit: Kit, brief: Brief, saved: bytes | None = None) -> None:
        """Raises ValueError for settings out of range."""
        settings.one_of("results", self.results, ("turn", "subtask", "off"))
        self._own = Hierarchical(
            injection=self.injection,
            place=self.place,
            look_back=self.look_back,
            ratio=self.ratio,
            low_water=self.low_water,
            overflow=self.overflow,
        )
        state = json.loads(saved) if saved is not None else {}
        self._own.reset(kit, brief, state["own"].encode() if state else None)
        self._brief = brief
        self._board = Board(kit, brief.agent, state.get("seen"))
        self._written = state.get("written", 0)
        self._done = state.get("done", 0)

    def compose(self, history: History, budget: int) -> Sequence[Message]:
        self._own.read(history)
        self._share()
        for told in self._board.look():
            self._learn(told)
        return self._own.compose(history, budget)

    def export(self) -> bytes:
        state = {"seen": self._board.seen, "written": self._written, "done": self._done}
        return json.dumps({**state, "own": self._own.export().decode()}, ensure_ascii=False, sort_keys=True).encode()

    @property
    def tools(self) -> tuple[Tool, ...]:
        return self._own.tools

    def answer(self, call: Call) -> Message:
        return self._own.answer(call)

    def calls_in(self, text: str) -> Sequence[Call]:
        return self._own.calls_in(text)

    def find(self, key: str) -> Sequence[Message]:
        return self._own.find(key)

    # ------------------------------------------------------------ what is shared

    def _share(self) -> None:
        """Write the rules and results among what is new since the last time."""
        at, store = self._own.reading.at, self._own.layers.store
        if self.results == "subtask" and at.done == self._done:
            return
        new = sorted((u for u in store if u.number > self._written), key=lambda unit: unit.number)
        self._written, self._done = max((unit.number for unit in new), default=self._written), at.done
        for unit in new:
            if unit.metadata.author is not None:
                continue
            if unit.kind == "goal":
                self._share_goal(unit)
            elif self.rules and unit.layer == "semantic" and classify(unit.content, "user") in SHARED:
                self._board.say(RULE + digest(unit.content, ()), unit.content)
            elif self.results != "off" and unit.kind == "progress":
                self._board.merge(self._used(unit), unit.metadata.sources)

    def _used(self, progress: Unit) -> list[Binding]:
        """The values that an action gave, under the names that its order asked for."""
        action = progress.content.partition(" -> ")[0]
        known = self._own.layers.store.newest().items()
        found = [Binding(name, value, False) for name, value in known if value in action]
        return [one for one in found if one.name.rpartition("/")[0] in progress.metadata.names]

    def _share_goal(self, unit: Unit) -> None:
        """What is said of the agent itself is its own."""
        if self.rules:
            agent = self._brief.agent
            said = [line for line in sentences(unit.content) if agent is None or agent not in line]
            self._board.say(GOAL, "\n".join(said))

    def _learn(self, told: Told) -> None:
        """Make what another agent shared a unit of one's own memory, as far as it is news; a record takes the place of
        its last version."""
        text, kind = told.text, CONSTRAINT
        if told.key == GOAL:
            text, kind = "\n".join(line for line in sentences(text) if line not in self._brief.task), OTHERS_GOAL
        elif told.of:
            known = self._own.layers.newest()
            lines = [(line, binding(line)) for line in text.split("\n")]
            text = "\n".join(line for line, said in lines if said is None or known.get(said.name) != said.value)
            kind = RECORD
        if not text:
            return
        memory, step = self._own.layers, self._own.reading.at.step
        for unit in memory.store.active("semantic") if told.of else ():
            if unit.kind == RECORD and unit.content.startswith(f"{told.of}/"):
                memory.store.put(replace(unit, status="archived"))
        found = Metadata(tuple(sorted(names(text))), until=step, author=told.author)
        memory.write([Unit("", "semantic", kind, text, created=step, metadata=found)])
