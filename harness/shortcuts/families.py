"""Which tasks of the configuration are generated families, and their cells."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from hydra import compose, initialize_config_dir
from hydra.utils import instantiate
from omegaconf import OmegaConf

from harness import plan
from harness.__main__ import CONF
from harness.contract import Task
from harness.plan import Cell


def generated(conf: str = CONF) -> list[str]:
    """The tasks whose facts are declared and whose texts a grammar reads, by the names of their files in conf/task.

    A task that asks for a setting of its own (the folder of recorded runs) is none, and neither is one that is made of
    another (a chain), for it tells nothing of its own.
    """
    found = []
    with initialize_config_dir(conf, version_base="1.3"):
        for path in sorted((Path(conf) / "task").glob("*.yaml")):
            config = compose("config", overrides=[f"task={path.stem}", "instances=1"])
            complete = not OmegaConf.missing_keys(config.task) and "task" not in config.task
            if complete and _declares(instantiate(config.task)):
                found.append(path.stem)
    return found


def _declares(task: Task) -> bool:
    if task.grammar is None:
        return False
    environment = task.open(task.instances()[0], 0)
    try:
        environment.reset()
        return environment.schedule() is not None
    finally:
        environment.close()


def cells(
    task: str, arms: Sequence[str], folder: Path, overrides: Sequence[str] = (), searchpath: Path | None = None
) -> dict[str, Cell]:
    """The cell of each arm, in `folder`/`task`. searchpath: one more folder of settings."""
    of_hydra = [f"hydra.searchpath=[file://{searchpath}]"] if searchpath else []
    given = [f"task={task}", f"name={task}", f"results={folder}", "embedder=none", *overrides]
    with initialize_config_dir(CONF, version_base="1.3"):
        planned = plan.cells([[*given, f"strategy={arm}"] for arm in arms], of_hydra)
    return dict(zip(arms, planned, strict=True))
