"""Dial `borders`: what instructions say about subtasks changes what is said, never what is told and asked."""

import re

import pytest

from tasks.borders import said, starts, titles
from tasks.dials import Dials
from tasks.plan import subtask
from tests.tasks.oracle import FAMILIES, play

TRUE = tuple(subtask(step, 80, 12) for step in range(81))


def named(task, number=0):
    """The subtask that each instruction names, as the grammar reads it."""
    run = play(task, number)
    return run, [task.grammar.question(order).subtask for order in run.orders[1:]]


@pytest.mark.parametrize("family", FAMILIES)
def test_announced_hidden_and_noisy_headers(family):
    plans = {}
    for borders in ("announced", "hidden", "noisy"):
        run, parts = named(FAMILIES[family](borders=borders))
        assert run.world.score() == {"success": 1.0}
        plan = plans[borders] = run.world.plan
        if borders == "announced":
            assert parts == [str(plan.subtask(step)) for step in range(1, 81)]
        elif borders == "hidden":
            assert parts == [None] * 80 and "part" not in "".join(re.findall(r"\[step [^]]*\]", "".join(run.orders)))
        else:
            assert parts == [str(part) for part in plan.said[1:]]
    for plan in plans.values():
        assert [n.step for n in plan.needs.values()] == [n.step for n in plans["announced"].needs.values()]
        assert [n.op for n in plan.needs.values()] == [n.op for n in plans["announced"].needs.values()]
        assert [len(rows) for rows in plan.told] == [len(rows) for rows in plans["announced"].told]


def test_a_noisy_border_is_early_late_or_wrong_about_as_often_as_asked():
    kinds = {"true": 0, "early": 0, "late": 0, "wrong": 0}
    for seed in range(100):
        parts = said(Dials(borders="noisy", border_noise=0.3), seed)
        for part in range(2, 13):
            steps = [step for step in range(81) if TRUE[step] == part]
            if part not in [parts[step] for step in steps]:
                kinds["wrong"] += 1
            elif parts[steps[0] - 1] == part:
                kinds["early"] += 1
            elif parts[steps[0]] != part:
                kinds["late"] += 1
            else:
                kinds["true"] += 1
    assert 0.66 < kinds["true"] / 1100 < 0.74
    assert all(0.06 < kinds[kind] / 1100 < 0.14 for kind in ("early", "late", "wrong"))


def test_noise_of_zero_and_one_are_no_border_and_every_border():
    assert said(Dials(borders="noisy", border_noise=0.0), 1) == TRUE
    parts = said(Dials(borders="noisy", border_noise=1.0), 1)
    for part in range(2, 13):
        steps = [step for step in range(81) if TRUE[step] == part]
        assert parts[steps[0]] != part or parts[steps[0] - 1] == part


@pytest.mark.parametrize("borders", ["hidden", "noisy"])
def test_titles_do_not_count_subtasks_unless_they_are_announced(borders):
    steps, owners = titles("batch", Dials(borders=borders), 3)
    assert len(set(steps) | set(owners)) == 81 + 13
    assert titles("batch", Dials(), 3)[0] == [f"batch_{part:02d}" for part in TRUE]


def test_sessions_begin_at_borders_and_are_even():
    assert starts(Dials()) == ()
    assert starts(Dials(sessions=2)) == (41,)
    assert starts(Dials(sessions=3)) == (28, 55)
    assert starts(Dials(sessions=12)) == tuple(step for step in range(2, 81) if TRUE[step] != TRUE[step - 1])


@pytest.mark.parametrize(
    ("dial", "value"), [("borders", "seen"), ("border_noise", 1.5), ("sessions", 0), ("sessions", 13)]
)
def test_dials_that_cannot_be_met_are_refused(dial, value):
    with pytest.raises(ValueError, match=dial):
        FAMILIES["pipeline"](**{dial: value})
