"""Settings: what cannot work is refused with its numbers, and what is left out is worked out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from harness.parts import SettingsError, build
from tests.machine.test_cell import settings


@pytest.mark.parametrize(
    "changed, message",
    [
        ({"checkpoints": [5, 13]}, r"checkpoint 13 lies past the task's horizon of 12 steps: set checkpoints=\[…\]"),
        ({"budget": None}, "budget and window are both null: set one of them"),
        ({"budget": None, "window": 100}, "window=100 - limits.output=100 - margin=0 leaves no room for any input"),
        ({"budget": None, "window": 150, "margin": 60}, "window=150 - limits.output=100 - margin=60 leaves no room"),
        ({"budget": 0}, "budget=0 leaves no room"),
        ({"only": ["desk-0", "desk-7"]}, "only: 'desk-7' is no instance; there are 3, such as 'desk-0'"),
        ({"only": "no-such-file"}, "only=no-such-file: there is no such file; give a file with one instance id a line"),
        ({"strategy": {"_target_": "tests.machine.arms.Newest", "keeep": 1}}, "strategy: cannot build tests.*keeep"),
        ({"strategy": {"_target_": "strategies.summary.Summary"}}, "compactor=none: set compactor=extractive"),
        ({"task": {"_target_": "tests.machine.toy.Desk", "count": 0}}, "task: there are no instances to run"),
    ],
)  # fmt: skip
def test_settings_that_cannot_work_are_refused_with_their_numbers(changed: dict[str, Any], message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        build(settings(**changed))


def test_the_budget_is_the_window_less_reserve_and_margin() -> None:
    assert build(settings(budget=None, window=1000, margin=20)).budget == 880
    assert build(settings(budget=None, window=121, margin=20)).budget == 1


def test_the_turn_limit_follows_the_horizon() -> None:
    assert build(settings()).limits.turns == 28
    limits = {"turns": 5, "turn_factor": 1.5, "turn_spare": 10, "tokens": 9, "output": 7}
    assert (build(settings(limits=limits)).limits.turns, build(settings(limits=limits)).limits.tokens) == (5, 9)


def test_instances_come_from_a_file(tmp_path: Path) -> None:
    names = tmp_path / "ids"
    names.write_text("desk-2\ndesk-0\n")
    assert [i.id for i in build(settings(only=str(names))).instances] == ["desk-2", "desk-0"]


def test_every_arm_gets_the_same_seed_and_every_instance_its_own() -> None:
    one, two = build(settings()), build(settings({"_target_": "tests.machine.arms.Whole"}))
    seeds = [[parts.episode_seed(i) for i in parts.instances] for parts in (one, two)]
    assert seeds[0] == seeds[1]
    assert len(set(seeds[0])) == 3
    assert build(settings(seed=1)).episode_seed(one.instances[0]) not in seeds[0]
