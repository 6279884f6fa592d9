"""Before a sweep with a paid model: how many calls and tokens it has at most, and what they would cost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from harness import full_history
from harness.cost.bill import dollars
from harness.cost.prices import Prices, tariff
from harness.models.metered import MeteredSource
from harness.parts import ModelSource, Parts, SettingsError
from harness.plan import Cell
from harness.purse import NAME, Purse


@dataclass(frozen=True, slots=True)
class Estimate:
    """At most, of one cell: the agent's calls, tokens of their input and output, US dollars without a cache."""

    calls: int
    input: int
    output: int
    dollars: float


def notes(planned: Sequence[Cell], built: Sequence[Parts]) -> list[str]:
    """What to say before the first call of a sweep; nothing where no model is paid.

    Raises SettingsError where one is and `limits.dollars` is not set, with the estimate.
    """
    pairs = _pairs(planned, built)
    if not pairs:
        return []
    lines = estimates(planned, built)
    if any(_limit(cell.config) is None for cell, _ in pairs):
        said = "\n  ".join(lines)
        raise SettingsError(
            f"limits.dollars is not set, and the model has a price:\n  {said}\n"
            "set limits.dollars to what the sweep may spend; it stops before it would spend more"
        )
    limits = sorted({f"${_limit(cell.config):g}" for cell, _ in pairs})
    return [*lines, f"paid: limits.dollars={', '.join(limits)} for the whole sweep, kept in {NAME}"]


def estimates(planned: Sequence[Cell], built: Sequence[Parts]) -> list[str]:
    """What a sweep costs at most, in words; nothing where no model is paid."""
    pairs = _pairs(planned, built)
    if not pairs:
        return []
    found = [estimate(cell.config, parts, cell.folder.parent) for cell, parts in pairs if paid(parts.model)]
    calls, input, output = (sum(getattr(one, name) for one in found) for name in ("calls", "input", "output"))
    lists = sorted({tariff(cell.config).label or "" for cell, _ in pairs})
    lines = [
        f"paid: {len(found)} cells, at most {calls:,} calls of the agent with {input:,} tokens in and {output:,} out: "
        f"${sum(one.dollars for one in found):,.2f} without a cache, by {'; '.join(lists)}",
    ]
    if any(map(_own_paid, (built for _, built in pairs))):
        lines.append("paid: a strategy's own model comes on top; limits.dollars holds for it too")
    if any(parts.probes for _, parts in pairs):
        lines.append("paid: probes come on top; limits.dollars holds for them too")
    return lines


def _pairs(planned: Sequence[Cell], built: Sequence[Parts]) -> list[tuple[Cell, Parts]]:
    return [(cell, parts) for cell, parts in zip(planned, built, strict=True) if _paid(parts)]


def estimate(config: Mapping[str, Any], built: Parts, folder: Path) -> Estimate:
    """Every call with as much input and output as it may have. An arm that knows no budget is taken to send as much as
    `window` allows, else the full history of the task. Raises SettingsError where nothing bounds the calls."""
    turns, prices = built.limits.turns, _prices(tariff(config).agent)
    if turns is None:
        raise SettingsError("limits.turns is null, so nothing bounds what a paid model costs: set it, such as 100")
    unlimited = getattr(built.strategy(), "unlimited", False)
    most = built.budget if not unlimited else config["window"] or round(full_history.size(config, folder))
    calls = turns * len(built.instances)
    each = dollars(prices, most, 0, built.limits.output)
    return Estimate(calls, calls * most, calls * built.limits.output, calls * each)


def metered(built: Parts, config: Mapping[str, Any], folder: Path) -> Parts:
    """With its paid models behind the purse of the sweep. folder: of the sweep."""
    limit = _limit(config)
    if limit is None:
        if _paid(built):
            raise SettingsError("limits.dollars is not set, and the model has a price: set what the sweep may spend")
        return built
    purse, tariff_ = Purse(folder / NAME, limit), tariff(config)

    def behind(source: ModelSource, prices: Prices | None) -> ModelSource:
        return MeteredSource(source, purse, _prices(prices), built.tokenizer) if paid(source) else source

    own = tariff_.compactor or tariff_.agent
    compactor = built.compactor and behind(built.compactor, own)
    better = built.better and behind(built.better, tariff_.better or own)
    return replace(built, model=behind(built.model, tariff_.agent), compactor=compactor, better=better)


def paid(source: ModelSource) -> bool:
    """Whether its calls are billed: a server that wants a key."""
    return getattr(source, "key", None) is not None


def _paid(built: Parts) -> bool:
    return paid(built.model) or _own_paid(built)


def _own_paid(built: Parts) -> bool:
    """Whether a model of the strategy's own is."""
    return any(own is not None and paid(own) for own in (built.compactor, built.better))


def _prices(prices: Prices | None) -> Prices:
    if prices is None:
        raise SettingsError("prices: the model has a price, and there is no list: set prices=NAME of conf/prices")
    return prices


def _limit(config: Mapping[str, Any]) -> float | None:
    limit = config["limits"].get("dollars")
    if limit is not None and (isinstance(limit, bool) or not isinstance(limit, (int, float)) or limit <= 0):
        raise SettingsError(f"limits.dollars={limit!r}: give US dollars above 0, or null")
    return limit
