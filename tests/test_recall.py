"""Recall and precision of an embedder over thresholds."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from harness.recall.__main__ import main
from harness.recall.curve import curve
from harness.recall.texts import GAP, Asked, asked
from tasks.pipeline import pipeline

WORDS = ("red", "green", "blue")


def embed(texts: Sequence[str]) -> list[list[float]]:
    return [[float(word in text) for word in WORDS] for text in texts]


ORDERS = [
    Asked("red?", ("red", "red green", "blue", "nothing"), (frozenset({0}), frozenset({2})), frozenset({0, 1})),
    Asked("green?", ("green",), (frozenset({0}),), frozenset({0})),
]


def test_recall_is_of_facts_precision_of_passages() -> None:
    found = curve(ORDERS, embed, filtered=False, thresholds=(0.5, 0.9, 0.0))
    half, high, none = found.points
    assert (found.orders, found.facts) == (2, 3)
    assert (half.recall, half.precision, half.found) == (2 / 3, 2 / 3, 1.5)  # red, red green; green
    assert (high.recall, high.precision, high.found) == (2 / 3, 1.0, 1.0)
    assert (none.recall, none.precision, none.found) == (1.0, 3 / 5, 2.5)


def test_the_filter_leaves_what_names_an_owner_and_the_best_few_are_fewer() -> None:
    assert curve(ORDERS, embed, filtered=True, thresholds=(0.0,)).points[0].found == 1.5
    many = Asked("red?", tuple(f"red {n}" for n in range(20)), (frozenset({19}),), frozenset(range(20)))
    made = curve([many], embed, filtered=False, thresholds=(0.5,))
    assert (made.points[0].found, made.points[0].recall) == (20, 1.0)
    assert (made.best[0].found, made.best[0].recall) == (6, 0.0)


def test_nothing_found_has_no_precision_and_no_orders_no_curve() -> None:
    assert curve(ORDERS[1:], embed, filtered=False, thresholds=(1.1,)).points[0].precision is None
    with pytest.raises(ValueError, match="no order"):
        curve([], embed, filtered=False)


def test_orders_of_a_task_need_what_was_told_long_enough_before() -> None:
    task = pipeline(instances=1, horizon=20, subtasks=4)
    (instance,) = task.instances()
    orders = asked(task, instance, 1)
    goals = {goal.step: goal for goal in task.open(instance, 1).schedule().goals}
    assert 0 < len(orders) <= sum(step > GAP for step in goals)
    for one in orders:
        assert one.needed and all(places and max(places) < len(one.passages) for places in one.needed)
        assert frozenset().union(*one.needed) <= one.named
        assert not any(one.order in passage for passage in one.passages)


def test_the_command_prints_both_tables(capsys: pytest.CaptureFixture[str]) -> None:
    main(["task=graph", "instances=1", "task.horizon=20", "task.subtasks=4"])
    printed = capsys.readouterr().out
    assert "among all passages" in printed and "passages that name" in printed and "0.7" in printed


@pytest.mark.parametrize(
    ("overrides", "message"),
    [(["embedder=none"], "set embedder=wordllama"), (["task=team"], "choose a task with one agent")],
)
def test_what_cannot_be_calibrated_is_said(overrides: list[str], message: str) -> None:
    with pytest.raises(SystemExit, match=message):
        main([*overrides, "instances=1"])
