"""The name of a cell: readable parts, and a digest of everything that can change a result."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from harness import sources, suite
from harness.salt import public

# What a sweep is called, where it is kept, how it is run and what it would cost changes no result.
NEUTRAL = frozenset(
    {"name", "results", "isolate", "isolation", "quiet", "graders", "dry"}
    | {"prices", "compactor_prices", "better_prices"}
)


def identity(config: Mapping[str, Any]) -> str:
    """SHA-256, as hexadecimal text, of the settings and sources that can change a result, and of the suite's version:
    cells of two versions are never one cell.
    """
    own = settings(public(config))
    machine = {"harness.episode", "harness.parts", *(("harness.serving.group",) if "serving" in own else ())}
    modules = {sources.module_of(target) for target in sources.targets(own)}
    code = sources.digest(machine | modules)
    return hashlib.sha256(json.dumps([own, code, suite.of_task(config)], sort_keys=True).encode()).hexdigest()


def settings(config: Mapping[str, Any]) -> dict[str, Any]:
    """Those that can change a result."""
    own = {key: value for key, value in config.items() if key not in NEUTRAL}
    if own.get("serving") is None:  # each episode in a time of its own, as ever
        own.pop("serving", None)
    if not own.get("better"):  # one model of the strategy's own, as ever
        own.pop("better", None)
    if "limits" in own:  # what a sweep may spend ends no episode for good
        own["limits"] = {key: value for key, value in own["limits"].items() if key != "dollars"}
    return own


def folder_name(config: Mapping[str, Any], names: Mapping[str, str]) -> str:
    """"pipeline-window-8000-ideal-3f2a…": the names that were chosen, made safe, and ten digits of the identity."""
    chosen = {**names, "budget": str(config["budget"])}
    order = ("task", "horizon", "strategy", "budget", "model", "reader")
    parts = [chosen[key] for key in order if chosen.get(key)]
    slug = "-".join(re.sub(r"[^a-z0-9_.]+", "_", part.lower()) for part in parts)
    return f"{slug}-{identity(config)[:10]}"


def difference(old: Any, new: Any, path: str = "") -> Iterator[str]:
    """Lines "strategy.low_water: 0.8 -> 1.0" for every setting that differs."""
    if isinstance(old, dict) and isinstance(new, dict):
        for key in sorted(old.keys() | new.keys(), key=str):
            where = f"{path}.{key}" if path else str(key)
            yield from difference(old.get(key, "(absent)"), new.get(key, "(absent)"), where)
    elif old != new:
        yield f"{path}: {json.dumps(old)} -> {json.dumps(new)}"
