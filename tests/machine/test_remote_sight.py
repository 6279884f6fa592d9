"""What a strategy finds that walks through all objects, frames, variables and open files of its process."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from harness.contract import Instance
from harness.parts import build
from tests.machine.test_cell import run, settings
from tests.machine.test_remote import IDEAL, PIPELINE, arm

AT = 4
SALT = "a-secret-of-the-environment"


@dataclass(frozen=True)
class Sight:
    """The texts that a spy found at its fourth view, and the strings that it had been told by then."""

    found: str
    told: str
    folder: str

    def finds(self, word: str) -> bool:
        return word in self.found


def sight(folder: Path, isolation: str) -> Sight:
    notes, results = folder / "notes", folder / f"results-of-{isolation}"
    spy = arm("Spy", notes=str(notes), at=AT)
    config = settings(spy, task=PIPELINE, model=IDEAL, isolation=isolation, worker_seconds=60, budget=9000)
    assert run(results, config)
    told: list[str] = []
    turns = 0
    for line in (results / "episodes" / "pipeline-000.jsonl").read_text().splitlines():
        row = json.loads(line)
        turns += row["row"] == "turn"
        if turns == AT:
            break
        if row["row"] != "schedule":
            told.append(json.dumps(row))
    return Sight(notes.read_text(), "\n".join(told), results.name)


@pytest.fixture(scope="module")
def sights(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Sight]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LONGHAUL_SALT", SALT)
        return {isolation: sight(tmp_path_factory.mktemp(isolation), isolation) for isolation in ("none", "process")}


def values(sight: Sight) -> tuple[list[str], list[str]]:
    """Values of facts: those in messages that the strategy had been told, and the others."""
    built = build(settings(task=PIPELINE, model=IDEAL))
    environment = built.task.open(built.instances[0], built.episode_seed(built.instances[0]))
    schedule = environment.schedule()
    assert schedule is not None
    codes = [fact.value for fact in schedule.facts if not fact.value.isdecimal()]
    return [v for v in codes if v in sight.told], [v for v in codes if v not in sight.told]


def secrets(sight: Sight, instance: Instance) -> list[str]:
    built = build(settings(task=PIPELINE, model=IDEAL))
    return [instance.id, str(instance.seed), str(built.episode_seed(instance)), sight.folder, SALT]


def test_in_the_same_process_it_finds_every_fact_before_it_is_told(sights: Mapping[str, Sight]) -> None:
    told, later = values(sights["none"])
    assert len(told) > 3
    assert len(later) > 3
    assert all(map(sights["none"].finds, [*told, *later]))


def test_in_a_process_of_its_own_it_finds_what_it_was_told_and_nothing_else(sights: Mapping[str, Sight]) -> None:
    told, later = values(sights["process"])
    assert all(map(sights["process"].finds, told))
    assert [value for value in later if sights["process"].finds(value)] == []


def test_nor_does_it_find_instance_seeds_results_or_the_task(sights: Mapping[str, Sight]) -> None:
    instance = build(settings(task=PIPELINE, model=IDEAL)).instances[0]
    for sight, found in ((sights["none"], True), (sights["process"], False)):
        assert [sight.finds(secret) for secret in secrets(sight, instance)] == [found] * 5
        assert sight.finds("tasks.pipeline") is found
        assert sight.finds("episodes/pipeline") is found


def test_both_were_told_the_same(sights: Mapping[str, Sight]) -> None:
    assert sights["none"].told == sights["process"].told.replace(str(sights["process"].folder), sights["none"].folder)
