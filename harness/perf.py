"""What the harness itself costs a step, all records saved: `make perf`.

Own cost = wall time of a turn less the time inside the strategy, the model and the environment. Absolute times depend
on the machine; the ratio between lengths, taken in one run, is what should be flat.
"""

from __future__ import annotations

import argparse
import json
import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from hydra import compose, initialize_config_dir
from omegaconf import OmegaConf
from rich.console import Console
from rich.table import Table

from harness import parts, record
from harness.play import play

LENGTHS = (80, 320, 1280, 10000)
CONF = Path(__file__).parent.parent / "conf"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--task", default="graph")
    parser.add_argument("--strategy", default="window")
    parser.add_argument("--lengths", type=int, nargs="+", default=list(LENGTHS))
    parser.add_argument("--one", type=int, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.one is not None:
        print(json.dumps(measure(arguments.task, arguments.strategy, arguments.one)))
        return
    rows = [_alone(arguments.task, arguments.strategy, length) for length in arguments.lengths]
    show(f"{arguments.strategy} on {arguments.task}", rows)


def measure(task: str, strategy: str, steps: int) -> dict[str, Any]:
    """Play one episode of so many steps and read its times: milliseconds a turn, tokens, bytes, memory in MB."""
    with initialize_config_dir(str(CONF), version_base="1.3"):
        overrides = [f"task={task}", f"strategy={strategy}", f"task.horizon={steps}", "instances=1"]
        config = OmegaConf.to_container(compose("config", overrides=overrides), resolve=True)
    assert isinstance(config, dict)
    built = parts.build({str(key): value for key, value in config.items()})
    built.tokenizer.text("loads the tokenizer before the clock runs")
    before = _memory()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "episode.jsonl"
        play(built, built.instances[0], path)
        times = [json.loads(line) for line in path.with_name("episode.times.jsonl").read_text().splitlines()]
        after = _memory()
        size = path.stat().st_size
        played = record.load(path)
    own = [total - composing - model - environment for _, composing, model, environment, total in times]
    new = sum(sum(segment.tokens) for segment in played.segments)
    return {
        "steps": played.steps,
        "own_ms": 1e3 * statistics.fmean(own),
        "compose_ms": 1e3 * statistics.fmean(row[1] for row in times),
        "model_ms": 1e3 * statistics.fmean(row[2] for row in times),
        "environment_ms": 1e3 * statistics.fmean(row[3] for row in times),
        "encoded_over_new": played.encoded / new,
        "bytes_a_step": size / max(played.steps, 1),
        "memory_mb": after,
        "memory_grown_mb": after - before,
    }


def show(title: str, rows: list[dict[str, Any]]) -> None:
    table = Table(title=f"Own cost a step, records on: {title}")
    times = ("own ms", "ratio", "compose ms", "model ms", "env ms")
    for name in ("steps", *times, "encoded/new", "bytes/step", "peak MB"):
        table.add_column(name, justify="right")
    for row in rows:
        table.add_row(
            f"{row['steps']:,}",
            f"{row['own_ms']:.3f}",
            f"{row['own_ms'] / rows[0]['own_ms']:.2f}",
            f"{row['compose_ms']:.3f}",
            f"{row['model_ms']:.3f}",
            f"{row['environment_ms']:.3f}",
            f"{row['encoded_over_new']:.3f}",
            f"{row['bytes_a_step']:,.0f}",
            f"{row['memory_mb']:.0f}",
        )
    Console().print(table)


def _alone(task: str, strategy: str, steps: int) -> dict[str, Any]:
    """Each length in a process of its own, so that peak memory is its own."""
    command = [sys.executable, "-m", "harness.perf", "--task", task, "--strategy", strategy, "--one", str(steps)]
    answer = subprocess.run(command, check=True, capture_output=True, text=True)
    found: dict[str, Any] = json.loads(answer.stdout)
    return found


def _memory() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    main()
