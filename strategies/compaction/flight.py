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

    rounds: the replies it was sent so far, so that the same stage can be brought to the same point again.
    """

    def __init__(self, kit: Kit, plan: Plan, stage: Stage[Layers], priority: float) -> None:
        self.plan = plan
        self.failed = False
        self._kit = kit
        self._stage = stage
        self._priority = priority
        self._rounds: list[list[tuple[str, str]]] = []
        self._tickets: list[int] = []
        self._made: Layers | None = None
        self._send(None)

    def advance(self) -> Layers | None:
        """The new summary once all has come back."""
        while self._made is None:
            replies = [self._kit.poll(ticket) for ticket in self._tickets]
            if any(reply is None for reply in replies):
                return None
            self._send([reply for reply in replies if reply is not None])
        return self._made

    def plain(self) -> dict[str, Any]:
        """As JSON holds it; `resumed` reads it."""
        own = self.plan
        plan = [list(own.starts), own.room, own.trigger, own.version, own.began, own.deep]
        return {"plan": plan, "rounds": self._rounds, "tickets": self._tickets, "failed": self.failed,
                "priority": self._priority}  # fmt: skip

    def _send(self, replies: Sequence[Reply] | None) -> None:
        try:
            if replies is None:
                requests: Sequence[Request] = next(self._stage)
            else:
                self._rounds.append([(reply.message.content, reply.finish) for reply in replies])
                self.failed |= any(reply.finish == "failed" for reply in replies)
                requests = self._stage.send(replies)
        except StopIteration as end:
            self._made, self._tickets = end.value, []
            return
        self._tickets = [self._kit.ask_later(request, self._priority) for request in requests]


def plan_of(plain: dict[str, Any]) -> Plan:
    starts, *rest = plain["plan"]
    return Plan(tuple(starts), *rest)


def resumed(kit: Kit, plain: dict[str, Any], stage: Stage[Layers]) -> Flight:
    """The flight at the point where `plain` was written. Nothing is asked again."""
    flight = Flight.__new__(Flight)
    flight.plan, flight.failed = plan_of(plain), plain["failed"]
    flight._kit, flight._stage, flight._priority = kit, stage, plain["priority"]
    flight._rounds, flight._tickets, flight._made = [], list(plain["tickets"]), None
    try:
        next(stage)
        for told in plain["rounds"]:
            flight._rounds.append([tuple(reply) for reply in told])
            stage.send([Reply(Message("", "assistant", text), finish=finish) for text, finish in told])
    except StopIteration as end:
        flight._made = end.value
    return flight
