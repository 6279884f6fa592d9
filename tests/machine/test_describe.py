"""What a task tells and asks is counted from its schedules; the pages in docs/tasks carry the newest counts."""

from __future__ import annotations

from pathlib import Path

import pytest
from hydra.utils import instantiate

from harness import describe
from harness.contract import Instance
from harness.parts import SettingsError
from tests.machine.toy import Desk, DeskRun

SHORT = ["task.horizon=24", "task.subtasks=4", "checkpoints=[20]", "instances=4"]
FAMILIES = sorted(path.stem for path in describe.PAGES.glob("*.md"))


@pytest.fixture(scope="module")
def found() -> describe.Description:
    return describe.describe("pipeline", describe.load("pipeline", SHORT))


def test_kinds_needs_distances_and_ops_are_those_of_the_schedules(found: describe.Description) -> None:
    task = instantiate(describe.load("pipeline", SHORT)["task"])
    schedules = [task.open(instance, 0).schedule() for instance in task.instances()]
    assert (found.instances, found.goals) == (4, sum(len(s.goals) for s in schedules))
    for kind, one in found.kinds.items():
        facts = [fact for s in schedules for fact in s.facts if fact.kind == kind]
        distances = []
        for schedule in schedules:
            stated = {fact.id: fact.stated for fact in schedule.facts if fact.kind == kind}
            distances += [goal.step - stated[f] for goal in schedule.goals for f in goal.facts if f in stated]
        assert one == describe.Kind(
            len(facts),
            sum(fact.superseded is not None for fact in facts),
            sum(fact.source is not None for fact in facts),
            tuple(sorted(distances)),
        )
    assert sum(found.ops.values()) == found.goals and {"value", "join"} <= set(found.ops)
    assert len(found.sizes) == 4 and all(size > 2000 for size in found.sizes)


def test_the_table_is_whole(found: describe.Description) -> None:
    lines = list(describe.lines(found))
    rows = [line for line in lines if line.startswith("| ") and "share" not in line and "what" not in line]
    assert [row.split(" | ")[0] for row in rows] == [f"| {kind}" for kind in found.kinds]
    assert {line.count("|") for line in lines[2 : 4 + len(rows)]} == {10}
    assert lines[0].startswith("4 instances, an episode:")


class Silent(DeskRun):
    """A toy episode that declares no facts."""

    def schedule(self) -> None:  # type: ignore[override]
        return None


class SilentDesk(Desk):
    def open(self, instance: Instance, seed: int) -> Silent:
        return Silent(self, instance)


def test_a_task_that_declares_no_facts_is_refused() -> None:
    task = {"_target_": "tests.machine.test_describe.SilentDesk", "horizon": 12, "count": 1, "back": 4}
    with pytest.raises(SettingsError, match="declares no facts"):
        describe.describe("silent", {"task": task})


def test_a_page_without_marks_is_refused(tmp_path: Path) -> None:
    (tmp_path / "pipeline.md").write_text("# pipeline\n")
    with pytest.raises(SettingsError, match="no place for the counts"):
        describe.write("pipeline", tmp_path / "pipeline.md")


def test_every_family_has_a_page() -> None:
    assert {"pipeline", "graph", "credentials", "support"} <= set(FAMILIES)


@pytest.mark.parametrize("family", FAMILIES)
def test_the_counts_on_the_page_are_current(family: str) -> None:
    text = (describe.PAGES / f"{family}.md").read_text()
    assert describe.block(family) in text, f"python -m harness.describe task={family} --write"
    for part in ("What it is for", "An episode", "What it cannot test"):
        assert part in text
