"""The episodes of a history, as the agent declared them, and which of them is to go next."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from strategies.blocks import Block
from strategies.episodes.tools import KINDS, NAMES, Asked, read, took_effect

Order = Literal["acts", "age"]
Outside = Literal["last", "stay"]
OUTSIDE: tuple[Outside, ...] = ("last", "stay")


@dataclass(slots=True)
class Episode:
    """start, end: places of the blocks with the calls; end None = open. level: how many levels were applied to it.

    needs: names of the explorations that an act builds on. ended: id of the call that ended it. evicted: all of it has
    left the view.
    """

    name: str
    kind: str
    needs: tuple[str, ...]
    start: int
    end: int | None = None
    description: str = ""
    ended: str = ""
    level: int = 0
    evicted: bool = False


class Episodes:
    """In the order of their starts.

    outside: last = a block that stands in none, but after the first, is an exploration of its own, without a name.
    """

    def __init__(self, outside: Outside = "stay") -> None:
        self._outside = outside
        self.all: list[Episode] = []
        self.open: Episode | None = None
        self._by_name: dict[str, Episode] = {}
        self._closed_at: dict[int, list[Episode]] = {}
        self._waiting: dict[str, int] = {}  # by exploration, how many acts that build on it are not evicted
        self._first = 0  # episodes before it are evicted

    def follow(self, head: Block) -> None:
        """Take in the calls of a block that had an effect."""
        within = self.open is not None
        answers = {answer.answers: answer for answer in head.messages[1:]}
        for call in head.messages[0].calls:
            if call.name in NAMES and took_effect(answers.get(call.id)):
                asked = read(call)
                if self.refusal(asked) is None:
                    self.take(asked, head.start, call.id)
                    within = True
        if not within and self.all and self._outside == "last":
            self.all.append(Episode("", "expl", (), head.start, head.start))

    def copy(self) -> Episodes:
        """What answers to further calls depend on."""
        found = Episodes()
        found.open, found._by_name = self.open, dict(self._by_name)
        return found

    def refusal(self, asked: Asked) -> str | None:
        """Why a call cannot be; None where it can."""
        if asked.action == "start":
            return self._bad_start(asked)
        if asked.action != "end":
            return f"action {asked.action!r} is neither start nor end"
        if self.open is None:
            return "no episode is open, so none was ended"
        if self.open.kind == "expl" and not asked.description:
            return f"the expl {self.open.name!r} needs a description at its end. It is still open"
        if self.open.kind == "act" and asked.description:
            return f"the act {self.open.name!r} takes no description at its end. It is still open"
        return None

    def _bad_start(self, asked: Asked) -> str | None:
        if self.open is not None:
            return f"the episode {self.open.name!r} is open: end it first"
        if not asked.name:
            return "an episode needs a name"
        if asked.name in self._by_name:
            return f"there was an episode {asked.name!r} before: give another name"
        if asked.kind not in KINDS:
            return f"type {asked.kind!r} is neither expl nor act"
        if asked.kind == "act" and not asked.needs:
            return "an act names at least one earlier expl among its dependencies"
        for need in asked.needs if asked.kind == "act" else ():
            known = self._by_name.get(need)
            if known is None or known.kind != "expl":
                return f"the dependency {need!r} is no earlier expl"
        return None

    def take(self, asked: Asked, place: int = 0, call: str = "") -> str:
        """Start or end an episode; the answer to the call. It must have been found to be no refusal."""
        if asked.action == "start":
            needs = asked.needs if asked.kind == "act" else ()  # an expl has none, whatever was given
            episode = self.open = Episode(asked.name, asked.kind, needs, place)
            self.all.append(episode)
            self._by_name[episode.name] = episode
            for need in episode.needs:
                self._waiting[need] = self._waiting.get(need, 0) + 1
            builds = f" on {', '.join(episode.needs)}" if episode.needs else ""
            return f"start [{episode.kind}] {episode.name}{builds}"
        ended = self.open
        assert ended is not None
        # A copy made for answers shares its episodes with us: only ours may change.
        episode = Episode(ended.name, ended.kind, ended.needs, ended.start, place, asked.description, call)
        if self.all and self.all[-1] is ended:
            self.all[-1] = episode
        self._by_name[episode.name] = episode
        self._closed_at.setdefault(place, []).append(episode)
        self.open = None
        return f"end [{episode.kind}] {episode.name}"

    def owner(self, place: int) -> Episode | None:
        """The episode that a block at this place belongs to: the newest that had begun by then, unless it was over."""
        found = bisect_right(self.all, place, key=lambda episode: episode.start) - 1
        if found < 0:
            return None
        episode = self.all[found]
        return episode if episode.end is None or place <= episode.end else None

    def learned_at(self, place: int) -> list[Episode]:
        """The explorations that were ended at this place."""
        return [episode for episode in self._closed_at.get(place, ()) if episode.kind == "expl"]

    def next(self, order: Order, acted: int) -> Episode | None:
        """Which episode is to go: the oldest act, else the oldest exploration on which nothing in view builds (acts);
        or whichever of them is the oldest (age).

        acted: place of the newest block with a call of another tool. Its answer is what the agent is about to act on,
        so an episode that reaches up to there stays.
        """
        explorations = None
        for episode in self._ended_before(acted):
            if episode.kind == "act":
                return episode
            if explorations is None and not self._waiting.get(episode.name):
                explorations = episode
                if order == "age":
                    break
        return explorations

    def _ended_before(self, acted: int) -> Iterator[Episode]:
        while self._first < len(self.all) and self.all[self._first].evicted:
            self._first += 1
        for episode in self.all[self._first :]:
            if episode.end is None or episode.end >= acted:
                return
            if not episode.evicted:
                yield episode

    def evict(self, episode: Episode) -> None:
        episode.evicted = True
        for need in episode.needs:
            self._waiting[need] -= 1
