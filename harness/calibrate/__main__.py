"""`python -m harness.calibrate model=scripted reader=realistic --opportunities 200`: fit the reader's dials to a model.

Settings are Hydra overrides of conf/config.yaml: `model=…` is the model to fit; `reader.tries` and `reader.miss_from`
are taken over as they are. Writes a profile for conf/reader.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from hydra import compose, initialize_config_dir
from hydra.errors import HydraException
from hydra.utils import instantiate
from omegaconf import OmegaConf
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from harness import sources
from harness.calibrate import profile
from harness.calibrate.collect import MOST, Bench, Plan, Workshop, calls, collect
from harness.calibrate.estimate import Fit, fit
from harness.calibrate.probes import MARGIN, PROBES
from harness.calibrate.replies import Replies
from harness.files import write_text
from harness.models.dials import Dials
from harness.parts import ModelSource, SettingsError
from harness.tokens import compact

CONF = Path(__file__).parents[2] / "conf"
LEVEL = 0.95


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m harness.calibrate", description=__doc__)
    parser.add_argument("overrides", nargs="*", help="Hydra overrides, such as model=scripted reader=realistic seed=1")
    parser.add_argument("--opportunities", type=int, default=200, help="for each dial (default: 200)")
    parser.add_argument("--out", type=Path, help="the profile to write (default: conf/reader/<model>.yaml)")
    parser.add_argument("--replies", type=Path, help="file of the replies (default: results/calibrate/<profile>.jsonl)")
    parser.add_argument("--jobs", type=int, default=1, help="micro-episodes played at a time (default: 1)")
    chosen = parser.parse_intermixed_args(arguments)
    try:
        _run(chosen, Console(), Console(stderr=True))
    except (SettingsError, HydraException) as error:
        sys.exit(f"calibrate: {error}")
    except KeyboardInterrupt:
        sys.exit("\ncalibrate: stopped; the same command goes on from the replies it has")


def _run(chosen: argparse.Namespace, console: Console, errors: Console) -> None:
    config, name = _config(chosen.overrides)
    settings = _settings(config)
    plan = Plan(chosen.opportunities, config["seed"], settings.miss_from, config["output"], chosen.jobs)
    try:
        plan.check()
    except ValueError as error:
        raise SettingsError(str(error)) from error
    out = chosen.out or CONF / "reader" / f"{name}.yaml"
    if out.exists() and not out.read_text(encoding="utf-8").startswith(profile.MARK):
        raise SettingsError(f"{out} was not written by a calibration: give another file as --out")
    source = _source(config["model"])
    record = chosen.replies or Path(config["results"], "calibrate", f"{out.stem}.jsonl")
    replies = Replies(record, _about(config["model"]))
    _announce(name, plan, replies.path, errors)
    fits = _measure(source, plan, replies.load(), errors)
    head = (
        f"to model={name}: {json.dumps(config['model'])}",
        f"{plan.opportunities} opportunities a dial, seed {plan.seed}, long views of {int(plan.miss_from * MARGIN):,} "
        "tokens (estimate).",
        "docs/readers.md says how each dial is measured, and what a fitted reader still cannot show.",
    )
    write_text(out, profile.text(fits, settings, head, LEVEL))
    console.print(_table(name, fits))
    console.print(f"wrote {out}", markup=False, highlight=False, soft_wrap=True)


def _config(overrides: Sequence[str]) -> tuple[dict[str, Any], str]:
    """The settings that matter here, resolved, and the name of the model."""
    with initialize_config_dir(str(CONF), version_base="1.3"):
        config = compose("config", overrides=list(overrides), return_hydra_config=True)
    if missing := sorted(OmegaConf.missing_keys(config.model)):
        raise SettingsError(f"model.{missing[0]} has no value: give it as model.{missing[0]}=…")
    parts = {key: OmegaConf.to_container(config[key], resolve=True) for key in ("model", "reader")}
    plain = {"seed": config.seed, "results": config.results, "output": config.limits.output}
    return {**parts, **plain}, str(config.hydra.runtime.choices["model"])


def _settings(config: Mapping[str, Any]) -> Dials:
    try:
        settings: Dials = instantiate(config["reader"])
        settings.check()
    except Exception as error:
        raise SettingsError(f"reader: {error}") from error
    return settings


def _source(model: Mapping[str, Any]) -> ModelSource:
    """Build it, and open it once: what cannot work must not wait until the first call."""
    try:
        source: ModelSource = instantiate(model)
        source.open(Workshop(), Bench(), 0)
    except Exception as error:
        name = model.get("_target_", model)
        raise SettingsError(f"model: cannot build or open {name}: {error.__cause__ or error}") from error
    return source


def _about(model: Mapping[str, Any]) -> str:
    """What a recorded reply depends on beside its request: the settings of the model and its code."""
    modules = {sources.module_of(target) for target in sources.targets(model)}
    return compact([model, sources.digest(modules)])


def _announce(name: str, plan: Plan, replies: Path, errors: Console) -> None:
    ranges = [calls(probe, plan.opportunities) for probe in PROBES]
    tokens = int(plan.miss_from * MARGIN)
    errors.print(
        f"model={name}: {sum(low for low, _ in ranges):,} to {sum(high for _, high in ranges):,} calls, of which "
        f"{plan.opportunities:,} with about {tokens:,} input tokens (estimate), the others with a few hundred. "
        f"Replies are kept in {replies}: a second run asks only for what is missing.",
        markup=False, highlight=False, soft_wrap=True,
    )  # fmt: skip


def _measure(source: ModelSource, plan: Plan, replies: Replies, errors: Console) -> dict[str, Fit]:
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    fits: dict[str, Fit] = {}
    with Progress(*columns, console=errors, transient=True) as progress:
        for probe in PROBES:
            label = ", ".join(probe.dials)
            bar = progress.add_task(label, total=plan.opportunities)

            def tell(played: int, bar: Any = bar) -> None:
                total = plan.opportunities if played <= plan.opportunities else plan.opportunities * MOST
                progress.update(bar, completed=played, total=total)

            found = collect(probe, source, plan, replies, tell)
            fits |= {dial: fit(dial, readings, LEVEL) for dial, readings in found.items()}
            for one in map(fits.__getitem__, probe.dials):
                progress.console.print(f"{one.dial}: {one.n} read, {one.unreadable} unreadable", highlight=False)
            progress.remove_task(bar)
    return fits


def _table(name: str, fits: Mapping[str, Fit]) -> Table:
    table = Table(title=f"Dials fitted to model={name}")
    for column in ("dial", "value", f"{LEVEL:.0%} interval", "n", "unreadable"):
        table.add_column(column, justify="left" if column == "dial" else "right")
    for one in fits.values():
        value = "-" if one.value is None else f"{one.value:.3f}"
        table.add_row(one.dial, value, profile.interval(one), str(one.n), str(one.unreadable))
    return table


if __name__ == "__main__":
    main()
