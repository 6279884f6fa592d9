"""Every file in conf/ composes, and what it names can be built."""

from __future__ import annotations

from pathlib import Path

import pytest
from hydra import compose, initialize_config_dir
from hydra.utils import instantiate
from omegaconf import OmegaConf

from harness import plan

CONF = Path(__file__).parent.parent / "conf"
BUILT = ("compactor", "embedder", "model", "reader", "strategy", "task", "tokenizer")
CHOICES = [
    (path.parent.name, path.stem)
    for path in sorted(CONF.glob("*/*.yaml"))
    if path.parent.name not in ("claims", "experiment", "learn", "tune")  # these have tests of their own
]
EXPERIMENTS = sorted(path.stem for path in (CONF / "experiment").glob("*.yaml"))
# What an experiment asks its user for.
GIVEN = {"replay": ["task.path=runs"]}


@pytest.fixture(autouse=True)
def conf():
    with initialize_config_dir(str(CONF), version_base="1.3"):
        yield


@pytest.mark.parametrize(("group", "name"), CHOICES)
def test_every_choice_composes_and_builds(group: str, name: str, tmp_path: Path) -> None:
    asked = {
        ("task", "replay"): [f"task.path={tmp_path}"],
        ("compactor", "model"): ["model@compactor=scripted"],
        ("model", "replay"): ["model.path=cell"],
        ("model", "trajectory"): ["model.path=runs"],
        ("model", "openai"): ["model.model=name"],
        ("model", "anthropic"): ["model.model=name"],
    }
    overrides = asked.get((group, name), [])
    config = compose("config", overrides=[f"{group}={name}", *overrides])
    settings = config.get(group)
    if group in BUILT and settings and "_target_" in settings:
        assert instantiate(settings) is not None


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_every_experiment_expands_into_cells_that_compose(name: str) -> None:
    overrides = [f"experiment={name}", *GIVEN.get(name, [])]
    config = compose("config", overrides=overrides, return_hydra_config=True)
    params = OmegaConf.to_container(config.hydra.sweeper.params or OmegaConf.create({}))
    assert isinstance(params, dict)
    jobs = plan.expand(overrides, params)
    assert jobs
    for job in (jobs[0], jobs[-1]):
        made = compose("config", overrides=list(job), return_hydra_config=True)
        assert plan.cell(made, made.hydra.runtime.choices).folder.parent.name == config.name
