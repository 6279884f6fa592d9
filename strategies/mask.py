"""Old observations become one fixed line; reasoning and actions stay."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, replace

from harness.contract import Brief, History, Kit, Message
from strategies import settings
from strategies.blocks import Block, Count
from strategies.eviction import Eviction
from strategies.kept import Kept, Room
from strategies.overflow import Overflow


class Mask:
    """Replaces each observation older than the last `turns` turns by `placeholder`.

    turns: M, how many turns keep their observations, the current one included.
    placeholder: the line; where it has no fewer tokens than the observation, the observation stays.
    low_water: share of M to mask down to once more than M turns are raw: 1.0 masks one turn each turn, as published;
    0.5 with M=10 masks five turns at once and leaves the cached prefix alone for the next five.
    overflow: what to do when the masked view does not fit: the rule itself knows no budget (strategies/overflow.py).

    Source: Lindenbauer et al. 2025, "The Complexity Trap" (arXiv 2508.21433), observation masking with M = 10.
    """

    _eviction: Eviction

    def __init__(
        self,
        turns: int = 10,
        placeholder: str = "[old observation left out]",
        low_water: float = 1.0,
        overflow: Overflow = "window",
    ) -> None:
        self.turns = turns
        self.placeholder = placeholder
        self.low_water = low_water
        self.overflow = overflow

    def reset(self, kit: Kit, brief: Brief, saved: bytes | None = None) -> None:
        """Raises ValueError for settings out of range and for a placeholder that is not one visible line."""
        settings.at_least("turns", self.turns, 1)
        settings.eviction(self.low_water, self.overflow)
        visible_line("placeholder", self.placeholder)
        rule = Masking(kit.count, self.turns, self.placeholder, self.low_water)
        self._eviction = Eviction(kit, rule, self.low_water, self.overflow)

    def compose(self, history: History, budget: int) -> Sequence[Message]:
        return self._eviction.view(history, budget)


@dataclass(frozen=True, slots=True)
class Masking:
    """The rule. Arguments as in `Mask`."""

    count: Count
    turns: int
    placeholder: str
    low_water: float

    def __call__(self, kept: Kept, room: Room) -> None:
        blocks = kept.blocks
        first = bisect_left(blocks, True, key=lambda block: not block.settled)
        if first == len(blocks) or blocks[first].turn > kept.turn - self.turns:
            return
        last_out = kept.turn - max(1, int(self.low_water * self.turns))
        masked: list[str] = []
        for place in range(first, len(blocks)):
            block = blocks[place]
            if block.turn > last_out:
                break
            kept.rewrite(place, self._masked(block))
            masked += [m.id for m, new in zip(block.messages, blocks[place].messages, strict=True) if new is not m]
        kept.note("age", masked)

    def _masked(self, block: Block) -> Block:
        messages = tuple(self._line(m) if m.role == "tool" else m for m in block.messages)
        return replace(block, messages=messages, tokens=self.count(messages), settled=True)

    def _line(self, observation: Message) -> Message:
        line = Message(
            f"mask:{observation.id}", "tool", self.placeholder, answers=observation.answers, sources=(observation.id,)
        )
        return line if self.count((line,)) < self.count((observation,)) else observation


def visible_line(name: str, text: object) -> None:
    """Raises ValueError unless it is one line that can be seen (and not a list: [a] unquoted is one in YAML)."""
    if not isinstance(text, str) or not text.strip() or len(text.splitlines()) != 1:
        raise ValueError(f"{name}={text!r}: give one line with visible text")
