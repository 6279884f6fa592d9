"""Which statements of summarised text stay word for word: those whose names are likeliest needed, by their size."""

from __future__ import annotations

import heapq
from collections.abc import Collection, Iterator, Mapping, Sequence

import numpy as np

from strategies.blocks import Block
from strategies.compaction.texts import Size
from strategies.learned.features import items
from strategies.learned.names import Names, statements
from strategies.learned.reading import Reading
from strategies.learned.scorer import Scorer


def candidates(blocks: Sequence[Block]) -> Iterator[str]:
    """Statements of what the user and the tools said, in order."""
    for message in (message for block in blocks for message in block.messages):
        if message.role != "assistant":
            yield from (text for piece in statements(message.content) if (text := piece.strip()))


def chances(reading: Reading, scorer: Scorer, words: Collection[int]) -> dict[int, float]:
    """How likely each name (its place in `reading.words`) is needed again, as the newest block that showed it says."""
    starts = sorted({reading.newest[word] for word in words if word in reading.newest})
    if not starts:
        return {}
    rows = items(reading, starts)
    wanted = np.isin(rows.word, list(words))
    newest = np.array([reading.newest[word] for word in rows.word[wanted].tolist()])
    own = rows.start[wanted] == newest
    found = scorer(rows.matrix[wanted][own])
    return dict(zip(rows.word[wanted][own].tolist(), found.tolist(), strict=True))


def chosen(
    texts: Sequence[str], held: Collection[int], room: int, size: Size, reading: Reading, scorer: Scorer
) -> tuple[str, ...]:
    """Those with the most expected needs a token that no other one meets, as they fit, in their order.

    texts: the oldest first; of equal ones the newest stays. held: names that stand elsewhere in the view.
    """
    names = Names()
    shown = {text: set(reading.known(names.of(text)).tolist()) for text in reversed(texts)}
    met = {*held, *reading.pinned.tolist()}
    value = chances(reading, scorer, set().union(*shown.values()) - met)
    taken: set[str] = set()
    queue = [(-_worth(own, met, value), place, text) for place, (text, own) in enumerate(shown.items())]
    costs = {text: size(text + "\n") for worth, _, text in queue if worth < 0}
    heap = [(worth / costs[text], place, text) for worth, place, text in queue if worth < 0]
    heapq.heapify(heap)
    while heap:
        rate, place, text = heapq.heappop(heap)
        now = -_worth(shown[text], met, value) / costs[text]
        if now == 0 or costs[text] > room:
            continue
        if now > rate:  # another one has met some of it: back into the queue
            heapq.heappush(heap, (now, place, text))
            continue
        taken.add(text)
        met |= shown[text]
        room -= costs[text]
    return tuple(text for text in reversed(shown) if text in taken)


def _worth(names: Collection[int], met: Collection[int], value: Mapping[int, float]) -> float:
    return sum(value.get(name, 0.0) for name in names if name not in met)
