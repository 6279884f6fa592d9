"""The memory itself: write, retrieve, compress, forget."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from harness.contract import Kit
from strategies import settings
from strategies.memory import duplicates
from strategies.memory.bindings import bindings
from strategies.memory.compression import Compression, compressed
from strategies.memory.forgetting import Forgetting, forget
from strategies.memory.retrieval import Hit, Query, Retrieval, retrieve
from strategies.memory.store import Store
from strategies.memory.unit import Unit
from strategies.memory.vectors import Vectors

CompressAt = Literal["border", "count", "both", "never"]
FRESH = 5  # steps: over the count, newer units stay as they are (the seed's last 5 steps)


@dataclass(frozen=True, slots=True)
class Settings:
    """similar: None = duplicates are not looked for. compress_at: a subtask's end, more than `most` active episodic
    units, either, or never. joined: the events of a subtask are one unit (`chunk: subtask`).
    """

    similar: float | None
    joined: bool
    compress_at: CompressAt
    most: int
    retrieval: Retrieval
    compression: Compression
    forgetting: Forgetting

    def check(self) -> None:
        """Raises ValueError for a setting out of range."""
        settings.one_of("compress_at", self.compress_at, ("border", "count", "both", "never"))
        settings.at_least("most_units", self.most, 2)
        if self.similar is not None and not 0 < self.similar <= 1:
            raise ValueError(f"similar={self.similar!r}: give a cosine above 0, at most 1")
        self.retrieval.check()
        self.compression.check()
        self.forgetting.check()


class Layers:
    """Working, episodic and semantic memory of one agent."""

    def __init__(self, kit: Kit, arrangement: Settings, cache: bool, saved: Mapping[str, Any] | None = None) -> None:
        self.store = Store() if saved is None else Store.load(saved)
        self._kit = kit
        self._settings = arrangement
        self._vectors = Vectors(kit, cache)

    def write(self, drafts: Sequence[Unit]) -> None:
        """Put drafts where they belong."""
        tally, similar = self.store.tally, self._settings.similar
        self._count_conflicts(drafts)
        for draft in drafts:
            tally.writes += 1
            if draft.kind == "goal" and draft.metadata.author is None:
                self._close_goals(draft)
            if self._settings.joined and draft.kind == "event" and self._join(draft):
                continue
            if similar is None or draft.layer == "working":
                self.store.add(draft)
                continue
            _, outcome = duplicates.place(draft, self.store, self._vectors, similar)
            tally.repeats += outcome == "repeat"
            tally.versions += outcome == "version"
            tally.corrections += outcome == "correction"

    def retrieve(self, query: Query) -> list[Hit]:
        return retrieve(query, self.store, self._vectors, self._settings.retrieval)

    def newest(self) -> Mapping[str, str]:
        """The value that each name was given last; nothing where duplicates are not looked for."""
        return self.store.newest() if self._settings.similar is not None else {}

    def compress(self, ended: Sequence[tuple[str, str]], step: int) -> None:
        """What is due: the events of subtasks that ended (name and aim), and old ones where there are too many."""
        how = self._settings
        if how.compress_at in ("border", "both"):
            for subtask, aim in dict(ended).items():
                self._squeeze([u for u in self._events() if u.subtask == subtask], aim, "border")
        if how.compress_at in ("count", "both") and len(self.store.active("episodic")) > how.most:
            old = [unit for unit in self._events() if unit.metadata.until <= step - FRESH]
            self._squeeze(old, "", "count")

    def forget(self, step: int) -> None:
        changed = forget(self.store, step, self._settings.forgetting)
        told = [unit for unit in changed if unit.layer != "working"]
        if told:
            self._kit.event("forget", self._settings.forgetting.retention, _sources(told))

    def _events(self) -> list[Unit]:
        return [unit for unit in self.store.active("episodic") if unit.kind in ("event", "address")]

    def _squeeze(self, units: Sequence[Unit], aim: str, trigger: str) -> None:
        if len(units) < 2:  # one event is no longer than its summary would be
            return
        summary, usable = compressed(units, aim, self._kit, self._settings.compression)
        for unit in units:
            self.store.put(replace(unit, status="compressed"))
        self.store.add(summary)
        self._kit.event("compress", trigger if usable else "fallback", _sources(units))

    def _count_conflicts(self, drafts: Sequence[Unit]) -> None:
        """Names that get another value than they had."""
        if not drafts or self._settings.similar is None:
            return
        known, found = self.store.newest(), list[Unit]()
        for draft in drafts:
            for said in bindings(draft.content) if draft.layer != "working" else ():
                if not said.amount and known.setdefault(said.name, said.value) != said.value:
                    known[said.name] = said.value
                    found.append(draft)
        self.store.tally.conflicts += len(found)
        if found:
            self._kit.event("conflict", "newest wins", _sources(found))

    def _join(self, draft: Unit) -> bool:
        """Add an event to the unit of its subtask, if there is one."""
        for unit in self.store.active("episodic"):
            if unit.kind == "event" and unit.subtask == draft.subtask:
                one, two = unit.metadata, draft.metadata
                joined = replace(
                    one,
                    names=tuple(sorted({*one.names, *two.names})),
                    sources=tuple(dict.fromkeys((*one.sources, *two.sources))),
                    tools=(*one.tools, *two.tools),
                    failed=one.failed or two.failed,
                    until=two.until,
                )
                content = f"{unit.content}\n{draft.content}"
                self.store.put(replace(unit, content=content, version=unit.version + 1, metadata=joined), newest=True)
                return True
        return False

    def _close_goals(self, draft: Unit) -> None:
        """In a chain of instances the task before is done: its goal is kept, but no longer one."""
        for unit in self.store.active("semantic"):
            if unit.kind == "goal" and unit.metadata.author is None and unit.content != draft.content:
                self.store.put(replace(unit, status="archived"))


def _sources(units: Iterable[Unit]) -> list[str]:
    return list(dict.fromkeys(source for unit in units for source in unit.metadata.sources))
