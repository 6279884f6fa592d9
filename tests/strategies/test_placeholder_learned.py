"""Learned utility in structured eviction: what the weights say goes first, and the same after a new start."""

from __future__ import annotations

from pathlib import Path

import pytest

from strategies.placeholder_eviction import PlaceholderEviction
from tests.strategies.structured_runs import Run, long, shows, strategy
from tests.strategies.test_learned_eviction import weights

FILLER = "plain " * 60


def learned(folder: Path, **given: float) -> PlaceholderEviction:
    return strategy(policy="utility", utility="learned", model=weights(folder, **given), low_water=1.0, edges=[])


def run(folder: Path, **given: float) -> Run:
    """alpha_1 and beta/2 in answers of the same length, then more than the budget holds."""
    played = Run(900, learned(folder, **given))
    played.steps("alpha_1 " + FILLER, "beta/2 " + FILLER, *(f"gamma.{n} " + FILLER for n in range(8)))
    return played


def test_the_weights_decide_what_leaves(tmp_path: Path) -> None:
    for name, stays, goes in (("underscore", "alpha_1", "beta/2"), ("path", "beta/2", "alpha_1")):
        view = run(tmp_path, **{name: 6.0}).view()
        assert shows(view, f"{stays} plain") and not shows(view, f"{goes} plain")


def test_rules_look_at_no_weights(tmp_path: Path) -> None:
    views = []
    for name in ("underscore", "path"):
        own = strategy(policy="utility", model=weights(tmp_path, **{name: 6.0}), edges=[])
        played = Run(900, own)
        views.append(played.steps("alpha_1 " + FILLER, "beta/2 " + FILLER, *(long(f"part {n}") for n in range(8))))
    assert [m.content for m in views[0]] == [m.content for m in views[1]]


def test_of_two_that_show_the_same_name_one_is_worth_staying(tmp_path: Path) -> None:
    played = Run(900, learned(tmp_path, underscore=6.0))
    played.steps("alpha_1 " + FILLER, "alpha_1 " + FILLER, *(f"gamma.{n} " + FILLER for n in range(8)))
    assert sum("alpha_1 plain" in message.content for message in played.view()) == 1


def test_after_a_new_start_the_same_is_expected(tmp_path: Path) -> None:
    whole = run(tmp_path, underscore=6.0)
    again = Run(900, learned(tmp_path, underscore=6.0), saved=whole.strategy.export())
    again.history, again.calls = whole.history, whole.calls
    for played in (whole, again):
        played.view()
    for text in ("gamma_3 " + FILLER, "delta.9 " + FILLER):
        whole.act("look on", text)
        assert [m.content for m in whole.view()] == [m.content for m in again.view()]


def test_weights_that_are_not_there_are_refused() -> None:
    with pytest.raises(FileNotFoundError, match=r"nothing\.json"):
        Run(900, strategy(utility="learned", model="nothing.json"))
    with pytest.raises(ValueError, match="digest"):
        Run(900, strategy(utility="learned", digest="0"))
    with pytest.raises(ValueError, match="utility"):
        Run(900, strategy(utility="guessed"))
