"""Under coupling one early error costs more than its own goal."""

from __future__ import annotations

import pytest
from hydra import compose, initialize_config_dir
from hydra.utils import instantiate

from harness.__main__ import CONF
from tests.suite.suite import FAMILIES
from tests.tasks.oracle import play

INSTANCES = 2


def lost(family: str, coupling: int, number: int) -> tuple[int, int]:
    """The step of one early error, and how many goals it costs."""
    with initialize_config_dir(CONF, version_base="1.3"):
        config = compose("config", overrides=[f"task={family}", f"task.coupling={coupling}", f"instances={INSTANCES}"])
    task = instantiate(config.task)
    needs = task.open(task.instances()[number], 0).plan.needs
    early = min(step for need in needs.values() for step in need.base)
    run = play(task, number, spoil=lambda step, answer: "unknown" if step == early else answer)
    return early, sum(not event.detail["met"] for event in run.goals().values())


@pytest.mark.parametrize("family", FAMILIES)
def test_one_early_error_costs_more_than_one_goal_under_coupling_alone(family: str) -> None:
    for number in range(INSTANCES):
        early, goals = lost(family, 1, number)
        assert early <= 20
        assert goals > 1
        assert lost(family, 0, number) == (early, 1)
