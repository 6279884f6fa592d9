"""An extractive summariser that needs no model: it picks whole sentences and lines, word for word.

Units are chosen greedily by what they newly cover (Lin and Bilmes 2011, "A Class of Submodular Functions for Document
Summarization", sections 3 and 4: a saturating coverage, gain over cost). What a unit covers are its words, weighted by
TF-IDF within the text, so that a unit is worth more the more central it is; names and numbers weigh more; a word that
was covered is worth half each time, so that repeats are taken last. Near linear in the text: gains only fall, so
units wait in a heap by the gain they had, and one whose gain is still near that is taken (the lazy greedy rule of
Minoux 1978, with a slack so that a text of like lines is not gone through again for each that is taken).
"""

from __future__ import annotations

import heapq
import math
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from harness.contract import Environment, Message, Reply, Request, Task
from harness.models.shortening import form_of, refuse_over, said, text_of
from harness.models.units import Unit, fitted, units, words
from harness.tokens import Tokenizer

_NAME = re.compile(r"[\d_]|\w[./:@#+-]\w")  # in a word that is a name, a number or a path
NAMED = 2.0  # weight of such a word against another one
ASKED = 2.0  # weight of a word that an earlier user message of the request has, against another one
KNOWN = "<known>"  # begins an earlier user message that says what is known already: its words count as covered
EDGE = 0.5  # what the first and the last unit gain by their place; nothing in the middle
COVERED = 0.5  # worth of a word each time it is covered once more, at most so many times:
OFTEN = 4
SLACK = 0.1  # by how much of its gain a unit that is taken may fall short of the best
BREVITY = 0.7  # gain is divided by tokens to this power: 0 = the richest units first, 1 = the densest


@dataclass(frozen=True, slots=True)
class Extractive:
    """A source of extractive summarisers.

    window: most tokens of a request's texts, None = no limit; one over it is refused, as a server would.
    """

    tokenizer: Tokenizer
    window: int | None = None

    def open(self, task: Task, environment: Environment, seed: int) -> Extractive:
        """The same for every episode: a reply is a function of its request."""
        return self

    def complete(self, request: Request) -> Reply:
        """Shorten the last user message to at most `request.max_output` tokens; the other ones say what matters.

        finish = "length" where not even one unit fits: then the reply is the best one, cut off.
        Raises ValueError if the request is over the window.
        """
        refuse_over(self.window, request, self.tokenizer)
        context, text = text_of(request)
        room, found, form = request.max_output, units(text), form_of(request)

        def count(text: str) -> int:
            return self.tokenizer.text(form(text))

        if count(text) <= room and not context:
            whole = fitted(range(len(found)), found, [0] * len(found), room, count)
            if whole:
                return said(form(whole))
        costs = [self.tokenizer.text(unit.text) for unit in found]
        known = {word for told in context if told.startswith(KNOWN) for word in words(told)}
        asked = {word for told in context if not told.startswith(KNOWN) for word in words(told)}
        best = list(ranked(found, costs, asked, known))
        chosen = fitted(best, found, costs, room, count)
        if chosen or not best:
            return said(form(chosen))
        return Reply(Message("", "assistant", cut(found[best[0]].text, room, self.tokenizer)), finish="length")


def cut(text: str, room: int, tokenizer: Tokenizer) -> str:
    """The longest beginning, in characters, that has at most `room` tokens."""
    low, high = 0, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if tokenizer.text(text[:middle]) <= room else (low, middle - 1)
    return text[:low]


def ranked(
    found: Sequence[Unit], costs: Sequence[int], asked: Collection[str] = (), known: Collection[str] = ()
) -> Iterator[int]:
    """Places of the units, the one with most new coverage for its cost first."""
    weights = _weights(found, asked)
    seen = defaultdict(int, dict.fromkeys(known, 1))
    last = max(len(found) - 1, 1)
    bonus = [1 + EDGE * abs(2 * place / last - 1) for place in range(len(found))]

    def gain(place: int) -> float:
        covered: float = sum(weights[word] * COVERED ** min(seen[word], OFTEN) for word in set_of[place])
        return float(bonus[place] * covered / max(costs[place], 1) ** BREVITY)

    set_of = [tuple(dict.fromkeys(unit.words)) for unit in found]
    heap = [(-gain(place), place) for place in range(len(found))]
    heapq.heapify(heap)
    while heap:
        stale, place = heapq.heappop(heap)
        fresh = -gain(place)
        if fresh > (1 - SLACK) * stale:  # worth too little by now
            heapq.heappush(heap, (fresh, place))
            continue
        for word in set_of[place]:
            seen[word] += 1
        yield place


def _weights(found: Sequence[Unit], asked: Collection[str]) -> Mapping[str, float]:
    """TF-IDF of each word over the units, with more for names and for what was asked about."""
    often = Counter(word for unit in found for word in unit.words)
    units_with = Counter(word for unit in found for word in set(unit.words))
    return {
        word: (1 + math.log(often[word]))
        * math.log(1 + len(found) / units_with[word])
        * (NAMED if _NAME.search(word) else 1.0)
        * (ASKED if word in asked else 1.0)
        for word in often
    }
