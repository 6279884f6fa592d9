"""The episodes of a cell by groups: one by one, or with `serving: N` so many in one simulated time.

The times of each episode in a group depend on the others, so a group that was killed is played again from the
beginning, also what has ended: from the records, and nobody is asked again.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from harness import play as alone
from harness.clock import Rates
from harness.contract import Instance
from harness.files import write_json
from harness.journal import Diverged, Journal
from harness.parts import Parts
from harness.serving import log
from harness.serving.turns import together
from harness.serving.world import Share, World

Group = Sequence[Instance]


def groups(built: Parts) -> list[Group]:
    """The instances of a cell, in order."""
    size = built.serving or 1
    return [built.instances[start : start + size] for start in range(0, len(built.instances), size)]


def record(folder: Path, instance: Instance) -> Path:
    return folder / "episodes" / f"{instance.id}.jsonl"


def whole(built: Parts, group: Group, folder: Path) -> bool:
    """Whether nothing of it is left to play. The log of a group is written when all of it has ended."""
    if built.serving is not None and not log.path(folder, group[0].id).is_file():
        return False
    return all(record(folder, instance).is_file() for instance in group)


def play(built: Parts, group: Group, folder: Path, step: Callable[[], None] = lambda: None) -> None:
    """Run (or resume) a group. Raises what an episode raises; after Diverged all of a group start anew."""
    if built.serving is None:
        for instance in group:
            alone.play(built, instance, record(folder, instance), step)
        return
    assert isinstance(built.clock, Rates)
    world = World(built.clock)

    def one(instance: Instance, share: Share) -> None:
        alone.play(replace(built, clock=share), instance, record(folder, instance), step)

    try:
        _reopen(group, folder)
        together(world, {instance.id: partial(one, instance) for instance in group})
    except Diverged:
        for journal in _reopen(group, folder):
            journal.discard()
        raise
    write_json(log.path(folder, group[0].id), log.of(world))


def _reopen(group: Group, folder: Path) -> list[Journal]:
    """Put ended records back among the unfinished ones; returns those that there are."""
    journals = [Journal(record(folder, instance)) for instance in group]
    for journal in journals:
        if journal.path.is_file():
            os.replace(journal.path, journal.part)
    return [journal for journal in journals if journal.part.is_file()]
