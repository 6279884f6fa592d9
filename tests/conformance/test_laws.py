"""Each law catches a strategy that breaks it: a law that cannot fail proves nothing."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from harness.context import ViewError
from harness.contract import Brief, History, Kit, Message
from tests.conformance import laws
from tests.conformance.scripts import FIXTURES

View = Sequence[Message]


class Broken:
    """Composes by a function of the history, the number of composes so far, and whatever `shared` holds."""

    def __init__(self, compose: Callable[[Broken, History, int], View]) -> None:
        self.rule = compose
        self.composed = 0
        self.past: list[Message] = []
        self.kit: Kit

    def reset(self, kit: Kit, brief: Brief, saved: bytes | None = None) -> None:
        self.kit = kit
        self.composed = 0

    def compose(self, history: History, budget: int) -> View:
        self.composed += 1
        return self.rule(self, history, budget)


def splits_a_block(own: Broken, history: History, budget: int) -> View:
    return [*history.pinned, *history[3:]]


def loses_the_task(own: Broken, history: History, budget: int) -> View:
    return [history[0], *history[2:]]


def ignores_the_budget(own: Broken, history: History, budget: int) -> View:
    return history[:]


def makes_without_sources(own: Broken, history: History, budget: int) -> View:
    return [*history.pinned, Message("made:1", "user", "note")]


def edits_the_history(own: Broken, history: History, budget: int) -> View:
    history.append(Message("", "user", "mine"))  # type: ignore[attr-defined]
    return history.pinned


def counts_composes(own: Broken, history: History, budget: int) -> View:
    return [*history.pinned, Message(f"made:{own.composed}", "user", f"turn {own.composed}", sources=("m1",))]


def remembers_episodes(own: Broken, history: History, budget: int) -> View:
    own.past.append(history[-1])
    text = " ".join(message.content for message in own.past)
    return [*history.pinned, Message("made:1", "user", text, sources=("m1",))]


def drops_in_silence(own: Broken, history: History, budget: int) -> View:
    return history.pinned


def reads_everything(own: Broken, history: History, budget: int) -> View:
    own.kit.count(list(history))
    return history.pinned


def shared() -> Callable[[Broken, History, int], View]:
    calls: list[int] = []

    def leaks(own: Broken, history: History, budget: int) -> View:
        calls.append(1)
        return [*history.pinned, Message(f"made:{len(calls)}", "user", f"{len(calls)}", sources=("m1",))]

    return leaks


@pytest.mark.parametrize(
    ("law", "compose"),
    [
        (laws.views_hold, splits_a_block),
        (laws.views_hold, loses_the_task),
        (laws.views_hold, ignores_the_budget),
        (laws.views_hold, makes_without_sources),
        (laws.history_untouched, edits_the_history),
        (laws.history_alone, counts_composes),
        (laws.same_seed_same_view, shared()),
        (laws.nothing_leaks, remembers_episodes),
        (laws.forks_leave_no_trace, shared()),
        (laws.a_probe_leaves_no_trace, counts_composes),
        (laws.what_left_is_named, drops_in_silence),
        (laws.prefix_stays_between_events, counts_composes),
        (laws.cost_is_new_text_and_view, reads_everything),
    ],
)
def test_a_broken_strategy_is_caught(law: laws.Law, compose: Callable[[Broken, History, int], View]) -> None:
    with pytest.raises((AssertionError, ViewError)):
        law(lambda: Broken(compose), FIXTURES["amended"], 100)


def test_every_law_is_shown_to_catch_something() -> None:
    (mark,) = (m for m in test_a_broken_strategy_is_caught.pytestmark if m.name == "parametrize")  # type: ignore[attr-defined]
    assert {law for law, _ in mark.args[1]} == set(laws.ALL)
