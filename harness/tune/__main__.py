"""`python -m harness.tune strategy=NAME [trials=16] [draw=0] [jobs=2] [any setting=…]`: choose a strategy's parameters.

Tries the default and others from conf/tune/NAME.yaml, the same number for every arm, on the development families
(conf/experiment/tune.yaml): most success at the last checkpoint wins, at equal success the fewest tokens. Writes
conf/strategy/tuned/NAME.yaml, to be run as strategy=tuned/NAME. The cells stay in results/tune, so that the same
command goes on where it was stopped.
"""

from __future__ import annotations

import multiprocessing
import shlex
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from hydra import compose, initialize_config_dir
from hydra.errors import HydraException
from omegaconf import OmegaConf
from omegaconf.errors import OmegaConfBaseException

from harness import job, plan, suite
from harness.__main__ import CONF
from harness.files import write_text
from harness.identity import NEUTRAL
from harness.parts import SettingsError
from harness.plan import Cell
from harness.tune import preset, space, trial
from harness.tune.space import Settings
from harness.tune.trial import Trial
from harness.words import Usage, settings

TRIALS = 16  # for every arm
OWN = {"trials": TRIALS, "draw": 0, "jobs": 2}


@dataclass(frozen=True, slots=True)
class Tuning:
    """default: the settings of the strategy's own file. trials: each with its cells by family."""

    strategy: str
    default: Mapping[str, Any]
    trials: Sequence[tuple[Settings, Mapping[str, Cell]]]

    @property
    def cells(self) -> list[Cell]:
        return [cell for _, cells in self.trials for cell in cells.values()]


def planned(strategy: str, given: Mapping[str, str], trials: int = TRIALS, draw: int = 0, conf: str = CONF) -> Tuning:
    """given: further settings of every cell; `task`: other families, separated by commas.

    Raises SettingsError where a cell cannot run.
    """
    file = Path(conf) / "strategy" / f"{strategy}.yaml"
    if not file.is_file():
        raise SettingsError(f"strategy={strategy}: there is no {file}")
    default = OmegaConf.to_container(OmegaConf.load(file), resolve=False)
    assert isinstance(default, dict)
    own: dict[str, Any] = {str(key): value for key, value in default.items()}
    grids = space.load(Path(conf) / "tune" / f"{strategy}.yaml", own)
    drawn = space.draw(grids, own, trials, draw)
    with initialize_config_dir(conf, version_base="1.3"):
        base = compose("config", overrides=["experiment=tune"], return_hydra_config=True)
        families = str(given.get("task", base.hydra.sweeper.params.task)).split(",")
        rest = [f"{key}={value}" for key, value in given.items() if key != "task"]
        found = []
        for one in drawn:
            words = ["experiment=tune", f"strategy={strategy}", *space.overrides(one), *rest]
            found.append((one, {family: plan.cells([[f"task={family}", *words]])[0] for family in families}))
        tuning = Tuning(strategy, own, found)
        plan.check(tuning.cells)
    return tuning


def run(tuning: Tuning, jobs: int) -> list[Trial]:
    """The trials, best first. Raises SettingsError where a cell has not all its results."""
    cells = tuning.cells
    with ExitStack() as held:
        each: Callable[..., Iterable[bool]] = map
        if jobs > 1:
            context = multiprocessing.get_context("forkserver")
            each = held.enter_context(ProcessPoolExecutor(jobs, mp_context=context)).map
        for number, (cell, ok) in enumerate(zip(cells, each(job.run, cells), strict=True), 1):
            print(f"{number}/{len(cells)} {cell.folder.name}{'' if ok else ' FAILED'}", file=sys.stderr)
    failed = [cell.folder / job.ERROR for cell in cells if (cell.folder / job.ERROR).is_file()]
    if failed:
        raise SettingsError(f"{len(failed)} of {len(cells)} cells failed, nothing was chosen; the first: {failed[0]}")
    return trial.ranked(
        [trial.read(own, {family: cell.folder for family, cell in by.items()}) for own, by in tuning.trials]
    )


def about(tuning: Tuning, words: Sequence[str], best: Trial, default: Trial) -> list[str]:
    """How the settings were found, in lines."""
    (_, cells), *_ = tuning.trials
    one = next(iter(cells.values()))
    said = [word for word in words if word.partition("=")[0] not in NEUTRAL | {"jobs"}]
    return [
        f"`{tuning.strategy}`, tuned {date.today()} by: python -m harness.tune {shlex.join(said)}",
        f"Most success at step {one.config['checkpoints'][-1]}, the mean over {', '.join(cells)}; ties: fewest tokens.",
        f"{one.config['instances']} instances each (task.seed={one.config['task']['seed']}), budget "
        f"{one.config['budget']}, reader {one.names.get('reader', '-')}, suite {suite.of_cell(one.folder)}; "
        f"{len(tuning.trials)} trials.",
        _gained(best, default),
    ]


def _gained(best: Trial, default: Trial) -> str:
    if best is default:
        return "The default came first."
    made = trial.gain(best, default).estimate
    limits = "" if made.low is None else f" (95 %: {made.low:+.3f} to {made.high:+.3f})"
    return f"The first minus the default: {made.mean:+.3f}{limits}, on the instances that chose it: too high."


def _number(key: str, value: str) -> int:
    if not value.isdecimal():
        raise SettingsError(f"{key}={value}: give a whole number")
    return int(value)


def main(arguments: Sequence[str] | None = None, folder: Path = Path(CONF) / "strategy" / "tuned") -> int:
    words = list(sys.argv[1:] if arguments is None else arguments)
    try:
        given = {key: str(value) for key, value in OWN.items()} | settings(words, __doc__)
    except Usage as told:
        print(told)
        return 2
    strategy = given.pop("strategy", "")
    try:
        trials, draw, jobs = (_number(key, given.pop(key)) for key in OWN)
        tuning = planned(strategy, given, trials, draw)
        found = run(tuning, jobs)
    except (SettingsError, HydraException, OmegaConfBaseException) as error:
        print(f"longhaul: {error}", file=sys.stderr)
        return 2
    default = next(one for one in found if not one.settings)
    lines = about(tuning, words, found[0], default)
    write_text(folder / f"{strategy}.yaml", preset.text(tuning.default, found, lines))
    print("\n".join([*lines, *preset.table(found), f"{folder / strategy}.yaml: run it as strategy=tuned/{strategy}"]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
