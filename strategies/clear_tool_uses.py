"""Old tool results are cleared in one go once the view is long, the newest uses apart."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from harness.contract import Brief, History, Kit, Message
from strategies import settings
from strategies.blocks import Block
from strategies.eviction import Eviction
from strategies.kept import Kept, Room
from strategies.mask import visible_line
from strategies.overflow import Overflow


class ClearToolUses:
    """Replaces the oldest tool results by `placeholder` once the view passes `trigger`, down to `low_water`.

    trigger: share of the budget, or tokens if above 1. low_water: share of the trigger to come down to; near 0 all are
    cleared but the newest. keep: newest tool uses that stay. at_least: share of the budget that must be cleared at
    once, else nothing is, for a broken cache must pay. exclude: tools whose results stay. inputs: clear the arguments
    of the calls too. overflow: as in `mask`.

    Source: docs.claude.com, "Context editing" (clear_tool_uses_20250919): trigger 100,000 tokens, keep 3, all older
    ones cleared; here it works on any model.
    """

    _eviction: Eviction
    _kit: Kit

    def __init__(
        self,
        trigger: float = 0.8,
        low_water: float = 0.5,
        keep: int = 3,
        at_least: float = 0.1,
        exclude: Sequence[str] = (),
        inputs: bool = False,
        placeholder: str = "[tool result cleared]",
        overflow: Overflow = "window",
    ) -> None:
        self.trigger = trigger
        self.low_water = low_water
        self.keep = keep
        self.at_least = at_least
        self.exclude = exclude
        self.inputs = inputs
        self.placeholder = placeholder
        self.overflow = overflow

    def reset(self, kit: Kit, brief: Brief, saved: bytes | None = None) -> None:
        """Raises ValueError for settings out of range and for a placeholder that is not one visible line."""
        if not self.trigger > 0:
            raise ValueError(f"trigger={self.trigger!r}: give a share of the budget, or a number of tokens")
        if not 0 <= self.at_least <= 1:
            raise ValueError(f"at_least={self.at_least!r}: give a share of the budget from 0 to 1")
        settings.at_least("keep", self.keep, 0)
        settings.eviction(self.low_water, self.overflow)
        visible_line("placeholder", self.placeholder)
        self._kit = kit
        self._eviction = Eviction(kit, self._clear, self.low_water, self.overflow)

    def compose(self, history: History, budget: int) -> Sequence[Message]:
        self._budget = budget
        return self._eviction.view(history, budget)

    def _clear(self, kept: Kept, room: Room) -> None:
        pinned = self._budget - room.limit
        most = int(self.trigger * self._budget if self.trigger <= 1 else self.trigger)
        if pinned + kept.tokens <= most:
            return
        goal = int(self.low_water * most)
        recent = self._recent(kept.blocks)
        cleared: dict[int, Block] = {}
        saved = 0
        for place, block in enumerate(kept.blocks):
            if pinned + kept.tokens - saved <= goal:
                break
            if block.settled or block.user or block.turn == kept.turn:
                continue
            new = self._cleared(block, recent)
            if new.tokens < block.tokens:
                cleared[place] = new
                saved += block.tokens - new.tokens
        if not cleared or saved < int(self.at_least * self._budget):
            return
        names: list[str] = []
        for place, new in cleared.items():
            old = kept.blocks[place].messages
            names += [m.id for m, n in zip(old, new.messages, strict=True) if n is not m]
            kept.rewrite(place, new)
        kept.note("length", names)

    def _recent(self, blocks: Sequence[Block]) -> frozenset[str]:
        """The ids of the calls whose results stay: the newest `keep`."""
        calls = [call.id for block in blocks for message in block.messages for call in message.calls]
        return frozenset(calls[len(calls) - self.keep :]) if self.keep else frozenset()

    def _cleared(self, block: Block, recent: Collection[str]) -> Block:
        names = {call.id: call.name for message in block.messages for call in message.calls}
        stay = {call for call, name in names.items() if name in self.exclude or call in recent}
        messages = tuple(self._message(message, stay) for message in block.messages)
        # Looked at for good once no use of it is recent any more.
        settled = not any(call in recent for call in names)
        return replace(block, messages=messages, tokens=self._kit.count(messages), settled=settled)

    def _message(self, message: Message, stay: Collection[str]) -> Message:
        """A result as one line, calls without their arguments; the message itself where that would not be shorter."""
        if message.role == "tool" and message.answers not in stay:
            line = Message(
                f"clear:{message.id}", "tool", self.placeholder, answers=message.answers, sources=(message.id,)
            )
        elif message.calls and self.inputs and not any(call.id in stay for call in message.calls):
            calls = tuple(replace(call, arguments={}) for call in message.calls)
            line = replace(message, id=f"clear:{message.id}", calls=calls, labels=None, sources=(message.id,))
        else:
            return message
        return line if self._kit.count((line,)) < self._kit.count((message,)) else message
