"""Real episodes of a configured cell, played and measured."""

from pathlib import Path

from hydra import compose, initialize_config_dir
from omegaconf import OmegaConf

from harness import measures, parts
from harness import record as records
from harness.play import play

CONF = Path(__file__).parents[2] / "conf"


def build(*overrides):
    with initialize_config_dir(str(CONF), version_base="1.3"):
        config = compose("config", overrides=["embedder=none", *overrides])
    return parts.build({k: v for k, v in OmegaConf.to_container(config, resolve=True).items() if k != "hydra"})


def played(folder, built, number=0):
    """Path of the record of one instance."""
    path = Path(folder) / "episodes" / f"{number}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    play(built, built.instances[number], path)
    return path


def measured(folder, built, number=0):
    """The record of one instance, and its measures."""
    record = records.load(played(folder, built, number))
    return record, measures.measure(record, built.task.grammar, built.checkpoints)
