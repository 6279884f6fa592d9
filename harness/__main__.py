"""`python -m harness`: run a cell; `python -m harness -m …`: run a sweep."""

from __future__ import annotations

import sys
from pathlib import Path

import hydra
from hydra.core.hydra_config import HydraConfig
from omegaconf import DictConfig

# Absolute, so that it is found from a checkout and from an installed package alike.
CONF = str(Path(__file__).resolve().parent.parent / "conf")


@hydra.main(version_base="1.3", config_path=CONF, config_name="config")
def _job(config: DictConfig) -> bool:
    from harness import job, plan

    return job.run(plan.cell(config, HydraConfig.get().runtime.choices))


def main() -> None:
    """Ctrl-C alone stops a sweep: what is recorded stays, the same command goes on."""
    try:
        _job()
    except KeyboardInterrupt:
        sys.exit("\nlonghaul: stopped; the same command runs what is missing")


if __name__ == "__main__":
    main()
