"""One compaction under way beside the agent: what it covers, what was asked, what has come back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from harness.contract import Kit, Message, Reply, Request
from strategies.compaction.layers import Layers, Stage


@dataclass(frozen=True, slots=True)
class Plan:
    """starts: places of the blocks that it covers. room: tokens of the new summary. version: of the view it is based
    on. began: when it was asked for. deep: whether all levels are asked for.
    """

    starts: tuple[int, ...]
    room: int
    trigger: str
    version: int
    began: float
    deep: bool


class Flight:
    """A stage whose requests are asked in the background; `advance` sends it what came back.

    Begin with `take_off`, or with `resume` at the point where `plain` was written.
    """

    def __init__(self, kit: Kit, plan: Plan, stage: Stage[Layers], priority: float) -> None:
        self.plan = plan
        self.failed = False
        self._kit = kit
        self._stage = stage
        self._priority = priority
        self._rounds: list[list[tuple[str, str]]] = []  # the replies that the stage was sent so far
        self._tickets: list[int] = []
        self._made: Layers | None = None

    def take_off(self) -> None:
        self._ask(self._send(None))

    def resume(self, plain: dict[str, Any]) -> None:
        """Bring the stage to the same point again. Nothing is asked again."""
        self._send(None)
        for told in plain["rounds"]:
            self._send([Reply(Message("", "assistant", text), finish=finish) for text, finish in told])
        self._tickets, self.failed = list(plain["tickets"]), plain["failed"]

    def advance(self) -> Layers | None:
        """The new summary once all has come back."""
        while self._made is None:
            replies = [self._kit.poll(ticket) for ticket in self._tickets]
            if any(reply is None for reply in replies):
                return None
            self._ask(self._send([reply for reply in replies if reply is not None]))
        return self._made

    def plain(self) -> dict[str, Any]:
        """As JSON holds it."""
        own = self.plan
        plan = [list(own.starts), own.room, own.trigger, own.version, own.began, own.deep]
        state = {"plan": plan, "rounds": self._rounds, "tickets": self._tickets, "failed": self.failed}
        return {**state, "priority": self._priority}

    def _send(self, replies: Sequence[Reply] | None) -> Sequence[Request]:
        """What the stage asks for next; nothing once it has made its summary."""
        try:
            if replies is None:
                return next(self._stage)
            self._rounds.append([(reply.message.content, reply.finish) for reply in replies])
            self.failed |= any(reply.finish == "failed" for reply in replies)
            return self._stage.send(replies)
        except StopIteration as end:
            self._made = end.value
            return ()

    def _ask(self, requests: Sequence[Request]) -> None:
        self._tickets = [self._kit.ask_later(request, self._priority) for request in requests]


def plan_of(plain: dict[str, Any]) -> Plan:
    starts, *rest = plain["plan"]
    return Plan(tuple(starts), *rest)
