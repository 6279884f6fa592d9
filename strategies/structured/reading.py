"""Reads what is new in a history and cuts it into entries: turns, steps and subtasks are counted here."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from harness.contract import Call, History, Message
from strategies.blocks import Count, by_turn, split
from strategies.memory.borders import parted
from strategies.structured.entries import Entry, arguments, quoting, written
from strategies.structured.nodes import Kind, Tier, kind_of, tier_of
from strategies.structured.words import names, owners

HANDLE = re.compile(r"ref(\d+)(?:-(\d+))?")
# Which of its messages says what a block is, and which of their tiers it is worth.
_KINDS: tuple[Kind, ...] = ("GOAL", "SYSTEM_MESSAGE", "CONSTRAINT", "USER_MESSAGE", "ACTION_OUTPUT", "ACTION_INPUT")
_TIERS: tuple[Tier, ...] = ("goal", "constraint", "credential", "output", "log")


@dataclass(slots=True)
class Position:
    """How far a history is read. base: node of its first message. since: the turn of the last action, whose answer
    holds the present order. label: what the text last called the subtask; began: the step at which the part began.
    task, task_at: id and place of the task message.
    """

    session: int = 0
    base: int = 0
    read: int = 0
    refs: int = 0
    turn: int = 0
    step: int = 0
    since: int = 0
    part: int = 1
    began: int = 0
    label: str | None = None
    task: str = ""
    task_at: int = 0

    def dump(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Read:
    """An entry with its messages. border: with it a new subtask begins. Pinned text is an entry with ref 0: a node of
    the graph like the others, and never evicted."""

    entry: Entry
    messages: tuple[Message, ...]
    border: bool


class Reading:
    """rereads, own: names of the environment's tools that read again, and of the strategy's. part_steps: steps after
    which a subtask counts as ended where no text announces borders.
    """

    def __init__(self, count: Count, rereads: Collection[str], own: Collection[str], part_steps: int) -> None:
        self.at = Position()
        self._count = count
        self._rereads = rereads
        self._own = own
        self._part_steps = part_steps

    def take(self, history: History) -> Iterator[Read]:
        """Each new block. A task message that another one has followed is an ordinary user message from then on."""
        at, (system, task) = self.at, history.pinned
        if at.task not in ("", task.id):
            yield self._entry((history[at.task_at],), at.turn, at.task_at)
        at.task = task.id
        for turn in by_turn(history[at.read :]):
            if turn[0].role == "assistant":
                at.turn += 1
                self._act(turn[0].calls)
            at.task_at = next((n for n, message in enumerate(turn, at.read) if message.id == task.id), at.task_at)
            pinned = {system.id, task.id}
            for place, message in enumerate(turn, at.read):
                if message.id in pinned:
                    yield self._entry((message,), at.turn, place, pinned=True)
            for block in split(turn, at.turn, at.read, self._count, pinned):
                yield self._entry(block.messages, at.turn, block.start)
            at.read += len(turn)

    def own(self, calls: Sequence[Call]) -> bool:
        return bool(calls) and all(call.name in self._own for call in calls)

    def _act(self, calls: Sequence[Call]) -> None:
        acted = sum(call.name not in self._own and call.name not in self._rereads for call in calls)
        self.at.step += acted
        if acted or not calls:
            self.at.since = self.at.turn

    def _entry(self, messages: tuple[Message, ...], turn: int, start: int, pinned: bool = False) -> Read:
        at, head = self.at, messages[0]
        own = self.own(head.calls)
        told = [(message, *parted(message.content)) for message in messages if message.author is None or not own]
        labels = [label for message, _, _, label in told if message.role != "assistant"]
        border = not (own or pinned) and self._border(labels)
        kinds = [kind_of(message, said, pinned and message.id == at.task) for message, said, _, _ in told]
        tiers = [tier_of(kind, said) for kind, (_, said, _, _) in zip(kinds, told, strict=True)]
        kind = min(kinds, key=_KINDS.index)
        tier = "log" if own else min(tiers, key=_TIERS.index)
        text = written(messages)
        at.refs += not pinned
        entry = Entry(
            ref=0 if pinned else at.refs,
            kind=kind,
            tier=tier,
            session=at.session,
            start=start,
            ids=tuple(message.id for message in messages),
            node=at.base + start,
            turn=turn,
            step=at.step,
            part=at.part,
            tokens=self._count(messages),
            tool=", ".join(dict.fromkeys(call.name for call in head.calls)),
            arguments=arguments(head),
            lines=sum(len(message.content.splitlines()) for message in messages if message.role != "assistant"),
            names=names(text),
            owners=owners("\n".join(said for message, said, _, _ in told if message.role != "assistant")),
            text=text,
            core=kind == "CONSTRAINT" or (tier == "credential" and head.role == "user"),
            own=own,
            copies=self._fetched(messages),
        )
        return Read(entry, messages, border)

    def _border(self, labels: Sequence[str | None]) -> bool:
        at = self.at
        label = next((label for label in reversed(labels) if label is not None), None)
        if label is not None:
            new = at.label not in (None, label)
            at.label = label
        else:
            new = at.label is None and at.step - at.began >= self._part_steps
        if new:
            at.part, at.began = at.part + 1, at.step
        return new

    def _fetched(self, messages: Sequence[Message]) -> tuple[int, ...]:
        """Refs of entries that calls of the strategy's tools brought back: asked for by id, or found by a search with a
        statement that has every word of the query."""
        refs: dict[int, None] = {}
        told = {message.answers: message.content for message in messages}
        for call in messages[0].calls:
            if call.name not in self._own:
                continue
            match = HANDLE.fullmatch(str(call.arguments.get("id", "")).strip())
            if match is not None and match[2] is None:
                refs[int(match[1])] = None
            refs.update(dict.fromkeys(quoting(told.get(call.id, ""), str(call.arguments.get("query", "")))))
        return tuple(refs)
