"""`python -m harness.recall task=pipeline [instances=4] [embedder=wordllama]`: recall and precision over thresholds.

Queries are the orders of a generated task, passages what was told at least five steps before, relevant those that bind
a fact which the order needs. `make calibrate-retrieval` does it for pipeline and graph. The numbers hold for this
embedder and these texts alone.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from hydra import compose, initialize_config_dir
from hydra.errors import HydraException
from hydra.utils import instantiate
from rich.console import Console
from rich.table import Table

from harness.contract import Task
from harness.kit import Embedder
from harness.parts import SettingsError
from harness.recall.curve import TOP, Curve, Point, curve
from harness.recall.texts import asked

CONF = Path(__file__).parents[2] / "conf"


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m harness.recall", description=__doc__)
    parser.add_argument("overrides", nargs="*", help="Hydra overrides: task=graph instances=4 embedder=wordllama")
    chosen = parser.parse_intermixed_args(arguments)
    try:
        _run(chosen.overrides, Console())
    except (SettingsError, HydraException) as error:
        sys.exit(f"calibrate-retrieval: {error}")


def _run(overrides: Sequence[str], console: Console) -> None:
    with initialize_config_dir(str(CONF), version_base="1.3"):
        config = compose("config", overrides=["instances=4", *overrides], return_hydra_config=True)
    name, family = (config.hydra.runtime.choices[group] for group in ("embedder", "task"))
    try:
        task: Task = instantiate(config.task)
        orders = [one for instance in task.instances() for one in asked(task, instance, config.seed)]
    except ValueError as error:
        raise SettingsError(f"task={family}: {error}") from error
    if "_target_" not in config.embedder:
        raise SettingsError(f"embedder={name} embeds nothing: set embedder=wordllama")
    embedder: Embedder = instantiate(config.embedder)
    for filtered in (False, True):
        found = curve(orders, embedder.embed, filtered)
        among = "passages that name what is needed" if filtered else "all passages"
        console.print(_table(f"{family}, {embedder.name}, among {among}: {found.orders} orders", found))


def _table(title: str, found: Curve) -> Table:
    table = Table(title=title)
    for column in ("cosine from", "recall", "precision", "found", f"recall, best {TOP}", "precision", "found"):
        table.add_column(column, justify="right")
    for every, best in zip(found.points, found.best, strict=True):
        table.add_row(f"{every.threshold:.1f}", *_cells(every), *_cells(best))
    return table


def _cells(point: Point) -> Iterable[str]:
    precision = "-" if point.precision is None else f"{point.precision:.2f}"
    return f"{point.recall:.2f}", precision, f"{point.found:.1f}"


if __name__ == "__main__":
    main()
