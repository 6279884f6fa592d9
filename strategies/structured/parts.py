"""All that structured eviction keeps for an episode, and its state in JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from harness.contract import History
from strategies.structured.answering import Answering
from strategies.structured.entries import Entry
from strategies.structured.evictor import Evictor
from strategies.structured.graph import Graph
from strategies.structured.inference import Inference
from strategies.structured.intake import Intake
from strategies.structured.links import Links
from strategies.structured.note import Note
from strategies.structured.page import Page
from strategies.structured.prefetch import Prefetch
from strategies.structured.reading import Position, Reading
from strategies.structured.store import Store


@dataclass(slots=True)
class Parts:
    """page_rows: a saved page (refs, whether raw, whether its words are shown), until the history is there."""

    graph: Graph
    links: Links
    reading: Reading
    store: Store
    page: Page
    evictor: Evictor
    intake: Intake
    inference: Inference
    prefetch: Prefetch
    note: Note
    answering: Answering
    page_rows: list[tuple[list[int], bool, bool]] | None = None
    raw: dict[int, Entry] = field(default_factory=dict)  # of a saved page

    def entries(self) -> Mapping[int, Entry]:
        """Every entry, by ref, in the order of the run; fetched copies left out."""
        known = {entry.ref: entry for entry in self.store}
        known |= {item.entry.ref: item.entry for item in self.page.raw if not item.entry.own}
        return dict(sorted(known.items()))

    def dump(self) -> dict[str, Any]:
        items = self.page.items
        return {
            "position": self.reading.at.dump(),
            "graph": self.graph.dump(),
            "links": self.links.dump(),
            "store": self.store.dump(),
            "page": [[[e.ref for e in item.entries], item.raw, bool(item.messages)] for item in items],
            "raw": [item.entry.dump() for item in items if item.raw],
            "gone": list(self.evictor.gone.items()),
            "used": list(self.intake.used.items()),
            "refs": list(self.intake.refs.items()),
            "told": sorted(self.intake.told),
            "weights": self.intake.learning.weights,
            "model": [self.inference.waiting, self.inference.tickets, self.inference.asked],
            "ahead": [self.prefetch.refs, self.prefetch.next, self.prefetch.shown],
        }

    def load(self, state: Mapping[str, Any], session: int) -> None:
        """Go on where it was saved; in another session all that was in view is stored, and the history is a new one."""
        self.reading.at = Position(**state["position"])
        self.graph.load(state["graph"])
        self.links.load(state["links"])
        self.store.load(state["store"])
        self.evictor.gone.update({ref: (step, reason) for ref, (step, reason) in state["gone"]})
        self.intake.used, self.intake.refs = dict(state["used"]), dict(state["refs"])
        self.intake.told, self.intake.learning.weights = set(state["told"]), dict(state["weights"])
        self.raw = {row["ref"]: Entry.load(row) for row in state["raw"]}
        if self.reading.at.session == session:
            self.page_rows = state["page"]
            self.inference.waiting, self.inference.tickets, self.inference.asked = state["model"]
            self.prefetch.refs, self.prefetch.next, self.prefetch.shown = state["ahead"]
        else:
            self._begin(session)
        self.note.earlier = [entry for entry in self.store if entry.session < session]

    def restore(self, history: History) -> None:
        """Build the saved page from a history that has its messages."""
        rows, self.page_rows = self.page_rows, None
        for refs, raw, shown in rows or ():
            if raw:
                entry = self.raw[refs[0]]
                self.page.append(entry, history[entry.start : entry.start + len(entry.ids)])
            else:
                found = [self.store.get(ref) for ref in refs]
                self.page.append_line([entry for entry in found if entry is not None], shown)

    def _begin(self, session: int) -> None:
        at = self.reading.at
        for entry in self.raw.values():
            if not entry.own:
                self.store.add(entry)
                self.evictor.gone[entry.ref] = (at.step, "session")
        self.links.ended()
        self.reading.at = Position(
            session, at.base + at.read, refs=at.refs, step=at.step, part=at.part + 1, began=at.step
        )
