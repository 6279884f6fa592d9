"""What happens when a strategy's own rule leaves more than the budget holds.

`overflow: window` takes the newest blocks that fit, whatever the rule says; `error` hands out the view as it is, and
the episode ends as `context_overflow`. A block that alone is larger than all the room can be in no view: under `window`
it is dropped as it comes, and the rule goes on with the rest (else one huge observation would wipe every arm's memory).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from strategies.blocks import Block, newest_first, size

Overflow = Literal["window", "error"]
CHOICES = ("window", "error")


def last_resort(blocks: Sequence[Block], limit: int, target: int) -> Sequence[Block]:
    """The newest blocks: all of the last turn if it has at most `limit` tokens, before it down to `target` in all."""
    newest = [block for block in blocks if block.turn == blocks[-1].turn]
    taken = size(newest)
    if taken > limit:
        return newest_first(newest, limit)
    return [*newest_first(blocks[: -len(newest)], target - taken), *newest]
