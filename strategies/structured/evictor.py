"""Makes the page fit: by the policy, by merging lines, and where that is not enough by a last resort."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from strategies.overflow import Overflow
from strategies.structured.entries import Entry
from strategies.structured.learned import Expected, Learned
from strategies.structured.page import Item, Page
from strategies.structured.policies import Policy, Rules, Standing, core, ordered
from strategies.structured.store import Store

Note = Callable[[str, str, list[str]], None]


@dataclass(frozen=True, slots=True)
class Room:
    """Tokens: limit for all; target to evict down to once it is passed; lines: of lines, before they merge to half.

    since: the turn of the last action; what came with it or later stays, but for the last resort. task_at: place of the
    task message.
    """

    limit: int
    target: int
    lines: int
    since: int
    task_at: int


@dataclass(slots=True)
class Evictor:
    """learned: what says how useful an entry is; None = rules. gone: by ref, the step of the last eviction and its
    reason."""

    page: Page
    store: Store
    policy: Policy
    core_share: float
    overflow: Overflow
    learned: Learned | None = None
    gone: dict[int, tuple[int, str]] = field(default_factory=dict)
    _step: int = 0
    _out: dict[tuple[str, str], list[str]] = field(default_factory=dict)

    def fit(self, room: Room, now: Standing, note: Note) -> None:
        """Evict down to `target` once `limit` is passed, and note what left and why."""
        page, window = self.page, self.overflow == "window"
        self._step, self._out = now.step, {}
        for item in page.raw if window else ():
            if item.tokens > room.limit:
                self._evict(item.entry, "overflow", "oversize")
        merged = False
        if page.tokens > room.limit:
            utility = self._utility(now)
            for entry, reason in self._candidates(room, now, utility):
                if page.tokens <= room.target:
                    break
                self._evict(entry, "evict", reason)
                utility.drop(entry)
                merged = (page.lines > room.lines and page.merge(room.lines // 2)) or merged
        if page.tokens > room.limit and window:
            merged = self._last_resort(room) or merged
        self._start_with_user(room)
        for (kind, reason), ids in self._out.items():
            note(kind, reason, ids)
        if merged:
            note("merge", "ranges", [])

    def _utility(self, now: Standing) -> Rules | Expected:
        return Rules(now) if self.learned is None else self.learned.expected(self.page.raw, now.weights)

    def _candidates(self, room: Room, now: Standing, utility: Rules | Expected) -> Iterator[tuple[Entry, str]]:
        free = [item.entry for item in self.page.raw if item.entry.turn < room.since]
        kept = core(free, int(self.core_share * room.limit), utility) if self.policy == "hybrid" else set()
        return ordered(self.policy, [entry for entry in free if entry.ref not in kept], now, utility)

    def _last_resort(self, room: Room) -> bool:
        """The policy left too much: all lines into ranges, then the oldest entries go, then lines lose their words,
        then the oldest entries since the last action go, fetched ones before the order. Returns whether lines merged.
        """
        page = self.page
        merged = page.merge(0)
        for item in page.raw:
            if page.tokens > room.target and item.entry.turn < room.since:
                self._evict(item.entry, "overflow", "budget")
        for item in sorted(page.raw, key=lambda item: not item.entry.own):
            self._hide(room.limit)
            if page.tokens > room.limit:
                self._evict(item.entry, "overflow", "budget")
        self._hide(room.limit)
        return merged

    def _hide(self, limit: int) -> None:
        for item in self.page.items:
            if self.page.tokens <= limit:
                break
            if not item.raw and item.messages:
                self.page.hide(item)
                self._out.setdefault(("overflow", "lines"), [])

    def _start_with_user(self, room: Room) -> None:
        """In a chain something may stand before the task message; the first of it must be a user message."""
        while (item := self._first(room.task_at)) is not None and item.messages[0].role != "user":
            self._evict(item.entry, "evict", "role")

    def _first(self, task_at: int) -> Item | None:
        return next((item for item in self.page.items if item.start < task_at and item.messages), None)

    def _evict(self, entry: Entry, kind: str, reason: str) -> None:
        """What the strategy's own tools said is not stored: its originals are, and left the view once more."""
        self.page.evict(entry)
        for ref in entry.copies if entry.own else (entry.ref,):
            if ref in self.gone or not entry.own:
                self.gone[ref] = (self._step, reason)
        if not entry.own:
            self.store.add(entry)
        self._out.setdefault((kind, reason), []).extend(entry.ids)
