"""What a scorer is told of a name in a block. A row says how the name, those beside it, and the block were used so far.

The future, needs and schedules are not known here: `moments` is what a training command calls, and it hands out the
rows that the strategy itself would have seen at each turn.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from harness.contract import Message
from strategies.blocks import Count, by_turn, split
from strategies.learned import reading as seen
from strategies.learned.reading import SHAPES, Floats, Page, Places, Reading

LONG_AGO = 100  # turns; older is the same
NAMES = (
    # the name
    "used", "uses", "use_near", "use_far", "uses_since",
    "shows", "shown_near", "shown_far", "shows_since", "common", "pinned",
    "says", "said_near", "asks", "asked_near", "coined", *SHAPES,
    # the best of those that stand in the same statement
    "company_used_near", "company_uses", "company_shown_near", "company_asked_near", "company_asks",
    # the block
    "age", "tokens", "names", "user", "focus_near", "focus_uses", "depth",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Items:
    """A row for each name that each block shows. block: numbers of the blocks as they were given, ascending; start:
    places of their first messages in the history; word: places in `Reading.words`. matrix: (rows, NAMES)."""

    block: Places
    start: Places
    word: Places
    matrix: Floats


def items(reading: Reading, starts: Sequence[int]) -> Items:
    """The rows of the blocks that begin at these places, as things stand now."""
    pages = [reading.pages[start] for start in starts]
    block = np.repeat(np.arange(len(pages)), [len(page.shown) for page in pages])
    word = _joined([page.shown for page in pages])
    now, own = reading.turn, reading.seen[word]
    uses, shows = own[:, seen.USED], own[:, seen.SHOWN]
    columns = [
        uses > 0,
        np.log1p(uses),
        _near(now, own[:, seen.LAST_USED]),
        _far(now, own[:, seen.LAST_USED]),
        np.log1p(uses - _joined([page.shown_used_then for page in pages])),
        np.log1p(shows),
        _near(now, own[:, seen.LAST_SHOWN]),
        _far(now, own[:, seen.LAST_SHOWN]),
        np.log1p(shows - _joined([page.shown_then for page in pages])),
        shows / max(1, reading.answers),
        np.isin(word, reading.pinned),
        np.log1p(own[:, seen.SAID]),
        _near(now, own[:, seen.LAST_SAID]),
        np.log1p(own[:, seen.ASKED]),
        _near(now, own[:, seen.LAST_ASKED]),
        own[:, seen.COINED],
        *reading.shape[word].T,
        *_company(reading, pages, word),
        *(column[block] for column in _of_blocks(reading, pages)),
        _joined([np.linspace(0, 1, len(page.shown)) for page in pages]),
    ]
    return Items(block, np.array(starts, np.intp)[block], word, np.column_stack(columns).astype(float))


def moments(
    messages: Sequence[Message], pinned: Collection[str], count: Count
) -> Iterator[Callable[[], tuple[Sequence[int], Sequence[str], Floats]]]:
    """One for each turn of a whole history, called just before the agent acts: for every name in every block so far
    the place of the block's first message, the name, and its row. pinned: ids of the messages in every view."""
    reading = Reading([message for message in messages if message.id in pinned])
    place = 0
    for number, turn in enumerate(by_turn(messages)):
        for block in split(turn, number, place, count, pinned):
            reading.take(block)
        place += len(turn)

        def rows() -> tuple[Sequence[int], Sequence[str], Floats]:
            found = items(reading, list(reading.pages))
            return found.start.tolist(), [reading.words[place] for place in found.word], found.matrix

        yield rows


def _near(now: float, last: Floats) -> Floats:
    """1 for this turn, 1/2 for the last one, near 0 for never."""
    return 1 / (1 + now - last)


def _far(now: float, last: Floats) -> Floats:
    return np.log1p(np.minimum(now - last, LONG_AGO))


def _of_blocks(reading: Reading, pages: Sequence[Page]) -> Iterable[Floats]:
    """age, tokens, names, user; and whether what its calls named was named again since, and how often at most."""
    again = [reading.seen[page.used] for page in pages]
    since = [np.max(rows[:, seen.USED] - p.used_then, initial=0) for rows, p in zip(again, pages, strict=True)]
    last = [
        np.max(rows[:, seen.LAST_USED], initial=seen.NEVER) if more else seen.NEVER
        for rows, more in zip(again, since, strict=True)
    ]
    yield np.log1p(reading.turn - np.array([page.turn for page in pages], float))
    yield np.log1p(np.array([page.tokens for page in pages], float))
    yield np.log1p(np.array([len(page.shown) for page in pages], float))
    yield np.array([page.user for page in pages], float)
    yield _near(reading.turn, np.array(last, float))
    yield np.log1p(np.array(since, float))


def _company(reading: Reading, pages: Sequence[Page], word: Places) -> Iterable[Floats]:
    """For each item the most that another name of its statement has."""
    heads, line, company = list[Places](), list[Places](), _joined([page.company for page in pages])
    names = statements = 0
    for page in pages:
        heads.append(page.heads + names)
        line.append(page.lines + statements)
        names += len(page.company)
        statements += len(page.heads)
    head, of = _joined(heads), _joined(line)
    statement = np.repeat(np.arange(len(head)), np.diff(np.append(head, len(company))))
    there, own = reading.seen[company], reading.seen[word]
    for column, scale in (
        (seen.LAST_USED, partial(_near, reading.turn)),
        (seen.USED, np.log1p),
        (seen.LAST_SHOWN, partial(_near, reading.turn)),
        (seen.LAST_ASKED, partial(_near, reading.turn)),
        (seen.ASKED, np.log1p),
    ):
        yield _best_other(scale(there[:, column]), scale(own[:, column]), of, statement, head)


def _best_other(there: Floats, own: Floats, of: Places, statement: Places, head: Places) -> Floats:
    """The highest value in the statement, leaving out the item itself; 0 where it stands alone."""
    if not len(head):
        return np.zeros(len(own))
    best = np.maximum.reduceat(there, head)
    tops = there == best[statement]
    second = np.maximum.reduceat(np.where(tops, 0.0, there), head)
    shared = np.add.reduceat(tops.astype(int), head) > 1
    return np.where((own < best[of]) | shared[of], best[of], second[of])


def _joined(arrays: Sequence[np.ndarray]) -> np.ndarray:
    return np.concatenate(arrays) if arrays else np.empty(0, np.intp)
