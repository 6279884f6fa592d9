"""`python -m harness.cost.fit PATH [--write FILE]`: fit the cache of a provider to recorded usage.

Each run is predicted by a cache that was fitted on the others. What is printed: the cached share so predicted beside
the reported one and that of ideal prefix matching; errors a call beside those of the best constant share (which knows
the left-out calls); and what the gap to the ideal consists of. --write puts the fit of all runs into a price list.
"""

from __future__ import annotations

import argparse
import datetime
import math
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np
import yaml

from harness.cost import evidence, usage_log
from harness.cost.estimate import Array, Grid, expected, inputs, lifetime, shares
from harness.cost.prices import Cache
from harness.cost.usage_log import Run
from harness.files import write_text
from harness.report.grid import Column, grid

FEWEST = 3  # runs


@dataclass(frozen=True, slots=True)
class Scores:
    """Of predictions of left-out calls. pooled: cached ÷ input; rmse, mae: of a call's share."""

    pooled: float
    rmse: float
    mae: float


@dataclass(frozen=True, slots=True)
class Fit:
    """cache: of all runs. left_out: predictions by the fits on the others; folds: these fits. reported: pooled share.
    constant: the best constant share for each error. survived: longest pause after which something was read, seconds.
    """

    cache: Cache
    folds: tuple[Cache, ...]
    left_out: Scores
    ideal: Scores
    constant: Scores
    reported: float
    survived: float
    calls: int


def fit(runs: Sequence[Run]) -> Fit:
    """Raises ValueError for fewer than three runs."""
    if len(runs) < FEWEST:
        raise ValueError(f"{len(runs)} runs: give {FEWEST} or more, each is predicted from the others")
    whole = Grid(runs)
    cache = whole.best()
    folds = tuple(whole.best(number) for number in range(len(runs)))
    predicted = np.concatenate([expected(fold, run) for fold, run in zip(folds, runs, strict=True)])
    best = np.concatenate([_ideal(run) for run in runs])
    tokens, y = np.concatenate([*map(inputs, runs)]), np.concatenate([*map(shares, runs)])
    mean, median = float(y.mean()), float(np.median(y))
    constant = Scores(mean, float(y.std()), float(np.abs(y - median).mean()))
    limit, survived = lifetime(cache, runs)
    reported = float((y * tokens).sum() / tokens.sum())
    cache = replace(cache, lifetime=limit, stray=round(cache.stray, 4))
    left_out, ideal = _scores(predicted, tokens, y), _scores(best, tokens, y)
    return Fit(cache, folds, left_out, ideal, constant, reported, survived, len(y))


def _ideal(run: Run) -> Array:
    return expected(Cache(), run)


def _scores(predicted: Array, tokens: Array, y: Array) -> Scores:
    off = predicted / tokens - y
    return Scores(float(predicted.sum() / tokens.sum()), math.sqrt(float((off**2).mean())), float(np.abs(off).mean()))


# ---------------------------------------------------------------- printed


def lines(found: Fit, runs: Sequence[Run]) -> Iterator[str]:
    cache = found.cache
    yield f"{len(runs)} runs, {found.calls:,} calls"
    yield (
        f"block {cache.block:,} tokens · minimum {max(cache.minimum, cache.block):,} · stray {cache.stray:.4f} to "
        f"{cache.servers} other servers · miss {cache.miss:.4f}"
    )
    held = "not to be told from these runs" if cache.lifetime is None else f"{cache.lifetime:g} s"
    yield f"lifetime {held}: something was read after a pause of {found.survived:g} s"
    yield f"on the other runs alone: {', '.join(_spread(found.folds, name) for name in ('block', 'stray', 'miss'))}"
    yield ""
    columns = [Column("runs left out", left=True), Column("cached share"), Column("off"), Column("RMSE"), Column("MAE")]
    rows = [("the provider", f"{found.reported:.4f}", "", "", "")]
    for name, one in (("fitted", found.left_out), ("ideal prefix", found.ideal)):
        rows.append(
            (name, f"{one.pooled:.4f}", f"{one.pooled - found.reported:+.4f}", f"{one.rmse:.4f}", f"{one.mae:.4f}")
        )
    rows.append(("best constant", "", "", f"{found.constant.rmse:.4f}", f"{found.constant.mae:.4f}"))
    yield from grid(columns, [list(row) for row in rows])
    yield ""
    yield from _gap(evidence.gap(runs, cache.block))
    yield ""
    heads = ("call of a run", "calls", "read nothing", "expected share")
    yield from _small(heads, evidence.by_position(runs, cache))
    yield ""
    heads = ("pause before, s", "calls", "read nothing", "read all blocks")
    yield from _small(heads, evidence.by_pause(runs, cache))


def _gap(found: evidence.Gap) -> Iterator[str]:
    yield f"ideal {found.ideal:.4f} of the input, reported {found.read:.4f}; between them"
    parts = {
        "part block after the last whole one": found.rounding + found.beyond,
        "prefix under a block": found.short,
        "fewer blocks than there were": found.partial,
        "nothing, though blocks were there": found.whole,
    }
    yield from (f"  {share:.4f}  {name}" for name, share in parts.items())
    yield "calls: " + ", ".join(f"{name} {count}" for name, count in found.states.most_common())


def _small(heads: Sequence[str], rows: Sequence[tuple[str, int, float, float]]) -> Iterator[str]:
    columns = [Column(heads[0], left=True), *(Column(head) for head in heads[1:])]
    yield from grid(columns, [[name, str(n), f"{a:.3f}", f"{b:.3f}"] for name, n, a, b in rows])


def _spread(folds: Sequence[Cache], name: str) -> str:
    values = [getattr(fold, name) for fold in folds]
    return f"{name} {min(values):.4g} to {max(values):.4g}"


def write(path: Path, found: Fit, command: str, runs: int) -> None:
    """Replace the cache of a price list, its last setting, and say where it comes from."""
    text, mark, _ = path.read_text().partition("\ncache:")
    if not mark:
        raise ValueError(f"{path}: there is no `cache:` to replace; end the list with `cache: {{}}`")
    head = text.partition("\nfit:")[0]
    how = {
        "command": command,
        "date": datetime.date.today().isoformat(),
        "runs": runs,
        "calls": found.calls,
        "cached_share": {
            "reported": round(found.reported, 4),
            "left_out": round(found.left_out.pooled, 4),
            "ideal": round(found.ideal.pooled, 4),
        },
        "longest_pause_survived": found.survived,
    }
    write_text(path, f"{head}\n{yaml.safe_dump({'fit': how, 'cache': asdict(found.cache)}, sort_keys=False)}")


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m harness.cost.fit", description="Fit a provider's prefix cache.")
    parser.add_argument("path", type=Path, help="a folder of JSON files with the provider's usage, a run a file")
    parser.add_argument("--write", type=Path, metavar="FILE", help="put the fit into this price list (conf/prices/…)")
    chosen = parser.parse_args(arguments)
    try:
        runs = usage_log.load(chosen.path)
        found = fit(runs)
        print("\n".join(lines(found, runs)))
        if chosen.write is not None:
            write(chosen.write, found, f"python -m harness.cost.fit {chosen.path.name}", len(runs))
    except ValueError as problem:
        sys.exit(f"longhaul: {problem}")


if __name__ == "__main__":
    main()
