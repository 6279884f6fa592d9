"""Bringing entries back unasked: those that the newest text depends on in the graph."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping

from harness.contract import Message
from strategies.made import user_message
from strategies.structured.graph import SAFETY, Graph
from strategies.structured.store import Store

SHARE = 0.25  # of the room that fetched text may take (ours)


class Prefetch:
    """most: entries, 0 = none. beside: the graph is searched while the agent works, so that what it finds comes one
    view later; else before the view, which waits for it.
    """

    def __init__(self, most: int, beside: bool) -> None:
        self.refs: list[int] = []  # that stand in the present view
        self.next: list[int] = []  # found for the next one
        self.shown = False
        self._most = most
        self._beside = beside

    def look(self, newest: Iterable[int], graph: Graph, refs: Mapping[int, int], gone: Collection[int]) -> None:
        """newest: nodes of the newest text. Only what it needs for sure is brought back, newer entries first."""
        sources = ((s, weight) for node in newest for s, weight in graph.sources(node).items())
        needed = {refs.get(source, 0) for source, weight in sources if weight >= SAFETY}
        found = sorted((ref for ref in needed if ref in gone), reverse=True)[: self._most]
        self.refs, self.next = (self.next, found) if self._beside else (found, found)

    def messages(self, store: Store, session: int, room: int, size: Callable[[Message], int]) -> list[Message]:
        """Whole entries of this history, as far as they fit their share, in its order: the newest word comes last."""
        found: dict[int, Message] = {}
        left = int(SHARE * room)
        for ref in self.refs:
            entry = store.get(ref)
            if entry is None or entry.session != session:
                continue
            text = f"[{entry.handle}, step {entry.step}, brought back]\n{entry.text}"
            message = user_message("brought", text, entry.ids)
            if size(message) <= left:
                found[ref] = message
                left -= size(message)
        return [found[ref] for ref in sorted(found)]
