"""Plays micro-episodes with a model and gathers their readings."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache, partial

from harness.calibrate.probes import Probe, Reading
from harness.calibrate.replies import Replies
from harness.calibrate.scene import Scene
from harness.calibrate.wording import Plain
from harness.contract import Environment, Grammar, Instance, Message, Model, Reply, Request, Schedule, Turn
from harness.parts import ModelSource
from harness.text import clean_message

MOST = 4  # micro-episodes for an opportunity that exists only where another habit was shown
SHORT = 1500  # tokens that every view but a long one stays under


@dataclass(frozen=True, slots=True)
class Plan:
    """opportunities: for each dial. miss_from: tokens where position loss begins. output: most tokens of a reply.

    jobs: micro-episodes played at a time; the result does not depend on it.
    """

    opportunities: int
    seed: int
    miss_from: int
    output: int
    jobs: int = 1

    def check(self) -> None:
        """Raise ValueError for settings under which nothing can be measured."""
        if self.opportunities < 1 or self.jobs < 1:
            raise ValueError(f"--opportunities {self.opportunities} --jobs {self.jobs}: give 1 or more of each")
        if self.miss_from < SHORT:
            raise ValueError(f"reader.miss_from={self.miss_from}: every view would be a long one; give {SHORT} or more")


class Workshop:
    """The task that a model is opened for: its grammar, and no instances."""

    grammar: Grammar | None = Plain()

    def instances(self) -> Sequence[Instance]:
        return ()

    def open(self, instance: Instance, seed: int) -> Environment:
        return Bench()


class Bench:
    """An environment without steps: a micro-episode answers for itself."""

    def reset(self) -> Turn:
        return Turn(done=True)

    def step(self, reply: Message) -> Turn:
        return Turn(done=True)

    def schedule(self) -> Schedule | None:
        return None

    def score(self) -> dict[str, float]:
        return {}

    def close(self) -> None:
        pass


def calls(probe: Probe, opportunities: int) -> tuple[int, int]:
    """Fewest and most model calls that the micro-episodes of a probe take."""
    return opportunities, opportunities * probe.longest * (MOST if len(probe.dials) > 1 else 1)


def collect(
    probe: Probe,
    source: ModelSource,
    plan: Plan,
    replies: Replies | None = None,
    tell: Callable[[int], None] = lambda played: None,
) -> dict[str, list[Reading]]:
    """Readings by dial, at most `plan.opportunities` of each. tell: gets how many micro-episodes were played so far.

    Micro-episodes go on until each dial has its opportunities: at most MOST times as many, and no more than once as
    many if by then the first habit was never shown. A dial's first opportunities count, so none gets more for waiting.
    Whether to go on depends on the first habit alone, which is judged on a fixed number: intervals stay exact.
    """
    wanted, played = plan.opportunities, list[tuple[Reading, ...]]()
    play = partial(_play, probe, source, plan, replies)
    with ThreadPoolExecutor(plan.jobs) as pool:
        while len(played) < wanted * MOST:
            more = wanted if not played else min(-(-wanted // 4), wanted * MOST - len(played))
            for readings in pool.map(play, range(len(played), len(played) + more)):
                played.append(readings)
                tell(len(played))
            found = {dial: [r for readings in played for r in readings if r.dial == dial] for dial in probe.dials}
            fewest = min(map(len, found.values()))
            if fewest >= wanted or fewest == 0:
                break
    return {dial: readings[:wanted] for dial, readings in found.items()}


def _play(probe: Probe, source: ModelSource, plan: Plan, replies: Replies | None, number: int) -> tuple[Reading, ...]:
    """One micro-episode, the same whenever and beside whatever it is played."""
    seed = int.from_bytes(hashlib.sha256(f"{plan.seed}/{probe.dials[0]}/{number}".encode()).digest()[:6], "big")
    opened = cache(lambda: source.open(Workshop(), Bench(), seed))
    episode = probe.play(Scene(random.Random(seed)), plan.miss_from)
    ask = next(episode)
    while True:
        reply = _ask(opened, Request(ask.view, ask.tools, seed, plan.output), replies)
        try:
            ask = episode.send(clean_message(reply.message))
        except StopIteration as ended:
            readings: tuple[Reading, ...] = ended.value
            return readings


def _ask(opened: Callable[[], Model], request: Request, replies: Replies | None) -> Reply:
    return opened().complete(request) if replies is None else replies.reply(request, opened)
