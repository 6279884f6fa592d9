"""Whether the episodes of a cell could begin: what the task wants of this machine, and the room for its pinned text."""

from __future__ import annotations

from collections.abc import Mapping

from harness.contract import Brief, MemoryTools, Message
from harness.parts import Parts, SettingsError, checked
from harness.tokens import Counter


def check_task(parts: Parts) -> None:
    """What a task wants of this machine (containers, disk) is there, as far as it says so. Raises SettingsError."""
    checked(parts.task, "task")


def briefs(parts: Parts) -> dict[str, Brief]:
    """What each instance starts from, by id; the same for every arm."""
    found: dict[str, Brief] = {}
    for instance in parts.instances:
        environment = parts.task.open(instance, parts.episode_seed(instance))
        try:
            brief = environment.reset().brief
        finally:
            environment.close()
        if brief is None:
            raise SettingsError(f"task: the environment of {instance.id} gave no brief at reset")
        found[instance.id] = brief
    return found


def check_pinned(parts: Parts, briefs: Mapping[str, Brief]) -> str | None:
    """Refuse a budget under the pinned text of every instance; describe the case where only some are infeasible."""
    strategy = parts.strategy()
    own = strategy.tools if isinstance(strategy, MemoryTools) else ()
    tight: list[tuple[str, int, int]] = []
    for name, brief in briefs.items():
        counter = Counter(parts.tokenizer)
        pinned = counter.messages((Message("m0", "system", brief.system), Message("m1", "user", brief.task)))
        net = parts.budget - counter.overhead((*brief.tools, *own))
        if pinned > net:
            tight.append((name, pinned, net))
    if not tight:
        return None
    name, pinned, net = max(tight, key=lambda case: case[1] - case[2])
    numbers = f"pinned text of {name} has {pinned} tokens, the budget of {parts.budget} leaves {net} for messages"
    if len(tight) == len(briefs):
        raise SettingsError(f"{numbers}: set budget={parts.budget + pinned - net} or more")
    return f"{len(tight)} of {len(briefs)} instances are infeasible in every arm: {numbers}"
