"""What the strategy learns while it runs, and what a light model tells it."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest

from harness.contract import Message, Reply, Request
from harness.kit import EpisodeKit
from harness.tokens import Characters, Counter
from strategies.structured.entries import quoting
from strategies.structured.inference import lines
from strategies.structured.intake import Learning
from tests.strategies.structured_runs import Run, long, strategy
from tests.strategies.test_placeholder_lines import entry

# ---------------------------------------------------------------- online


def test_what_comes_back_soon_raises_its_like_up_to_the_most() -> None:
    learning = Learning()
    told = [learning.fetched(entry(1), 10, step) for step in (12, 15, 15, 15, 15)]
    assert told == [
        "ACTION_OUTPUT/run 1 -> 1.5",
        "ACTION_OUTPUT/run 1.5 -> 2.25",
        "ACTION_OUTPUT/run 2.25 -> 3.375",
        "ACTION_OUTPUT/run 3.375 -> 4",
        None,
    ]
    assert learning.weights == {"ACTION_OUTPUT/run": 4.0}


def test_what_comes_back_later_teaches_nothing() -> None:
    learning = Learning(within=5)
    assert learning.fetched(entry(1), 10, 16) is None
    assert learning.weights == {}


def fetching(steps_later: int, **settings: object) -> Run:
    run = Run(700, strategy(policy="lru", **settings))
    run.view()
    run.act("start", long("first"))
    run.steps(*(long(f"part {n}") for n in range(3)))
    while not run.noted("evict"):
        run.act("more", long("more"))
        run.view()
    for number in range(steps_later):
        run.act("tick", f"tick {number}")
        run.view()
    run.fetch(id="ref1")
    run.view()
    return run


def test_in_an_episode_the_history_of_a_weight_stands_in_the_ledger() -> None:
    assert fetching(2).noted("weight") == [("ACTION_OUTPUT/run 1 -> 1.5", [])]
    assert fetching(6).noted("weight") == []
    assert fetching(6, within=9).noted("weight") == [("ACTION_OUTPUT/run 1 -> 1.5", [])]
    assert fetching(2, online=False).noted("weight") == []


def test_what_a_search_quotes_with_every_word_of_the_query_was_fetched_back() -> None:
    run = Run(700, strategy(policy="lru", search="keyword"))
    run.view()
    run.act("start", "the lock of db_1 is q7.zz9 " + "and " * 60)
    run.act("start", "db_2 has no lock at all " + "and " * 60)
    run.steps(*(long(f"part {n}") for n in range(3)))
    run.fetch(query="db_1/lock")
    run.view()
    assert run.noted("weight") == [("ACTION_OUTPUT/run 1 -> 1.5", [])]
    assert list(quoting("[2 found]\n[ref1, step 1]\na db_1 lock\n[ref2, step 2]\nno lock", "db_1/lock")) == [1]


# ---------------------------------------------------------------- a light model


@dataclass
class Model:
    """Says the same every time; keeps what it was asked."""

    said: str
    asked: list[Request] = field(default_factory=list)

    def complete(self, request: Request) -> Reply:
        self.asked.append(request)
        return Reply(Message("", "assistant", self.said))


@dataclass
class Later:
    """Background answers, there once they are let through."""

    model: Model
    ready: bool = False
    waiting: dict[int, Request] = field(default_factory=dict)

    def submit(self, request: Request, priority: float) -> int:
        self.waiting[len(self.waiting)] = request
        return len(self.waiting) - 1

    def poll(self, ticket: int) -> Reply | None:
        return self.model.complete(self.waiting[ticket]) if self.ready else None


def asking(model: Model, later: Any = None, **settings: object) -> Run:
    ask: Callable[[Request], Reply] = model.complete
    kit = EpisodeKit(Counter(Characters()), random.Random(1), ask, None, background=later)
    return Run(900, strategy(**{"edges": ["model"], "ask_every": 2, **settings}), kit)


SAID = "ref3 needs ref1 must 0.9\nref3 needs ref2 may 0.95\nref2 needs ref1 must 0.8\nno line"


def proposed(run: Run) -> list[tuple[str, float, str, str]]:
    return [(edge.origin, edge.weight, source, dependent) for edge, source, dependent in run.strategy.proposed()]


def test_sure_edges_count_and_doubtful_ones_are_stored_without_counting_for_safety() -> None:
    run = asking(Model(SAID), ask_every=3)
    run.steps("one", "two", "three")
    assert proposed(run) == [
        ("model", 1.0, "m3", "m7"), ("model", 0.3, "m5", "m7"), ("doubted", 0.3, "m3", "m5"),
    ]  # fmt: skip


def test_the_border_of_confidence_is_a_setting() -> None:
    run = asking(Model(SAID), ask_every=3, confidence=0.5)
    run.steps("one", "two", "three")
    assert ("model", 1.0, "m3", "m5") in proposed(run)


def test_it_is_asked_in_batches_about_what_is_new_with_old_entries_beside() -> None:
    model = Model("")
    run = asking(model)
    run.steps("one", "two", "three", "four", "five")
    assert len(model.asked) == 2
    old, new = model.asked[1].view[1].content.split("NEW:")
    assert [text.split(":")[0] for text in old.split("\n") if text] == ["ref1", "ref2"]
    assert [text.split(":")[0] for text in new.split("\n") if text] == ["ref3", "ref4"]


def test_it_is_asked_nothing_unless_it_is_one_of_the_sources() -> None:
    model = Model(SAID)
    run = asking(model, edges=["declared", "use"])
    run.steps("one", "two", "three", "four")
    assert model.asked == []


def test_an_answer_in_another_form_is_noted() -> None:
    run = asking(Model("I see no dependencies."))
    run.steps("one", "two")
    assert run.noted("refused") == [("edges", [])]
    assert proposed(run) == []


def test_beside_the_agent_the_answer_counts_once_it_is_there() -> None:
    later = Later(Model(SAID))
    run = asking(later.model, later, ask="beside", ask_every=3)
    run.steps("one", "two", "three")
    assert proposed(run) == []
    later.ready = True
    run.steps("four")
    assert len(proposed(run)) == 3
    assert len(later.model.asked) == 1


@pytest.mark.parametrize("text", ["ref1 needs ref2", "ref1 needs ref2 maybe 0.9", "ref1 needs ref2 must 7"])
def test_only_whole_lines_are_read(text: str) -> None:
    assert list(lines(text)) == []
