"""What is learned from what: conf/learn/NAME.yaml, and the cells that its data come from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hydra import compose, initialize_config_dir
from omegaconf import OmegaConf
from omegaconf.errors import OmegaConfBaseException

from harness import parts
from harness.parts import Parts, SettingsError

CONF = Path(__file__).parents[2] / "conf"
Repositories = Sequence[str]
GROUP = "__"  # a recorded run's group is its id up to here: the repository of a SWE-bench instance


@dataclass(frozen=True, slots=True)
class Search:
    """What is found by the success of runs (harness/learn/search.py). start: dotted path of a function that gives the
    row of numbers to begin with; described: of one that turns a row into what the weights' file says as `policy`.

    rows: played in a generation; elite: of them, those to which the mean moves; step: how far; spread: of the first
    rows, by the size of a number and at least as for 1. instances: of each family in a generation, with the task's seed
    `first_seed` and those after it; held_instances, held_seed: on which start and end are compared; unseen_seed,
    unseen_instances: those of the report. reader, budget: of all runs. jobs: processes.
    """

    start: str
    described: str
    generations: int
    rows: int
    elite: int
    step: float
    spread: float
    instances: int
    first_seed: int
    held_instances: int
    held_seed: int
    unseen_instances: int
    unseen_seed: int
    reader: str
    budget: int
    jobs: int


@dataclass(frozen=True, slots=True)
class Plan:
    """features: dotted path of the function that gives the rows of a history (see harness/learn/samples.py). names:
    dotted path of the names of its columns. scorer: dotted path of the function that makes a scorer of weights.
    strategy: file of conf/strategy that takes `model`, the weights.

    horizon: steps in which a name must be needed to count. recorded: folder of recorded runs, null = without. families:
    generated families that are learned from; instances: of each; held_out: those that are evaluated on; evaluated:
    instances of each. every: turns between two looks, by recorded and generated. spare: share of the rows without a
    need that are used (and weigh as much as all). kinds: of scorers, among which groups choose that are left out in
    turn, in `folds` parts; kinds.NAME=null leaves one out. budgets: by recorded and generated. low_water: settings that
    are evaluated. prices: a file of conf/prices. seed: of every draw. overrides: settings of all cells. beside: other
    strategies that the report plays. rewrites: the strategy writes texts of its own, so that no bound is one for it.
    search: null = nothing is learned from the success of runs.
    """

    features: str
    names: str
    scorer: str
    strategy: str
    horizon: int
    recorded: str | None
    families: Sequence[str]
    held_out: Sequence[str]
    instances: int
    evaluated: int
    every: Mapping[str, int]
    spare: float
    kinds: Mapping[str, Mapping[str, Any]]
    folds: int
    budgets: Mapping[str, Sequence[int]]
    low_water: Sequence[float]
    prices: str
    seed: int
    overrides: Sequence[str] = ()
    beside: Sequence[str] = ()
    rewrites: bool = False
    search: Search | None = None


def read(name: str, changes: Sequence[str] = ()) -> Plan:
    """conf/learn/NAME.yaml, or a file, over the one that it names as `defaults`, with changes such as
    `recorded=FOLDER`. Raises SettingsError."""
    path = _file(name)
    try:
        layers = [OmegaConf.load(path)]
        if base := OmegaConf.select(layers[0], "defaults"):
            layers.insert(0, OmegaConf.load(_file(base)))
        settings = OmegaConf.merge(*layers, OmegaConf.from_dotlist(list(changes)))
        found: dict[str, Any] = OmegaConf.to_container(settings, resolve=True)  # type: ignore[assignment]
        found.pop("defaults", None)
        kinds = {kind: own for kind, own in found.pop("kinds", {}).items() if own is not None}
        search = found.pop("search", None)
        return Plan(**found, kinds=kinds, search=Search(**search) if search is not None else None)
    except (TypeError, OmegaConfBaseException) as error:
        raise SettingsError(f"{path}: {error}") from error


def _file(name: str) -> Path:
    path = Path(name) if name.endswith(".yaml") else CONF / "learn" / f"{name}.yaml"
    if not path.is_file():
        raise SettingsError(f"learn={name}: there is no {path}")
    return path


@dataclass(frozen=True, slots=True)
class Source:
    """A set of episodes: the overrides that name its task, and how a part of it is called."""

    name: str
    overrides: tuple[str, ...]

    @property
    def is_recorded(self) -> bool:
        return self.name == "recorded"

    def group(self, instance: str) -> str:
        """A recorded run's repository; a family's name."""
        return instance.partition(GROUP)[0] if self.is_recorded else self.name

    def parts(self, *overrides: str) -> Parts:
        """Built from conf/config.yaml with the task and these overrides. Raises SettingsError."""
        return parts.build(config(*self.overrides, *overrides))


def recorded(plan: Plan) -> Source | None:
    """None without a folder."""
    if plan.recorded is None:
        return None
    return Source("recorded", ("task=replay", f"task.path='{plan.recorded}'", "model=recorded", *plan.overrides))


def families(names: Sequence[str], instances: int, overrides: Sequence[str] = ()) -> Iterator[Source]:
    for name in names:
        yield Source(name, (f"task={name}", f"instances={instances}", *overrides))


def config(*overrides: str) -> dict[str, Any]:
    """Nothing that costs and is not asked for: a later override of a key takes the place of an earlier one."""
    own = ("embedder=none", "compactor=none", "clock=none", "checkpoints=[]")
    given = {one.partition("=")[0]: one for one in (*own, *overrides)}
    with initialize_config_dir(str(CONF), version_base="1.3"):
        composed = OmegaConf.to_container(compose("config", overrides=[*given.values()]), resolve=True)
    assert isinstance(composed, dict)
    return {str(key): value for key, value in composed.items()}
