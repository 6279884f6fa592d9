"""Summaries that are asked for beside the agent: one at a time, behind a breaker, shallower under load."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from harness.contract import Kit, Message
from strategies.blocks import Block
from strategies.compaction.asking import Compactor
from strategies.compaction.breaker import Breaker
from strategies.compaction.flight import Flight, Plan, plan_of
from strategies.compaction.layers import Layers, Stage
from strategies.compaction.polishing import IDLE, Polish
from strategies.compaction.prompts import Level

Make = Callable[[Sequence[Block], Plan], Stage[Layers]]  # the stage of a plan over its blocks


class Beside:
    """slow: seconds of an answer from which on only the finest level is asked for, and again all below it.

    polish: writes entries anew while nothing else is to do, None = nothing does. It never stands in the way: what is
    due sends it off, and its answer is then dropped as it comes.

    Everything is per episode: breakers and limits are not shared.
    """

    def __init__(self, kit: Kit, breaker: Breaker, slow: float, polish: Polish | None = None) -> None:
        self._kit = kit
        self._breaker = breaker
        self._slow = slow
        self._polish = polish
        self._took = 0.0  # seconds of the last answer
        self._flight: Flight | None = None
        self._saved: dict[str, Any] | None = None  # a flight that is to be brought to its point again
        self._blocks: dict[int, Block] = {}  # what the summary under way covers, by place
        self._adrift: list[int] = []  # tickets whose answers nobody waits for: billed when they come

    # ------------------------------------------------------------ what is under way

    def read_again(self, blocks: Iterable[Block]) -> None:
        """Blocks of a history that is read anew: those that the summary under way covers are kept for it."""
        plan = self._plan
        starts = plan.starts if plan is not None else ()
        self._blocks.update((block.start, block) for block in blocks if block.start in starts)

    def covers(self, block: Block) -> bool:
        return block.start in self._blocks

    @property
    def _plan(self) -> Plan | None:
        if self._flight is not None:
            return self._flight.plan
        return plan_of(self._saved) if self._saved is not None else None

    def take_off(
        self, blocks: Sequence[Block], room: int, trigger: str, version: int, levels: Sequence[Level], make: Make,
        priority: float,
    ) -> None:  # fmt: skip
        """Ask in the background, unless a summary is under way or the breaker is open. priority: how near the view is
        to its budget: the nearest goes first where several episodes wait."""
        self._send_off()
        if not self._free():
            return
        deep = len(levels) == 1 or not (self._took > self._slow or self._breaker.state == "half-open")
        self._blocks = {block.start: block for block in blocks}
        plan = Plan(tuple(self._blocks), room, trigger, version, self._kit.clock(), deep)
        self._start(plan, make(blocks, plan), priority)

    def rest(self, layers: Layers, history: Iterable[Message], version: int, compactor: Compactor) -> None:
        """Nothing is due: where nothing is under way or waits for a slot either, an old entry is written anew."""
        if self._polish is None or self._plan is not None or self._kit.queue() or not self._free():
            return
        again = self._polish.next(layers, _by_id(history), compactor)
        if again is not None:
            plan = Plan((), again.ask.room, IDLE, version, self._kit.clock(), True)
            self._start(plan, self._polish.stage(layers, again, compactor), 0.0)

    def landed(
        self, make: Make, layers: Layers, history: Iterable[Message], compactor: Compactor
    ) -> tuple[Plan, Layers] | None:
        """The plan and the new summary, once it is there. The rest: to bring a saved flight to its point again."""
        self._adrift = [ticket for ticket in self._adrift if self._kit.poll(ticket) is None]
        if self._saved is not None:
            plan, saved, self._saved = plan_of(self._saved), self._saved, None
            if plan.trigger == IDLE:
                assert self._polish is not None
                again = self._polish.next(layers, _by_id(history), compactor)
                assert again is not None
                stage = self._polish.stage(layers, again, compactor)
            else:  # also of blocks that the last resort has cut since
                stage = make([self._blocks[start] for start in plan.starts], plan)
            self._flight = Flight(self._kit, plan, stage, saved["priority"])
            self._flight.resume(saved)
        flight = self._flight
        if flight is None or (made := flight.advance()) is None:
            return None
        self._flight = None
        now = self._kit.clock()
        self._took = now - flight.plan.began
        self._breaker.answered(now, self._took, not flight.failed)
        self._tell()
        if flight.failed:  # what stands in for a summary that never came is not worth the original
            self._kit.event("failed", flight.plan.trigger)
            return None
        return flight.plan, made

    # ------------------------------------------------------------ state

    def plain(self) -> dict[str, Any]:
        flight = self._saved if self._flight is None else self._flight.plain()
        polish = self._polish.plain() if self._polish is not None else None
        state = {"breaker": self._breaker.plain(), "took": self._took, "flight": flight}
        return {**state, "polish": polish, "adrift": self._adrift}

    def restore(self, plain: dict[str, Any]) -> None:
        self._breaker.restore(plain["breaker"])
        self._took, self._saved, self._adrift = plain["took"], plain["flight"], list(plain["adrift"])
        if self._polish is not None:
            self._polish = Polish(plain["polish"])

    def _free(self) -> bool:
        """Whether a summary may be asked for now: single flight, and the breaker lets it through."""
        if self._plan is not None:
            return False
        allowed = self._breaker.allows(self._kit.clock(), self._kit.queue())
        self._tell()
        return allowed

    def _start(self, plan: Plan, stage: Stage[Layers], priority: float) -> None:
        self._kit.event("submit", f"{plan.trigger}, {'all levels' if plan.deep else 'finest level'}")
        self._flight = Flight(self._kit, plan, stage, priority)
        self._flight.take_off()

    def _send_off(self) -> None:
        """What is due goes before what was begun for want of anything else to do."""
        plan = self._plan
        if plan is None or plan.trigger != IDLE:
            return
        flight = self._saved if self._flight is None else self._flight.plain()
        assert flight is not None
        self._adrift += flight["tickets"]
        self._flight = self._saved = None
        self._kit.event("stale", IDLE)

    def _tell(self) -> None:
        for state, why in self._breaker.take_changes():
            self._kit.event("breaker", f"{state}: {why}")


def _by_id(history: Iterable[Message]) -> Mapping[str, Message]:
    return {message.id: message for message in history}
