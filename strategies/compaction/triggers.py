"""When to summarise, and how many of the oldest turns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from strategies import settings
from strategies.blocks import Block, size
from strategies.compaction.texts import identifiers

Turns = Sequence[Sequence[Block]]
Trigger = Literal["length", "steps", "decay", "mixed"]
TRIGGERS: tuple[Trigger, ...] = get_args(Trigger)
ACTIONS = 10  # how many of the last actions are looked at for what they refer to
DECAYED = 0.05  # the oldest third is worn once it gets less than this share of their references (ours)


@dataclass(frozen=True, slots=True)
class When:
    """trigger: length (the view passes `share` of the budget) · steps (`steps` turns stand raw beside the kept ones) ·
    decay (the oldest third of the view is hardly referred to any more) · mixed (length, at the latest steps).
    low_water: share of the budget to come down to where length triggers. keep: newest turns that stay raw.
    ends: whether a turn is the last one of a finished subtask; None = summaries do not mind subtasks. Else length goes
    on to the next such turn; where there is none, it stops at the last one if that is enough for `share`.
    fires: decides in place of `trigger`, from the raw turns, those that would go, and the used share of the budget.
    """

    trigger: Trigger
    share: float
    steps: int
    low_water: float
    keep: int
    ends: Callable[[Sequence[Block]], bool] | None = None
    fires: Callable[[Turns, Turns, float], bool] | None = None

    def check(self) -> None:
        """Raises ValueError for a setting out of range."""
        settings.one_of("trigger", self.trigger, TRIGGERS)
        settings.share("share", self.share)
        settings.share("low_water", self.low_water)
        settings.at_least("steps", self.steps, 1)
        settings.at_least("keep_turns", self.keep, 1)

    def due(self, turns: Sequence[Sequence[Block]], now: int, used: int, grown: int, budget: int) -> tuple[str, int]:
        """What triggers, and how many of the turns to summarise, the first ones first; ("", 0) = nothing is due.

        turns: the raw ones, each with its blocks, in the order in which they may go. now: the number of the current
        turn. used: tokens of the whole view. grown: tokens by which the summary may grow. budget: the tokens that
        `share` and `low_water` are of.
        """
        old = [turn for turn in turns if turn[0].turn <= now - self.keep]
        if not old:
            return "", 0
        if self.fires is not None:
            number = holding(old, used + grown - int(self.low_water * budget))
            return ("learned", number) if self.fires(turns, old[:number], used / max(1, budget)) else ("", 0)
        if self.trigger in ("length", "mixed") and used > int(self.share * budget):
            least, number = (
                holding(old, used + grown - int(share * budget))
                for share in (self.share, min(self.low_water, self.share))
            )
            return "length", self._whole(old, least, number)
        if self.trigger in ("steps", "mixed") and len(old) >= self.steps:
            return "steps", len(old)
        if self.trigger == "decay" and (worn := decayed(turns)):
            return "decay", min(worn, len(old))
        return "", 0

    def _whole(self, turns: Sequence[Sequence[Block]], least: int, number: int) -> int:
        """`number` moved to the end of a finished subtask."""
        ends = [n for n, turn in enumerate(turns, 1) if self.ends is not None and self.ends(turn)]
        return min((n for n in ends if n >= number), default=max((n for n in ends if n >= least), default=number))


def holding(turns: Sequence[Sequence[Block]], tokens: int) -> int:
    """How many turns hold so many tokens, the oldest first; at least one, at most all."""
    for number, turn in enumerate(turns, 1):
        tokens -= size(turn)
        if tokens <= 0:
            return number
    return len(turns)


def decayed(turns: Sequence[Sequence[Block]]) -> int:
    """How many turns are the oldest third, if it gets under 5 % of what the last ten actions refer to; else 0.

    A call refers to the turn whose observations or user messages last stated an identifier that is in its arguments.
    """
    third = len(turns) // 3
    if len(turns) - third < ACTIONS:
        return 0
    stated: dict[str, int] = {}
    referred: list[int] = []
    for place, turn in enumerate(turns):
        for message in (message for block in turn for message in block.messages):
            if message.role != "assistant":
                stated |= dict.fromkeys(identifiers(message.content), place)
            elif place >= len(turns) - ACTIONS:
                arguments = " ".join(str(value) for call in message.calls for value in call.arguments.values())
                referred += [stated[name] for name in identifiers(arguments) if name in stated]
    old = sum(place < third for place in referred)
    return third if referred and old < DECAYED * len(referred) else 0
