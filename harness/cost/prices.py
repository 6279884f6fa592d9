"""A dated price list, `conf/prices/*.yaml`: US dollars per million tokens, and how the provider's cache behaves."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from omegaconf import OmegaConf

FOLDER = Path(__file__).resolve().parents[2] / "conf" / "prices"
MILLION = 1_000_000


@dataclass(frozen=True, slots=True)
class Cache:
    """A provider's cache of prefixes.

    block: tokens; only whole blocks are kept. minimum: tokens of a prefix under which nothing is read or written.
    lifetime: seconds since the last use; calls: the same in calls of the endpoint; None = no limit. stray: share of the
    calls that reach another server than the usual one; servers: how many others there are. miss: share of the calls
    that read nothing although their prefix is there.
    """

    block: int = 1
    minimum: int = 0
    lifetime: float | None = None
    calls: int | None = None
    stray: float = 0.0
    servers: int = 1
    miss: float = 0.0


@dataclass(frozen=True, slots=True)
class Prices:
    """as_of: the day on which the sources gave these numbers. cache_write: None = writing costs what input costs."""

    name: str
    as_of: str
    input: float
    cache_read: float
    output: float
    cache_write: float | None = None
    cache: Cache = Cache()

    @property
    def label(self) -> str:
        return f"{self.name}, {self.as_of}"


def read(settings: Mapping[str, Any] | None) -> Prices | None:
    """The list of a resolved config; None where it has none. Raises ValueError with the setting that cannot be."""
    if not settings:
        return None
    known = [f.name for f in fields(Prices) if f.name != "cache"]
    if missing := {"name", "as_of", "input", "cache_read", "output"} - settings.keys():
        raise ValueError(f"prices: {', '.join(sorted(missing))} missing; see conf/prices for whole lists")
    if unknown := settings.keys() - {*known, "cache", "sources", "fit", "notes"}:
        raise ValueError(f"prices: there is no setting {', '.join(sorted(unknown))}; there are {', '.join(known)}")
    cache = _cache(settings.get("cache") or {})
    prices = Prices(**{k: settings[k] for k in known if k in settings}, cache=cache)
    for name in ("input", "cache_read", "output", "cache_write"):
        value = getattr(prices, name)
        if value is not None and not value >= 0:
            raise ValueError(f"prices.{name} is {value!r}; give dollars per million tokens, 0 or more")
    if prices.cache_read > prices.input:
        raise ValueError(f"prices.cache_read {prices.cache_read!r} is above prices.input {prices.input!r}")
    return prices


@dataclass(frozen=True, slots=True)
class Tariff:
    """What a cell is priced by. compactor: the list of the strategy's own model; None = it is asked at the agent's.
    better: of its second model; None = as the first."""

    agent: Prices | None
    compactor: Prices | None = None
    better: Prices | None = field(default=None, repr=False)

    @property
    def label(self) -> str | None:
        """Names and dates, with a digest of every number: equal labels give equal money."""
        if self.agent is None:
            return None
        names = self.agent.label if self.compactor is None else f"{self.agent.label}; compactor {self.compactor.label}"
        told = repr(self)
        if self.better is not None:  # a label without it stays what it was
            names, told = f"{names}; better {self.better.label}", f"{told}{self.better!r}"
        return f"{names} ({hashlib.sha256(told.encode()).hexdigest()[:8]})"


UNPRICED = Tariff(None)


def tariff(config: Mapping[str, Any]) -> Tariff:
    """`prices` and, where they are set, `compactor_prices` and `better_prices` of a resolved config. Raises ValueError.
    """
    return Tariff(*(read(config.get(name)) for name in ("prices", "compactor_prices", "better_prices")))


def named(name: str) -> Prices | None:
    """A list of conf/prices, or a file. Raises ValueError for one that is not there."""
    path = Path(name) if name.endswith((".yaml", ".yml")) else FOLDER / f"{name}.yaml"
    if not path.is_file():
        there = ", ".join(sorted(p.stem for p in FOLDER.glob("*.yaml")))
        raise ValueError(f"prices: there is no {path}; give a file, or one of {there}")
    settings = OmegaConf.to_container(OmegaConf.load(path))
    assert isinstance(settings, dict)
    return read({str(key): value for key, value in settings.items()})


def _cache(settings: Mapping[str, Any]) -> Cache:
    known = [f.name for f in fields(Cache)]
    if unknown := settings.keys() - set(known):
        raise ValueError(f"prices.cache has no setting {', '.join(sorted(unknown))}; there are {', '.join(known)}")
    cache = Cache(**settings)
    for name in ("block", "servers"):
        if not getattr(cache, name) >= 1:
            raise ValueError(f"prices.cache.{name} is {getattr(cache, name)!r}; give a whole number of at least 1")
    for name in ("stray", "miss"):
        if not 0 <= getattr(cache, name) <= 1:
            raise ValueError(f"prices.cache.{name} is {getattr(cache, name)!r}; give a share from 0 to 1")
    for name in ("lifetime", "calls"):
        value = getattr(cache, name)
        if value is not None and not value > 0:
            raise ValueError(f"prices.cache.{name} is {value!r}; give a number above 0, or null for no limit")
    if cache.minimum < 0:
        raise ValueError(f"prices.cache.minimum is {cache.minimum!r}; give tokens, 0 or more")
    return cache
