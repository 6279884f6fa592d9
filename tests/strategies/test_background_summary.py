"""Summaries beside the agent: orders of events are searched, not slept for."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import pytest

from harness.context import check
from harness.contract import Message, Reply, Request
from harness.kit import EpisodeKit
from harness.models.extractive import Extractive
from harness.tokens import Characters, Counter
from strategies.background_summary import BackgroundSummary
from strategies.compaction.breaker import Breaker
from tests.conformance.laws import whole
from tests.conformance.scripts import Script, rounds

LONG = Script("task", ((), *rounds(24)))
BUDGET = whole(LONG) // 3


class Air:
    """A background whose calls end when a test says so. Time goes on by a second a look at the clock."""

    def __init__(self) -> None:
        self.requests: list[Request] = []
        self.priorities: list[float] = []
        self.replies: dict[int, Reply] = {}
        self.queue = 0
        self.now = 0.0

    def submit(self, request: Request, priority: float) -> int:
        self.requests.append(request)
        self.priorities.append(priority)
        return len(self.requests) - 1

    def poll(self, ticket: int) -> Reply | None:
        return self.replies.get(ticket)

    def waiting(self) -> int:
        return self.queue

    def close(self) -> None:
        """Nothing runs."""

    @property
    def open(self) -> list[int]:
        return [ticket for ticket in range(len(self.requests)) if ticket not in self.replies]

    def finish(self, ticket: int) -> None:
        self.replies[ticket] = Extractive(Characters()).complete(self.requests[ticket])

    def fail(self, ticket: int) -> None:
        self.replies[ticket] = Reply(Message("", "assistant", "down"), finish="failed")


def lend(air: Air) -> EpisodeKit:
    return EpisodeKit(Counter(Characters()), random.Random(1), background=air, clock=lambda: air.now)


def begun(air: Air, **settings: Any) -> tuple[BackgroundSummary, EpisodeKit]:
    strategy, kit = BackgroundSummary(**{"levels": ["fragment"], "keep_turns": 2, **settings}), lend(air)
    strategy.reset(kit, LONG.brief)
    return strategy, kit


def holds(view: Sequence[Message], history: Any, named: set[str]) -> None:
    """No message is lost in silence, doubled, or out of order; pinned text stands; the summary covers what it says."""
    check(view, history, BUDGET, Counter(Characters()))
    covered = {source for message in view for source in message.sources}
    raw = [message.id for message in view if not message.sources]
    assert not covered & set(raw), "a message stands raw and is covered too"
    out = {message.id for message in history} - covered - set(raw)
    assert out <= named, f"{sorted(out - named)} are gone without an event"


def test_thousands_of_orders_lose_nothing_double_nothing_and_keep_the_order() -> None:
    """append, trigger, finish, fail, crash (state saved and loaded) in any order that a seed draws, every second time
    with idle time used."""
    landed = crashes = 0
    for seed in range(1000):
        rng, air, polish = random.Random(seed), Air(), seed % 2 == 0
        strategy, kit = begun(air, share=0.5, polish=polish)
        history, named = LONG.start(), set[str]()
        for turn in range(rng.randint(8, len(LONG.turns))):
            LONG.append(history, turn)
            view = strategy.compose(history, BUDGET)
            named |= {name for event in kit.drain() for name in event.detail["sources"]}
            holds(view, history, named)
            due = [ticket for ticket in air.open if not air.requests[ticket].better]
            assert len(due) <= 1, "two summaries are under way"
            if air.open and rng.random() < 0.35:
                (air.finish if rng.random() < 0.8 else air.fail)(rng.choice(air.open) if polish else air.open[0])
                landed += 1
            if rng.random() < 0.15:
                saved = strategy.export()
                strategy = BackgroundSummary(share=0.5, levels=["fragment"], keep_turns=2, polish=polish)
                kit = lend(air)
                strategy.reset(kit, LONG.brief, saved)
                assert strategy.compose(history, BUDGET) == view, "a crash changed the view"
                kit.drain()
                crashes += 1
            air.now += rng.random() * 10
    assert landed > 700 and crashes > 700


def summaries(air: Air, strategy: BackgroundSummary, kit: EpisodeKit, turns: int, delay: int) -> list[list[str]]:
    """Sources of the summary in each view, where a call is answered `delay` turns after it was made."""
    history, found = LONG.start(), list[list[str]]()
    asked: dict[int, int] = {}
    for turn in range(turns):
        for ticket in air.open:
            if turn - asked.setdefault(ticket, turn) >= delay:
                air.finish(ticket)
        LONG.append(history, turn)
        view = strategy.compose(history, BUDGET)
        found.append([source for message in view for source in message.sources])
    kit.drain()
    return found


def test_what_came_in_meanwhile_stands_raw_behind_the_summary() -> None:
    air = Air()
    strategy, kit = begun(air, share=0.5)
    found = summaries(air, strategy, kit, 16, delay=3)
    first = next(n for n, sources in enumerate(found) if sources)
    asked = next(n for n in range(first) if not found[n])
    assert found[first] == sorted(found[first], key=lambda name: int(name[1:]))
    assert asked < first and f"m{2 * first}" not in found[first]


def test_one_is_under_way_at_a_time_and_the_nearest_to_its_budget_has_priority() -> None:
    air = Air()
    strategy, _ = begun(air, share=0.3)
    history = LONG.start()
    for turn in range(10):
        LONG.append(history, turn)
        strategy.compose(history, BUDGET)
    assert len(air.requests) == 1
    assert 0.3 < air.priorities[0] <= 1.0


def test_each_splice_names_the_version_it_was_based_on_and_the_one_it_met() -> None:
    air = Air()
    strategy, kit = begun(air, share=0.5)
    history, told = LONG.start(), list[str]()
    for turn in range(12):
        LONG.append(history, turn)
        strategy.compose(history, BUDGET)
        told += [event.detail["trigger"] for event in kit.drain() if event.kind == "landed"]
        for ticket in air.open[: turn % 3 == 0]:
            air.finish(ticket)
    based, met = (int(word) for word in told[0].split() if word.isdigit())
    assert based < met


def test_failures_open_the_breaker_and_the_last_resort_keeps_the_view_in_its_budget() -> None:
    air = Air()
    strategy, kit = begun(air, share=0.4, failures=2, cool=1e9, retries=0)
    history, kinds = LONG.start(), list[tuple[str, str]]()
    for turn in range(24):
        LONG.append(history, turn)
        view = strategy.compose(history, BUDGET)
        assert Counter(Characters()).messages(view) <= BUDGET
        kinds += [(event.kind, event.detail["trigger"]) for event in kit.drain()]
        for ticket in air.open:
            air.fail(ticket)
    assert ("breaker", "open: failures") in kinds and ("overflow", "budget") in kinds
    assert len(air.requests) == 2


def test_a_slow_answer_makes_the_next_one_shallow() -> None:
    air = Air()
    strategy, kit = begun(air, share=0.4, slow=5.0, levels=["fragment", "session", "global"], low_water=0.2)
    history, told = LONG.start(), list[str]()
    for turn in range(24):
        LONG.append(history, turn)
        strategy.compose(history, BUDGET)
        told += [event.detail["trigger"] for event in kit.drain() if event.kind == "submit"]
        air.now += 6
        for ticket in air.open:
            air.finish(ticket)
    assert "all levels" in told[0] and any("finest level" in text for text in told[1:])


# ---------------------------------------------------------------- the breaker


def test_the_breaker_opens_on_failures_latency_and_queue_and_closes_after_a_trial() -> None:
    for why in ("failures", "latency", "queue"):
        breaker = Breaker(failures=2, latency=10, queue=3, cool=30)
        assert breaker.allows(0, 3)
        if why == "failures":
            breaker.answered(1, 1, ok=False)
            assert breaker.allows(1, 0)
            breaker.answered(2, 1, ok=False)
        elif why == "latency":
            breaker.answered(2, 11, ok=True)
        else:
            assert not breaker.allows(2, 4)
        assert breaker.take_changes() == [("open", why)]
        assert not breaker.allows(31, 0)
        assert breaker.allows(33, 0) and breaker.state == "half-open"
        breaker.answered(34, 1, ok=True)
        assert breaker.state == "closed"


def test_a_failed_trial_opens_it_again() -> None:
    breaker = Breaker(failures=3, latency=10, queue=3, cool=30)
    breaker.answered(0, 99, ok=True)
    assert breaker.allows(40, 0)
    breaker.answered(41, 1, ok=False)
    assert (breaker.state, breaker.allows(60, 0)) == ("open", False)


@pytest.mark.parametrize("bad, message", [({"failures": 0}, "failures=0"), ({"slow": -1}, "slow=-1")])
def test_settings_out_of_range_are_refused(bad: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        BackgroundSummary(**bad).reset(lend(Air()), LONG.brief)
