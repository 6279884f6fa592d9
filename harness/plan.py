"""The cells of a sweep, composed and checked before the first one runs."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hydra import compose
from hydra.core.override_parser.overrides_parser import OverridesParser
from omegaconf import DictConfig, OmegaConf

from harness import full_history, parts, ready
from harness.contract import Brief
from harness.cost.prices import tariff
from harness.files import write_json
from harness.identity import folder_name
from harness.parts import Parts, SettingsError

GROUPS = ("task", "horizon", "strategy", "model", "reader")
INNER = "task@task.task"  # the choice of the task that another one (a chain) is made of
_SALT = re.compile(r"\+*task\.(task\.)*salt=(?!null$)")


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell to run: its resolved settings, the names chosen for its parts, and its folder."""

    config: Mapping[str, Any]
    names: Mapping[str, str]
    folder: Path


def cell(config: DictConfig, choices: Mapping[str, Any]) -> Cell:
    """Resolve once, here: workers and records get plain values.

    Raises SettingsError for a value that is missing ("???") or cannot be resolved.
    """
    plain = OmegaConf.create({key: value for key, value in config.items_ex(resolve=False) if key != "hydra"})
    if missing := sorted(OmegaConf.missing_keys(plain)):
        raise SettingsError(f"{missing[0]} has no value: give it as {missing[0]}=…")
    resolved = OmegaConf.to_container(plain, resolve=True)
    assert isinstance(resolved, dict)
    settings: dict[str, Any] = {str(key): value for key, value in resolved.items()}
    names = {group: str(choices[group]) for group in GROUPS if choices.get(group)}
    if choices.get(INNER):
        names["task"] = f"{names['task']}_{choices[INNER]}"
    if names.get("model") != "scripted":
        # Another model reads for itself: a reader would only split equal cells.
        names.pop("reader", None)
        settings["reader"] = None
    folder = Path(settings["results"]).absolute() / str(settings["name"])
    if settings.get("budget_share") is not None:
        settings["budget"] = full_history.budget(settings, folder)
    try:
        return Cell(settings, names, folder / folder_name(settings, names))
    except ValueError as error:
        raise SettingsError(str(error)) from error


def expand(overrides: Sequence[str], params: Mapping[str, Any] | None) -> list[list[str]]:
    """The override lists of all jobs, as Hydra's basic sweeper will make them."""
    # Late: Hydra loads its plugin modules anew when it first looks for plugins, and the class of before is then stale.
    from hydra._internal.core_plugins.basic_sweeper import BasicSweeper

    sweeper = BasicSweeper(max_batch_size=None, params=dict(params or {}))
    arguments = [*sweeper._parse_config(), *overrides]
    parsed = OverridesParser.create().parse_overrides(arguments)
    return [list(job) for batch in BasicSweeper.split_arguments(parsed, None) for job in batch]


def cells(jobs: Sequence[Sequence[str]], of_hydra: Sequence[str] = ()) -> list[Cell]:
    """Compose every job; two jobs with one folder are one cell. of_hydra: overrides of Hydra's own settings."""
    planned: dict[Path, Cell] = {}
    for job in jobs:
        if any(_SALT.match(override) for override in job):
            raise SettingsError(
                "task.salt: give the salt as LONGHAUL_SALT=…; an override would be written into multirun.yaml"
            )
        config = compose("config", overrides=[*of_hydra, *job], return_hydra_config=True)
        one = cell(config, config.hydra.runtime.choices)
        planned.setdefault(one.folder, one)
    return list(planned.values())


def check(planned: Sequence[Cell]) -> tuple[list[str], list[Parts]]:
    """Build each cell and check its budget.

    Returns notes, each once with the number of cells it holds for, and the parts of each cell. Raises SettingsError
    with all cells that cannot run.
    """
    everything: list[Parts] = []
    notes: Counter[str] = Counter()
    errors: list[str] = []
    known: dict[str, Mapping[str, Brief]] = {}  # by task: arms share their instances
    for one in planned:
        try:
            built = parts.build(one.config)
            _check_prices(one.config)
            task = json.dumps([one.config[key] for key in ("task", "only", "seed")], sort_keys=True)
            if task not in known:
                if not one.config.get("dry"):
                    ready.check_task(built)
                known[task] = ready.briefs(built)
            note = ready.check_pinned(built, known[task])
        except SettingsError as error:
            errors.append(f"{one.folder.name}: {error}")
        else:
            notes.update([note] if note else [])
            everything.append(built)
    if errors:
        shown = "\n  ".join(errors[:10]) + (f"\n  … and {len(errors) - 10} more" if len(errors) > 10 else "")
        raise SettingsError(f"{len(errors)} of {len(planned)} cells cannot run:\n  {shown}")
    return [f"{note} ({cells} cells)" for note, cells in notes.items()], everything


def _check_prices(config: Mapping[str, Any]) -> None:
    try:
        tariff(config)
    except (TypeError, ValueError) as error:
        raise SettingsError(str(error)) from error


def write(planned: Sequence[Cell]) -> Path:
    """plan.json lists the cells of the newest sweep of this name: a report covers these, and counts them."""
    path = planned[0].folder.parent / "plan.json"
    rows = [{"folder": c.folder.name, "names": dict(c.names), "budget": c.config["budget"]} for c in planned]
    write_json(path, {"cells": rows})
    return path
