"""The guessers find what is there to find, and judge only what they have not seen."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest
from hydra.utils import instantiate

from harness.shortcuts import checks, guess, units
from harness.shortcuts.guess import Sample, concordance
from harness.shortcuts.units import Statement, Told
from tests.suite.suite import finished


def concord(scores: list[float], amounts: list[int], strata: list[int] | None = None) -> float:
    return concordance(np.array(scores), np.array(amounts), np.array(strata or [0] * len(scores)))


def test_concordance_is_the_share_of_pairs_in_the_right_order() -> None:
    assert concord([0.1, 0.4, 0.35, 0.8], [0, 0, 1, 1]) == 0.75
    assert concord([3, 2, 1], [0, 1, 2]) == 0.0
    assert concord([5, 5], [0, 1]) == 0.5
    assert np.isnan(concord([1, 2], [1, 1]))


def test_concordance_compares_within_strata_only() -> None:
    assert concord([1, 2, 9, 8], [0, 1, 0, 1], [0, 0, 1, 1]) == 0.5
    assert concord([1, 2, 9, 8], [0, 1, 5, 6], [0, 0, 1, 1]) == 0.5
    assert np.isnan(concord([1, 2], [0, 1], [0, 1]))


def told(instance: str, needed: list[bool], exempt: list[bool] | None = None) -> Told:
    free = exempt or [False] * len(needed)
    rows = tuple(Statement(f"s{n}", n, len(needed), x, f) for n, (x, f) in enumerate(zip(needed, free, strict=True)))
    return Told(instance, "tool", "s", rows)


def test_statements_of_exempt_kinds_are_left_out() -> None:
    found = [told("a", [True, False, True], [True, False, False])]
    assert [s.label for s in guess.statements(found, exempt=False)] == [False, True]
    assert [s.label for s in guess.statements(found, exempt=True)] == [True, False, True]
    assert [s.stratum for s in guess.messages(found, exempt=False)] == [2]


def test_messages_are_compared_with_those_that_state_as_much() -> None:
    found = [told("a", [True, False, False, False]), told("a", [True, True, False, False]), told("b", [False])]
    samples = guess.messages(found, exempt=False)
    assert [(s.amount, s.stratum, s.label) for s in samples] == [(1, 4, False), (2, 4, True), (0, 1, False)]


def sample(text: str, label: bool, instance: str) -> Sample:
    return Sample(text, guess.shape(text), int(label), label, 0, instance)


def test_what_is_known_by_heart_in_an_instance_does_not_help() -> None:
    """In each instance a word of its own marks what is needed."""
    rng = random.Random(1)
    found = []
    for instance in range(60):
        marked, plain = ("".join(rng.sample("bcdfghjklmnpqrstvwxz", 8)) for _ in range(2))
        found += [sample(f"the {word} one", word == marked, str(instance)) for word in (marked, plain) * 5]
    got = guess.guess(found)
    assert 0.35 < got.words < 0.65
    assert (got.n, got.share) == (600, 0.5)


def test_shapes_are_found_that_no_words_tell() -> None:
    rng = random.Random(2)
    found = []
    for n in range(600):
        label = rng.random() < 0.3
        words = [rng.choice(["alpha", "betas", "gamma"]) for _ in range(9 if label else rng.choice([7, 8, 10, 11]))]
        found.append(sample(" ".join(words), label, str(n % 10)))
    assert guess.guess(found).shapes > 0.95


def test_nothing_to_tell_apart_is_an_error() -> None:
    with pytest.raises(ValueError, match="3 of 3 samples are needed"):
        guess.guess([sample("x", True, instance) for instance in "abc"])


@pytest.mark.parametrize(("leak", "by", "instances"), [("leaky_word", "words", 10), ("leaky_shape", "shapes", 5)])
def test_a_planted_leak_is_found(leak: str, by: str, instances: int, tmp_path: Path) -> None:
    """Every needed statement begins with the same words, or the same two marks."""
    one = finished(leak, "full", tmp_path, f"instances={instances}")
    played = checks.recorded(one)
    assert [record.score for record in played] == [{"success": 1.0}] * instances
    grammar = instantiate(one.config["task"]).grammar
    guessed = checks.guesses(units.all_told(played, grammar), exempt=False)
    assert getattr(guessed["statements"], by) >= 0.99
    assert getattr(guessed["messages"], by) >= 0.9
