"""Events, overflow, chains of tasks, and what a turn costs."""

from __future__ import annotations

import random

from harness.contract import Strategy
from harness.kit import EpisodeKit
from harness.tokens import Characters, Counter
from strategies.head import Head
from strategies.mask import Mask
from strategies.window import Window
from tests.conformance.laws import play, whole
from tests.conformance.scripts import Script, acts, rounds

HUGE = acts("cat", "log line\n" * 500, first=2)
WITH_HUGE = Script("task", ((), *rounds(2), HUGE, acts("after", "seen", first=3)))


def ids(strategy: Strategy, script: Script, budget: int) -> list[list[str]]:
    return [[message.id for message in turn.view] for turn in play(strategy, script, budget)]


def events(strategy: Strategy, script: Script, budget: int) -> list[list[tuple[str, str, list[str]]]]:
    found = []
    for turn in play(strategy, script, budget):
        found.append([(e.kind, e.detail["trigger"], e.detail["sources"]) for e in turn.events])
    return found


def test_each_batch_is_one_event_with_its_messages() -> None:
    script = Script("task", ((), *rounds(4)))
    budget = whole(Script("task", ((), *rounds(2))))
    assert events(Window(), script, budget) == [
        [],
        [],
        [],
        [("evict", "budget", ["m2", "m3"])],
        [("evict", "budget", ["m4", "m5"])],
    ]


def test_a_block_over_the_whole_room_is_dropped_alone() -> None:
    for strategy in (Window(), Head(), Mask()):
        assert ids(strategy, WITH_HUGE, 200)[3:] == [
            ["m0", "m1", "m2", "m3", "m4", "m5"],
            ["m0", "m1", "m2", "m3", "m4", "m5", "m8", "m9"],
        ]
        assert events(strategy, WITH_HUGE, 200) == [[], [], [], [("overflow", "oversize", ["m6", "m7"])], []]


def test_under_error_the_view_stays_over_the_budget() -> None:
    for strategy in (Window(overflow="error"), Head(overflow="error"), Mask(overflow="error")):
        assert ids(strategy, WITH_HUGE, 200)[3][-2:] == ["m6", "m7"]
        assert not any(kind == "overflow" for turn in events(strategy, WITH_HUGE, 200) for kind, _, _ in turn)


def test_what_the_rule_leaves_too_much_a_window_cuts() -> None:
    script = Script("task", ((), *rounds(4)))
    budget = whole(Script("task", ((), *rounds(2))))
    wide = Window(unit="turns", turns=3)
    assert ids(wide, script, budget)[3] == ["m0", "m1", "m4", "m5", "m6", "m7"]
    assert events(wide, script, budget)[3] == [("overflow", "budget", ["m2", "m3"])]


def test_in_a_chain_the_newest_task_is_pinned_and_the_view_starts_with_a_user_message() -> None:
    script = Script("task", ((), *rounds(2), (*acts("done", "ok", first=2), "task two"), acts("next", "seen", first=3)))
    full = whole(script)
    assert ids(Window(), script, full)[-1] == [f"m{n}" for n in range(11)]
    # One token short: the first task goes, and with it the blocks that would then open the view.
    assert ids(Window(), script, full - 1)[-1] == ["m0", "m8", "m9", "m10"]
    assert ids(Head(), script, full - 1)[-1] == ["m0", "m1", "m2", "m3", "m4", "m5", "m8", "m9", "m10"]


def test_each_message_is_encoded_once_however_long_the_episode() -> None:
    script = Script("task", ((), *rounds(300)))
    once = Counter(Characters())
    once.messages(script.grown(300))
    for strategy in (Window(), Window(low_water=0.8), Head(), Head(share=0.5)):
        counter = Counter(Characters())
        strategy.reset(EpisodeKit(counter, random.Random(0)), script.brief)
        history = script.start()
        for turn in range(len(script.turns)):
            script.append(history, turn)
            strategy.compose(history, 500)
        assert counter.encoded == once.encoded
