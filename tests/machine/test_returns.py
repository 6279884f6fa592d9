"""Turns from a return to the first right step."""

from __future__ import annotations

from harness.contract import Event, Usage
from harness.record import TurnRow
from harness.returns import Returns


def turn(n: int, step: int, *events: Event, acted: int = 1) -> TurnRow:
    return TurnRow(n, step, acted, 0, n, [], (), (), 0, 0, 0, Usage(), 0, (), tuple(events), 0.0)


def back(step: int, until: int) -> Event:
    return Event("returned", {"branch": "main_01", "step": step, "until": until})


def goal(step: int, met: bool) -> Event:
    return Event("goal", {"step": step, "met": met, "used": {}})


def lags(goals: list[int], *turns: TurnRow) -> list[int]:
    returns = Returns(goals)
    for one in turns:
        returns.take(one)
    return returns.lags


def test_the_lag_counts_turns_to_the_first_right_step_overhead_turns_too() -> None:
    turns = (
        turn(1, 4, back(5, 9)),
        turn(2, 5, acted=0),
        turn(3, 5, goal(5, False)),
        turn(4, 6),
        turn(5, 7, goal(7, True)),
        turn(6, 8, goal(8, True)),
    )
    assert lags([5, 7, 8], *turns) == [4]


def test_a_visit_without_a_right_step_counts_with_all_its_turns() -> None:
    turns = (turn(1, 4, back(5, 6)), turn(2, 5, goal(5, False)), turn(3, 6, goal(6, False)), turn(4, 7, goal(7, True)))
    assert lags([5, 6, 7], *turns) == [2]


def test_a_visit_without_goals_is_not_due_and_one_that_is_cut_short_has_no_lag() -> None:
    assert lags([3, 9], turn(1, 4, back(5, 6)), turn(2, 5), turn(3, 6)) == []
    assert lags([5, 8], turn(1, 4, back(5, 8)), turn(2, 5, goal(5, False))) == []
    assert Returns([5]).mean is None


def test_parallel_steps_of_one_turn_are_taken_in_their_order() -> None:
    assert lags([5], turn(1, 4, goal(4, True), back(5, 8), goal(5, True), acted=2)) == [0]
    assert lags([5, 9], turn(1, 4, back(5, 6), goal(5, False), back(7, 9), goal(9, True), acted=6)) == [0, 0]


def test_several_returns_are_averaged() -> None:
    returns = Returns([5, 6, 11])
    for one in (turn(1, 4, back(5, 7)), turn(2, 5, goal(5, True)), turn(3, 10, back(11, 14)), turn(4, 11, acted=0)):
        returns.take(one)
    assert returns.mean == 1.0
    for one in (turn(5, 11, acted=0), turn(6, 11, goal(11, True))):
        returns.take(one)
    assert returns.lags == [1, 3] and returns.mean == 2.0
