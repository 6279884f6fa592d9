"""From a resolved config to the objects of a cell; every setting is checked before the first episode."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from hydra.utils import instantiate

from harness.clock import Rates, Time, Wall
from harness.contract import Environment, Instance, Model, Strategy, Task, Vendor
from harness.kit import Embedder
from harness.remote.strategy import remote
from harness.setup import Limits
from harness.tokens import Tokenizer

CACHES = ("none", "cell", "shared")


class SettingsError(Exception):
    """A setting that cannot work; the message names the value, the place and the remedy."""


class ModelSource(Protocol):
    """What `conf/model` builds: opens the model of one episode.

    One with `speaks = False` (a script, a record) answers no questions in words, and does not read for itself.
    """

    def open(self, task: Task, environment: Environment, seed: int) -> Model: ...


@dataclass(frozen=True, slots=True)
class Parts:
    task: Task
    instances: tuple[Instance, ...]
    strategy: Callable[[], Strategy]
    model: ModelSource
    tokenizer: Tokenizer
    embedder: Embedder | None
    compactor: ModelSource | None
    budget: int
    limits: Limits
    checkpoints: tuple[int, ...]
    seed: int
    clock: Rates | Wall | Time | None = None
    probes: int = 0  # most facts of a kind that are asked for at a checkpoint
    serving: int | None = None  # episodes that share a time and its slots; None = each has its own
    better: ModelSource | None = None  # of the strategy's own two models

    def episode_seed(self, instance: Instance) -> int:
        """One seed an instance, the same for every arm."""
        return int.from_bytes(hashlib.sha256(f"{self.seed}/{instance.id}".encode()).digest()[:6], "big")


def build(config: Mapping[str, Any]) -> Parts:
    """Build and check. Raises SettingsError, or what a constructor raises, naming the setting."""
    _check_cache(config)
    task: Task = _make(config, "task")
    strategy = _strategy(config)
    model = _model(config)
    _check_vendor(strategy(), model)
    if getattr(strategy(), "asks", False) and not config.get("compactor"):
        raise SettingsError("the strategy asks a model of its own, and compactor=none: set compactor=extractive")
    horizon = getattr(task, "horizon", None)
    checkpoints = tuple(config["checkpoints"])
    if horizon is not None and checkpoints and max(checkpoints) > horizon:
        raise SettingsError(
            f"checkpoint {max(checkpoints)} lies past the task's horizon of {horizon} steps: "
            f"set checkpoints=[…] up to {horizon}, or task.horizon={max(checkpoints)} or more"
        )
    instances, clock = _instances(task, config.get("only")), _clock(config)
    return Parts(
        task,
        instances,
        strategy,
        model,
        _make(config, "tokenizer"),
        _make(config, "embedder") if config.get("embedder") else None,
        _make(config, "compactor") if config.get("compactor") else None,
        _budget(config),
        _limits(config["limits"], horizon),
        checkpoints,
        config["seed"],
        clock,
        _probes(config, model),
        _serving(config.get("serving"), len(instances), clock),
        _make(config, "better") if config.get("better") else None,
    )


def checked(part: Any, name: str) -> None:
    """Let a part of a cell say what would keep it from working. name: of the setting. Raises SettingsError."""
    check = getattr(part, "check", None)
    try:
        if check is not None:
            check()
    except (ValueError, ImportError) as error:
        raise SettingsError(f"{name}: {error}") from error


def _strategy(config: Mapping[str, Any]) -> Callable[[], Strategy]:
    """Made once before any episode: a bad argument must not wait until then."""
    isolation = config.get("isolation", "none")
    if isolation == "process":
        made: Callable[[], Strategy] = _built(config, "strategy", lambda own: remote(own, config["worker_seconds"]))
        return made
    if isolation != "none":
        raise SettingsError(f"isolation={isolation}: choose none or process")
    _make(config, "strategy")
    return lambda: _make(config, "strategy")


def _make(config: Mapping[str, Any], key: str) -> Any:
    return _built(config, key, instantiate)


def _built(config: Mapping[str, Any], key: str, build: Callable[[Any], Any]) -> Any:
    try:
        return build(config[key])
    except Exception as error:
        cause = error.__cause__ or error
        raise SettingsError(f"{key}: cannot build {config[key].get('_target_', config[key])}: {cause}") from error


def _instances(task: Task, only: Sequence[str] | str | None) -> tuple[Instance, ...]:
    """All instances, or those named: a list of ids, or a file with an id a line."""
    instances = tuple(task.instances())
    if isinstance(only, str):
        path = Path(only)
        if not path.is_file():
            raise SettingsError(
                f"only={only}: there is no such file; give a file with one instance id a line, or a list"
            )
        only = path.read_text().split()
    if only is not None:
        known = {instance.id: instance for instance in instances}
        if unknown := [i for i in only if i not in known]:
            example = next(iter(known), "")
            raise SettingsError(f"only: {unknown[0]!r} is no instance; there are {len(known)}, such as {example!r}")
        instances = tuple(known[i] for i in only)
    if not instances:
        raise SettingsError("task: there are no instances to run")
    return instances


def _model(config: Mapping[str, Any]) -> ModelSource:
    """Also checked, where it can be: a missing key must not wait until the first episode. A dry plan needs none."""
    model: ModelSource = _make(config, "model")
    if not config.get("dry"):
        check_model(model)
    return model


def check_model(model: ModelSource) -> None:
    """Raises SettingsError where it could not be asked."""
    checked(model, "model")


def _check_cache(config: Mapping[str, Any]) -> None:
    if config.get("cache", "none") not in CACHES:
        raise SettingsError(f"cache={config['cache']}: choose one of {', '.join(CACHES)}")


def _check_vendor(strategy: Strategy, model: ModelSource) -> None:
    provider = getattr(model, "provider", None)
    if isinstance(strategy, Vendor) and strategy.provider != provider:
        raise SettingsError(
            f"strategy: the context is managed by the servers of {strategy.provider}, and the model is not theirs: "
            f"set model={strategy.provider}"
        )


def _probes(config: Mapping[str, Any], model: ModelSource) -> int:
    each = config.get("probes", 0)
    if isinstance(each, bool) or not isinstance(each, int) or each < 0:
        raise SettingsError(f"probes={each!r}: give how many facts of a kind are asked for at a checkpoint, 0 for none")
    if each and not getattr(model, "speaks", True):
        raise SettingsError("probes: a scripted reader or a record answers no questions in words: set probes=0")
    return each


def _clock(config: Mapping[str, Any]) -> Rates | Wall | None:
    if not config.get("clock"):
        return None
    clock: Rates | Wall = _make(config, "clock")
    try:
        clock.check()
    except ValueError as error:
        raise SettingsError(str(error)) from error
    return clock


def _serving(episodes: Any, instances: int, clock: Rates | Wall | None) -> int | None:
    if episodes is None:
        return None
    if isinstance(episodes, bool) or not isinstance(episodes, int) or episodes < 1 or instances % episodes:
        raise SettingsError(f"serving={episodes!r}: give a number of episodes that divides the {instances} instances")
    if not isinstance(clock, Rates):
        raise SettingsError(f"serving={episodes}: only simulated time can be shared: set clock=simulated")
    return episodes


def _budget(config: Mapping[str, Any]) -> int:
    """The budget as set, or window - reserve - margin."""
    if config["budget"] is not None:
        budget, origin = config["budget"], f"budget={config['budget']}"
    else:
        window, reserve, margin = config["window"], config["limits"]["output"], config["margin"]
        if window is None:
            raise SettingsError("budget and window are both null: set one of them, such as budget=8000")
        budget, origin = window - reserve - margin, f"window={window} - limits.output={reserve} - margin={margin}"
    if budget <= 0:
        raise SettingsError(f"{origin} leaves no room for any input: raise the window or lower the reserve")
    return int(budget)


def _limits(settings: Mapping[str, Any], horizon: int | None) -> Limits:
    turns = settings["turns"]
    if turns is None and horizon is not None:
        turns = math.ceil(horizon * settings["turn_factor"]) + settings["turn_spare"]
    return Limits(turns, settings["tokens"], settings["output"], settings.get("broken"))
