"""A finished episode, read back from its rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from harness import journal
from harness.codec import event_from, message_from
from harness.contract import Event, Fact, Goal, Message, Schedule, Usage
from harness.history import index_of
from harness.ranges import Packed, unpack


@dataclass(frozen=True, slots=True)
class Segment:
    """One history: of one agent, in one session. `tasks` are the positions of its task messages."""

    agent: str | None
    session: int
    messages: tuple[Message, ...]
    tokens: tuple[int, ...]
    tasks: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class TurnRow:
    """One model call and what followed.

    step: the step that the call was to choose; acted: how many steps it took (0 = an overhead turn). view: packed
    ids, of history `segment`, when it was `length` messages long. tokens: of the view's messages; overhead: schemas and
    frame; output: of the reply; asked: input and output of the strategy's own calls before this turn. noted: the
    strategy's events; events: the environment's. seconds: of the tools. time: simulated seconds that the agent waited
    for the strategy's own model before its call, and that the call took; None without a simulated clock.
    """

    n: int
    step: int
    acted: int
    segment: int
    length: int
    view: Packed
    made: tuple[Message, ...]
    made_tokens: tuple[int, ...]
    tokens: int
    overhead: int
    output: int
    usage: Usage
    asked: int
    noted: tuple[tuple[str, str, Packed], ...]
    events: tuple[Event, ...]
    seconds: float
    time: tuple[float, float] | None = None

    @property
    def overflowed(self) -> bool:
        """Whether the strategy needed its last resort."""
        return any(kind == "overflow" for kind, _, _ in self.noted)


@dataclass(frozen=True, slots=True)
class Ask:
    """A call of the strategy's own model. turn: the agent's call that comes after it. tokens: input and output.

    pieces: of the input, what each is and its tokens; output: tokens. Both None in records of earlier versions.
    seconds: simulated, without waiting for a slot; None without such a clock. better: of its second model.
    """

    turn: int
    tokens: int
    output: int | None
    pieces: tuple[tuple[str, int], ...] | None
    usage: Usage
    seconds: float | None = None
    better: bool = False


@dataclass(frozen=True, slots=True)
class Record:
    instance: str
    seed: int
    budget: int
    schedule: Schedule | None
    segments: tuple[Segment, ...]
    turns: tuple[TurnRow, ...]
    ending: str
    reason: str
    steps: int
    tokens: int
    encoded: int
    score: Mapping[str, float]
    embedded: int = 0  # texts
    asks: tuple[Ask, ...] = ()
    left: Mapping[str, str] | None = None  # what the episode left behind, by name

    def actors(self) -> dict[int, str | None]:
        """Who acted at each step that was reached."""
        return {
            step: self.segments[turn.segment].agent
            for turn in self.turns
            for step in range(turn.step, turn.step + turn.acted)
        }


def load(path: Path) -> Record:
    """Read a finished record. Raises journal.DamagedRecord."""
    return parse(journal.read(path))


def parse(rows: Sequence[Mapping[str, Any]]) -> Record:
    head, end = rows[0], rows[-1]
    reader = _Reader()
    for row in rows[1:-1]:
        reader.take(row)
    return Record(
        head["instance"],
        head["seed"],
        head["budget"],
        reader.schedule,
        tuple(segment.frozen() for segment in reader.segments),
        tuple(reader.turns),
        end["ending"],
        end["reason"],
        end["steps"],
        end["tokens"],
        end["encoded"],
        end["score"],
        end.get("embedded", 0),
        tuple(reader.asks),
        reader.left,
    )


class _Growing:
    def __init__(self, agent: str | None, session: int) -> None:
        self.agent, self.session = agent, session
        self.messages: list[Message] = []
        self.tokens: list[int] = []
        self.tasks: list[int] = []

    def frozen(self) -> Segment:
        return Segment(self.agent, self.session, tuple(self.messages), tuple(self.tokens), tuple(self.tasks))


class _Reader:
    """Walks the rows in order; a turn is complete when its answer has come, or the episode ended before."""

    def __init__(self) -> None:
        self.schedule: Schedule | None = None
        self.segments: list[_Growing] = []
        self.turns: list[TurnRow] = []
        self.asks: list[Ask] = []
        self.left: Mapping[str, str] | None = None
        self._current: dict[str | None, int] = {}
        self._agent: str | None = None
        self._asked = 0

    def take(self, row: Mapping[str, Any]) -> None:
        getattr(self, "_" + row["row"])(row)

    def _schedule(self, row: Mapping[str, Any]) -> None:
        facts = tuple(Fact(*fact) for fact in row["facts"])
        self.schedule = Schedule(facts, tuple(Goal(step, op, tuple(ids)) for step, op, ids in row["goals"]))

    def _enter(self, row: Mapping[str, Any]) -> None:
        self._agent = row["agent"]
        begins = row.get("begins")
        if begins == "history":
            self._current[self._agent] = len(self.segments)
            self.segments.append(_Growing(self._agent, row["session"]))
        segment = self.segments[self._current[self._agent]]
        if begins is not None:
            segment.tasks.append(len(segment.messages) + (begins == "history"))
        self._told(segment, row)

    def _ask(self, row: Mapping[str, Any]) -> None:
        self._asked += row.get("tokens", 0)
        if "tokens" in row:
            usage = Usage(*row["reply"]["usage"]) if "usage" in row["reply"] else Usage()
            sent = tuple((key, tokens) for key, tokens in row["sent"]) if "sent" in row else None
            own = row.get("seconds"), row.get("better", False)
            self.asks.append(Ask(len(self.turns) + 1, row["tokens"], row.get("output"), sent, usage, *own))

    _later = _arrived = _ask  # a call in the background is billed where its answer is known

    def _left(self, row: Mapping[str, Any]) -> None:
        self.left = row["texts"]

    def _clock(self, row: Mapping[str, Any]) -> None:
        """What time it was is no result."""

    def _turn(self, row: Mapping[str, Any]) -> None:
        index = self._current[self._agent]
        segment = self.segments[index]
        reply = row["reply"]
        usage = Usage(*reply["usage"]) if "usage" in reply else Usage()
        self.turns.append(
            TurnRow(
                row["n"],
                row["step"],
                0,
                index,
                len(segment.messages),
                row["view"],
                tuple(message_from(m) for m in row.get("made", ())),
                tuple(row.get("made_tokens", ())),
                row["tokens"],
                row["overhead"],
                row["output"],
                usage,
                self._asked,
                tuple((kind, trigger, sources) for kind, trigger, sources in row.get("noted", ())),
                (),
                0.0,
                tuple(row["time"]) if "time" in row else None,
            )
        )
        self._asked = 0
        segment.messages.append(message_from(reply["message"]))
        segment.tokens.append(row["output"])

    def _answer(self, row: Mapping[str, Any]) -> None:
        turn = self.turns[-1]
        noted = tuple((kind, trigger, sources) for kind, trigger, sources in row.get("noted", ()))
        self.turns[-1] = replace(
            turn,
            acted=row["acted"],
            noted=turn.noted + noted,
            events=tuple(event_from(e) for e in row.get("events", ())),
            seconds=row.get("seconds", 0.0),
        )
        self._told(self.segments[turn.segment], row)

    def _told(self, segment: _Growing, row: Mapping[str, Any]) -> None:
        segment.messages.extend(message_from(m) for m in row["messages"])
        segment.tokens.extend(row["tokens"])


def views(record: Record) -> list[tuple[Message, ...]]:
    """The view of each turn, as the model saw it."""
    made: dict[str, Message] = {}
    found = []
    for turn in record.turns:
        made |= {message.id: message for message in turn.made}
        messages = record.segments[turn.segment].messages
        places = ((name, index_of(name)) for name in unpack(turn.view))
        found.append(tuple(made[name] if place is None else messages[place] for name, place in places))
    return found
