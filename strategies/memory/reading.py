"""Reads a history message by message: counts steps, notices subtasks, hands each new message to the write rules."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from harness.contract import Call, Message
from strategies.memory import intake
from strategies.memory.borders import parted
from strategies.memory.intake import Chunk, Place
from strategies.memory.statements import beginning
from strategies.memory.unit import Unit

MEMORY = "memory"  # the harness's mark of what a strategy's own tools answered
AIM = 16  # words of a subtask's aim (ours)


@dataclass(slots=True)
class Position:
    """How far a history was read, and what it last asked for.

    since: the step in which the present subtask began. aim: what its first order said. done: subtasks that ended.
    ended: the last ones, name and aim, until somebody deals with them. order: what is asked for now, in the message
    `asked`.
    """

    session: int = 0
    read: int = 0
    step: int = 0
    acted: bool = False
    subtask: str | None = None
    since: int = 0
    aim: str = ""
    order: str = ""
    asked: str = ""
    done: int = 0
    ended: list[tuple[str, str]] = field(default_factory=list)

    def dump(self) -> Mapping[str, Any]:
        return asdict(self)

    @classmethod
    def load(cls, saved: Mapping[str, Any]) -> Position:
        return cls(**{**saved, "ended": [(subtask, aim) for subtask, aim in saved["ended"]]})


class Reading:
    """rereads: names of the environment's tools that read again. Their calls and those of `own` tools are no steps."""

    def __init__(self, rereads: Collection[str], own: Collection[str], chunk: Chunk, size: int) -> None:
        self.at = Position()
        self._rereads = rereads
        self._own = own
        self._chunk: Chunk = chunk
        self._size = size

    def take(self, messages: Sequence[Message], task: str) -> list[Unit]:
        """Drafts from the messages, which follow what was read before. task: id of the current task message."""
        made: list[Unit] = []
        calls: dict[str, Call] = {}
        for message in messages:
            if message.role == "assistant":
                self._act(message)
                calls |= {call.id: call for call in message.calls}
            made += self._from(message, calls.get(message.answers or ""), task)
            self.at.read += 1
        return made

    def _act(self, message: Message) -> None:
        at = self.at
        at.acted = True
        free = {*self._rereads, *self._own}
        if not message.calls or any(call.name not in free for call in message.calls):
            at.step += 1

    def _from(self, message: Message, call: Call | None, task: str) -> list[Unit]:
        at = self.at
        if message.role == "system" or message.author == MEMORY:
            return []  # recalled text is not stored again
        place = Place(at.step, at.subtask, not at.acted, at.order)
        if message.id == task:
            return [intake.draft("goal", message.content, place, message)]
        if message.role == "assistant":
            return intake.from_agent(message, place)
        told, order, label = parted(message.content)
        if message.role == "tool":
            made = intake.from_tool(message, told, call, self._rereads, place, self._chunk, self._size)
        else:
            made = intake.from_user(message, told, place, self._chunk, self._size)
        self._ask(message, order, label)
        return made

    def _ask(self, message: Message, order: str, label: str | None) -> None:
        at = self.at
        if order:
            at.order, at.asked = order, message.id
        if label is None or label == at.subtask:
            return
        if at.subtask is not None:
            at.ended.append((at.subtask, at.aim))
            at.done += 1
        at.subtask, at.since, at.aim = label, at.step + 1, beginning(order, AIM)
