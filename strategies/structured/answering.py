"""What the tools say: an entry, the list of a range, or statements that a search found."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from harness.contract import Call, Message
from strategies.structured import tools
from strategies.structured.entries import Entry
from strategies.structured.placeholders import Style, line
from strategies.structured.reading import HANDLE
from strategies.structured.store import Search, Store, quoted

QUOTED = 6  # statements of an entry that a search shows
LISTED = 3  # times the owners of a line, in the list of a range


@dataclass(slots=True)
class Answering:
    """search, top, style, owners: as in `PlaceholderEviction`. session: whose ids may be named.

    Set by each view: most tokens of an answer, and what is left for all answers until the next view.
    """

    size: Callable[[Message], int]
    store: Store
    search: Search
    top: int
    style: Style
    owners: int
    session: int
    most: int = 0
    left: int = 0

    def answer(self, call: Call) -> Message:
        told = self._searched(call) if call.name == tools.SEARCH else self._retrieved(call)
        self.left -= self.size(told)
        return told

    def _retrieved(self, call: Call) -> Message:
        asked = str(call.arguments.get("id", "")).strip()
        match = HANDLE.fullmatch(asked)
        if match is None:
            return tools.error(call, f"{asked!r} is no id such as ref12 or ref3-9: the [evicted …] lines name theirs")
        if match[2] is not None:
            return self._range(call, asked, self.store.between(int(match[1]), int(match[2])))
        entry = self.store.get(int(match[1]))
        if entry is None:
            return tools.error(call, f"nothing evicted has the id {asked}")
        return self._cut(call, f"{asked}, step {entry.step}", entry.text, self._ids(entry))

    def _range(self, call: Call, asked: str, entries: list[Entry]) -> Message:
        """All of it where it takes at most half of the room; else a list, the newest first: of two that name a thing
        the newer says how it is now.
        """
        if not entries:
            return tools.error(call, f"nothing evicted has an id in {asked}")
        if sum(entry.tokens for entry in entries) <= min(self.most, self.left) // 2:
            whole = "\n".join(f"[{entry.handle}, step {entry.step}]\n{entry.text}" for entry in entries)
            return self._cut(call, asked, whole, tuple(name for entry in entries for name in self._ids(entry)))
        text = "\n".join(line(entry, self.style, LISTED * self.owners) for entry in reversed(entries))
        return self._cut(call, f"{asked}, newest first", text, ())

    def _searched(self, call: Call) -> Message:
        """Oldest first, so that of two statements about a thing the one that holds now comes last."""
        query = str(call.arguments.get("query", ""))
        found = [self.store.get(ref) for ref in sorted(self.store.search(query, self.top, self.search))]
        entries = [entry for entry in found if entry is not None]
        if not entries:
            return tools.error(call, f"nothing evicted is like {query!r}")
        told = [f"[{entry.handle}, step {entry.step}]\n" + "\n".join(quoted(entry, query, QUOTED)) for entry in entries]
        return self._cut(call, f"{len(entries)} found", "\n".join(told), ())

    def _cut(self, call: Call, name: str, text: str, sources: tuple[str, ...]) -> Message:
        def size(part: str) -> int:
            return self.size(Message("", "tool", part, answers=call.id))

        first = call.arguments.get("line", 1)
        most = min(self.most, self.left)
        cut = tools.pages(text, name, first, most, size) if isinstance(first, int) else None
        if cut is None:
            return tools.error(call, f"line={first!r}: it has the lines 1 to {len(text.splitlines())}")
        return Message("", "tool", cut, answers=call.id, sources=sources)

    def _ids(self, entry: Entry) -> tuple[str, ...]:
        return entry.ids if entry.session == self.session else ()
