"""`python -m harness.graphs task=graph [strategy=placeholder_eviction] [task.labels=declared] [instances=4]`.

Prints, over the episodes of a generated task: precision and recall of each source of edges against what the task needs;
how many of the evictions called safe were needed later; recall and latency of the store's search, by tier.
"""

from __future__ import annotations

import argparse
import sys
from collections import defaultdict
from collections.abc import Sequence
from functools import partial
from itertools import product
from typing import Any

from hydra import compose, initialize_config_dir
from hydra.errors import HydraException
from hydra.utils import instantiate
from rich.console import Console
from rich.table import Table

from harness import parts as building
from harness import plan
from harness.__main__ import CONF
from harness.graphs.edges import Graphed, Safe, Source, safe, scores
from harness.graphs.played import Played, played
from harness.graphs.stores import Found, searched
from harness.parts import Parts, SettingsError

DEFAULTS = ("task=graph", "strategy=placeholder_eviction", "instances=4", "checkpoints=[]")
SEARCHES = ("keyword", "vector", "vector+metadata")
TIERS = {"hot": 10**6, "cold": 1}  # entries in the fast tier
TOPS = (1, 3, 5)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m harness.graphs", description=__doc__)
    parser.add_argument("overrides", nargs="*", help="Hydra overrides: task=credentials strategy.policy=lru")
    chosen = parser.parse_intermixed_args(arguments)
    try:
        _run(chosen.overrides, Console())
    except (SettingsError, HydraException) as error:
        sys.exit(f"graphs: {error}")


def _run(overrides: Sequence[str], console: Console) -> None:
    with initialize_config_dir(CONF, version_base="1.3"):
        config = compose("config", overrides=[*DEFAULTS, *overrides], return_hydra_config=True)
    own = plan.cell(config, config.hydra.runtime.choices).config
    parts = building.build(own)
    if not isinstance(arm := parts.strategy(), Graphed):
        raise SettingsError(f"{type(arm).__name__} has no graph: set strategy=placeholder_eviction")
    found = list(played(parts))
    console.print(_edges(parts, found))
    total = sum((safe(one.record, parts.task.grammar) for one in found), Safe())
    console.print(
        f"evicted as safe: {total.messages} messages, {total.telling} with facts, {total.needed} needed later\n"
    )
    console.print(_stores(parts, found, own["strategy"]))


def _edges(parts: Parts, found: Sequence[Played]) -> Table:
    totals: dict[str, Source] = defaultdict(Source)
    for one in found:
        assert isinstance(one.strategy, Graphed)
        for name, source in scores(one.record, parts.task.grammar, one.strategy.proposed()).items():
            totals[name] += source
    table = Table(title=f"edges against needs, {len(found)} episodes")
    for column in ("source", "edges", "precision", "recall", "kept to the end", "precision of these"):
        table.add_column(column, justify="left" if column == "source" else "right")
    for name, own in sorted(totals.items()):
        cells = (_share(own.precision), _share(own.recall), str(own.kept), _share(own.precision_kept))
        table.add_row(name, str(own.edges), *cells)
    return table


def _stores(parts: Parts, found: Sequence[Played], strategy: dict[str, Any]) -> Table:
    table = Table(title="search of the store, asked with the keys of facts that it holds")
    for column in ("search", "tier", "facts", *(f"recall@{top}" for top in TOPS), "ms, median", "P95"):
        table.add_column(column, justify="right" if column not in ("search", "tier") else "left")
    for search, (tier, hot) in product(SEARCHES, TIERS.items()):
        tops = [
            sum((searched(parts, one, partial(_make, strategy, search, hot, top)) for one in found), Found())
            for top in TOPS
        ]
        times = (tops[-1].median, tops[-1].milliseconds(95))
        shown = ("-" if value is None else f"{value:.2f}" for value in times)
        table.add_row(search, tier, str(tops[-1].facts), *(_share(one.recall) for one in tops), *shown)
    return table


def _make(strategy: dict[str, Any], search: str, hot: int, top: int) -> Any:
    return instantiate({**strategy, "retrieve": True, "search": search, "hot": hot, "top": top})


def _share(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"


if __name__ == "__main__":
    main()
