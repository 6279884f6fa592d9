"""Short names for the cells of a sweep: the chosen names, plus the settings in which cells of one name differ."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from harness.identity import settings

# Settings that no label needs: they have a column of their own, or draw other instances.
APART = frozenset({"budget", "budget_share", "window", "margin", "seed", "instances", "only"})
GROUPS = ("task", "strategy", "model", "reader")
MANY = 4  # settings that differ: with more of them a label names only what is unusual about its cell


@dataclass(frozen=True, slots=True)
class Label:
    """family: task, horizon, its differing settings and any other condition. condition: what of it is not the task's
    own, so that families under one condition can be taken together. draw: the seed, which tells repeats apart.
    world: the seed of a generated task where the sweep has several, else "": one id then names several instances.
    """

    family: str
    arm: str
    model: str
    reader: str
    draw: str
    condition: str = ""
    world: str = ""


def labels(cells: Sequence[tuple[Mapping[str, str], Mapping[str, Any] | None]]) -> list[Label]:
    """One label for each (names, config); config None = the cell failed before it wrote its settings."""
    flat = {group: [flatten(_of(config, group)) for _, config in cells] for group in GROUPS}
    own_settings = [settings(config or {}) for _, config in cells]
    rest = [flatten({k: v for k, v in one.items() if k not in APART | set(GROUPS)}) for one in own_settings]
    horizons = [str(names.get("horizon", "")) for names, _ in cells]
    conditions = [f"{h} {d}".strip() for h, d in zip(horizons, _differing(rest, horizons), strict=True)]
    own: dict[str, list[str]] = {}
    for group in GROUPS:
        names = [str(names.get(group, "")) for names, _ in cells]
        apart = [f"{n} {h}" for n, h in zip(names, horizons, strict=True)] if group == "task" else names
        own[group] = [f"{n} {d}".strip() for n, d in zip(names, _differing(flat[group], apart), strict=True)]
    seeds = [str(((config or {}).get("task") or {}).get("seed", "")) for _, config in cells]
    several = len({seed for seed, (_, config) in zip(seeds, cells, strict=True) if config}) > 1
    found = []
    for index, (_, config) in enumerate(cells):
        family = f"{own['task'][index]} {conditions[index]}".strip()
        draw = str((config or {}).get("seed", 0))
        world = seeds[index] if several else ""
        arm, model, reader = (own[group][index] for group in ("strategy", "model", "reader"))
        found.append(Label(family, arm, model, reader, draw, conditions[index], world))
    return found


def flatten(value: Any, path: str = "") -> dict[str, str]:
    """{"a": {"b": 1}} -> {"a.b": "1"}; only leaves, as text."""
    if isinstance(value, Mapping) and value:
        found: dict[str, str] = {}
        for key, inner in value.items():
            found |= flatten(inner, f"{path}.{key}" if path else str(key))
        return found
    return {path: str(value)} if path else {}


def _of(config: Mapping[str, Any] | None, group: str) -> dict[str, Any]:
    """The settings of one part. A model repeats its reader's; a task's seed and size only draw other instances."""
    part = (config or {}).get(group)
    skip = (
        {"_target_", "reader"}
        if group == "model"
        else {"_target_", "seed", "instances"}
        if group == "task"
        else {"_target_"}
    )
    return {k: v for k, v in part.items() if k not in skip} if isinstance(part, Mapping) else {}


def _differing(flat: Sequence[Mapping[str, str]], names: Sequence[str]) -> list[str]:
    """For each cell "key=value …" of the keys that have more than one value among the cells of its name. Where those
    are many, as in a sweep that changes one at a time, what most of the cells have is not said.
    """
    values: dict[tuple[str, str], Counter[str]] = {}
    for name, own in zip(names, flat, strict=True):
        for key, value in own.items():
            values.setdefault((name, key), Counter())[value] += 1
    differing = Counter(name for (name, _), found in values.items() if len(found) > 1)

    def said(name: str, key: str, value: str) -> bool:
        found = values[name, key]
        usual = differing[name] > MANY and 2 * found[value] > found.total()
        return len(found) > 1 and not usual

    return [
        " ".join(f"{key}={value}" for key, value in own.items() if said(name, key, value))
        for name, own in zip(names, flat, strict=True)
    ]
