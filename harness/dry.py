"""Planning without running: whether a sweep is to stop after its plan, and what it says then."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from harness import spend
from harness.parts import ModelSource, Parts, SettingsError, check_model
from harness.plan import Cell
from harness.ready import check_task

CHOICES = (True, False, "without_key")


def wanted(config: Mapping[str, Any], model: ModelSource) -> bool:
    """dry=true, or dry=without_key and the model cannot be asked. Raises SettingsError for another choice."""
    choice = config.get("dry", False)
    if choice not in CHOICES:
        raise SettingsError(f"dry={choice}: choose true, false or without_key")
    if choice == "without_key":
        return _said(lambda: check_model(model)) is not None
    return bool(choice)


def plan(planned: Sequence[Cell], built: Sequence[Parts]) -> list[str]:
    """The cells, their instances, what they would cost at most, and what is missing to run them."""
    lines = ["dry: nothing is run"]
    for cell, parts in zip(planned, built, strict=True):
        lines.append(f"  {cell.folder.name}: {len(parts.instances)} instances, budget {parts.budget:,} tokens")
    ids = list(dict.fromkeys(instance.id for parts in built for instance in parts.instances))
    shown = ", ".join(ids[:5]) + (f" and {len(ids) - 5} more" if len(ids) > 5 else "")
    lines.append(f"{len(ids)} instances read and checked: {shown}")
    lines += spend.estimates(planned, built)
    missing = [_said(lambda p=p: check_model(p.model)) for p in built]
    tasks = {str(cell.config["task"]): parts for cell, parts in zip(planned, built, strict=True)}
    missing += [_said(lambda p=p: check_task(p)) for p in tasks.values()]
    lines += [f"missing: {said}" for said in dict.fromkeys(missing) if said is not None]
    return lines


def _said(check: Any) -> str | None:
    try:
        check()
    except SettingsError as error:
        return str(error)
    return None
