"""Walk through a recorded episode view by view, keeping count of which facts each view holds.

The work of a turn is that of its changes: a message is read once, and counted when it enters or leaves.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate

from harness import views
from harness.contract import Fact, Message
from harness.presence import Holds, Index
from harness.ranges import Packed, unpack
from harness.record import Record, TurnRow

# Who wrote a text: kept apart everywhere, since agents restate what they read.
ENVIRONMENT, AGENT, STRATEGY = "environment", "agent", "strategy"


def author(message: Message, original: bool) -> str:
    """Made messages and a strategy's answers to its own tools are the strategy's text."""
    if not original or message.author == "memory":
        return STRATEGY
    return AGENT if message.role == "assistant" else ENVIRONMENT


@dataclass(frozen=True, slots=True)
class Lost:
    """When a fact's last provider left the view, and by which of the strategy's events ("dropped" = none named)."""

    turn: int
    cause: str


@dataclass(slots=True)
class Counts:
    """How many messages of the view hold each fact, by reading; positions are those of the fact table."""

    bound: list[int]
    bare: list[int]
    shown: list[int]  # bare, in environment or strategy text

    @staticmethod
    def zero(facts: int) -> Counts:
        return Counts([0] * facts, [0] * facts, [0] * facts)


@dataclass(slots=True)
class State:
    """What a history's last view held. lost: by fact, when its last provider left a view of this history."""

    counts: Counts
    lost: list[Lost | None]
    view: Packed = field(default_factory=list)
    made: dict[str, tuple[Message, int, Holds]] = field(default_factory=dict)


class Walk:
    """`for turn in walk:` then read `counts`, `lost`, `change`, `kept`, `cached`, `view`: the state at that view.

    Agents take turns, each with a history and views of its own: a view is compared with the last one of its history.
    """

    def __init__(self, record: Record, facts: Sequence[Fact], index: Index, declared: bool) -> None:
        self.record = record
        self._declared = declared  # the headline reading: bound where keys are declared, else shown
        self.index = index
        self.change = views.Change((), (), (), ())
        self.ranges: list[views.Range] = []
        self.kept = self.cached = 0  # tokens of the prefix that the last view had too; with schemas and frame
        self._facts = len(facts)
        self._states: dict[int, State] = {}  # by segment
        self._now = self._blank()
        self._held: dict[tuple[int, int], Holds] = {}
        self._told: dict[str | None, set[int]] = {}  # by agent, as far as its segments are read
        self._read: dict[int, int] = {}
        self._sums = [[0, *accumulate(segment.tokens)] for segment in record.segments]

    def __iter__(self) -> Iterator[TurnRow]:
        for turn in self.record.turns:
            if turn.segment not in self._states:
                self._states[turn.segment] = self._begin(turn)
            self._now = self._states[turn.segment]
            for message, tokens in zip(turn.made, turn.made_tokens, strict=True):
                self._now.made[message.id] = (message, tokens, self.index.holds(message, written=True))
            old, self._now.view = self._now.view, turn.view
            self.change = views.change(old, turn.view)
            self.ranges = views.ranges(turn.view)
            self.kept = self._tokens(turn, views.common_prefix(old, turn.view)) if old else 0
            self.cached = self.kept + turn.overhead if old else 0
            self._count(turn)
            yield turn

    @property
    def counts(self) -> Counts:
        return self._now.counts

    @property
    def lost(self) -> list[Lost | None]:
        return self._now.lost

    @property
    def view(self) -> Packed:
        return self._now.view

    def told(self, turn: TurnRow) -> set[int] | None:
        """The facts that the environment has stated to the turn's agent, in any of its histories; None where one agent
        is told everything. (What is told to one agent of a team is no fact for the others until it is handed over.)"""
        segments = self.record.segments
        if len({segment.agent for segment in segments}) < 2:
            return None
        agent = segments[turn.segment].agent
        known = self._told.setdefault(agent, set())
        for number, segment in enumerate(segments[: turn.segment + 1]):
            if segment.agent != agent:
                continue
            until = turn.length if number == turn.segment else len(segment.messages)
            for position in range(self._read.get(number, 0), until):
                if author(segment.messages[position], original=True) == ENVIRONMENT:
                    known |= self._headline(self.holds(number, position))
            self._read[number] = until
        return known

    def met(self, fact: int) -> bool:
        """Whether the current view holds the fact under the headline reading."""
        return (self.counts.bound if self._declared else self.counts.shown)[fact] > 0

    def _headline(self, held: Holds) -> frozenset[int]:
        return held.bound if self._declared else held.bare

    def holds(self, segment: int, position: int) -> Holds:
        """What one history message holds; read at its first use."""
        held = self._held.get((segment, position))
        if held is None:
            message = self.record.segments[segment].messages[position]
            held = self.index.holds(message, author(message, original=True) != ENVIRONMENT)
            self._held[segment, position] = held
        return held

    def tokens_holding(self, turn: TurnRow, facts: frozenset[int]) -> int:
        """Tokens of the messages in the current view that hold any of the facts (bare)."""
        tokens = self.record.segments[turn.segment].tokens
        total = sum(
            tokens[p]
            for start, stop in self.ranges
            for p in range(start, stop + 1)
            if not facts.isdisjoint(self.holds(turn.segment, p).bare)
        )
        made = (self._now.made[i] for i in views.made(self.view))
        return total + sum(size for _, size, held in made if not facts.isdisjoint(held.bare))

    def _blank(self) -> State:
        return State(Counts.zero(self._facts), [None] * self._facts)

    def _begin(self, turn: TurnRow) -> State:
        """The state of a new history: empty. What the same agent's last history still showed is lost with it."""
        state, agent = self._blank(), self.record.segments[turn.segment].agent
        before = [n for n in self._states if self.record.segments[n].agent == agent]
        if before:
            self._now = self._states[max(before)]
            ended = Lost(turn.n, "session ended")
            state.lost = [ended if self.met(fact) else self.lost[fact] for fact in range(self._facts)]
        return state

    def _tokens(self, turn: TurnRow, packed: Packed) -> int:
        sums = self._sums[turn.segment]
        total = sum(sums[stop + 1] - sums[start] for start, stop in views.ranges(packed))
        return total + sum(self._now.made[i][1] for i in views.made(packed))

    def _count(self, turn: TurnRow) -> None:
        messages = self.record.segments[turn.segment].messages
        for position in self.change.added:
            self._add(self.holds(turn.segment, position), author(messages[position], original=True), +1)
        for identifier in self.change.made_added:
            self._add(self._now.made[identifier][2], STRATEGY, +1)
        gone: set[int] = set()
        for position in self.change.removed:
            held = self.holds(turn.segment, position)
            self._add(held, author(messages[position], original=True), -1)
            gone |= self._headline(held)
        for identifier in self.change.made_removed:
            held = self._now.made[identifier][2]
            self._add(held, STRATEGY, -1)
            gone |= self._headline(held)
        if gone:
            self._note_losses(turn, gone)

    def _add(self, held: Holds, who: str, sign: int) -> None:
        for fact in held.bound:
            self.counts.bound[fact] += sign
        for fact in held.bare:
            self.counts.bare[fact] += sign
            if who != AGENT:
                self.counts.shown[fact] += sign

    def _note_losses(self, turn: TurnRow, gone: set[int]) -> None:
        """Name the event of this turn that covers a provider of each fact which has none left."""
        causes = [(f"{kind}:{trigger}", set(unpack(sources))) for kind, trigger, sources in turn.noted]
        removed = [([f"m{p}"], self._headline(self.holds(turn.segment, p))) for p in self.change.removed]
        made = (self._now.made[identifier] for identifier in self.change.made_removed)
        removed += [(list(message.sources), self._headline(held)) for message, _, held in made]
        for fact in gone:
            if self.met(fact):
                continue
            providers = {identifier for identifiers, held in removed if fact in held for identifier in identifiers}
            cause = next((name for name, sources in causes if sources & providers), "dropped")
            self.lost[fact] = Lost(turn.n, cause)
