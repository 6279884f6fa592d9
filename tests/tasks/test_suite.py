"""The suite: ten families in two halves, one digest over all that their texts come from, the register of changes."""

import re
import shutil
from pathlib import Path

import pytest

from tasks import suite
from tasks.generated import build
from tasks.graph import FAMILY
from tests.tasks.oracle import FAMILIES

ROOT = Path(__file__).parents[2]
CHANGES = ROOT / "docs" / "suite-changes.md"


def test_every_generated_family_is_in_one_half():
    assert sorted(suite.DEVELOPMENT + suite.HELD_OUT) == sorted(FAMILIES)
    assert len(suite.DEVELOPMENT) == len(suite.HELD_OUT) == 5


def test_the_split_is_written_down():
    text = (ROOT / "docs" / "suite.md").read_text()
    for name, half in (("development", suite.DEVELOPMENT), ("held-out", suite.HELD_OUT)):
        (row,) = re.findall(rf"^\| {name} \|(.*?)\|", text, re.MULTILINE)
        assert tuple(re.findall(r"`(\w+)`", row)) == half


@pytest.mark.parametrize("family", FAMILIES)
def test_tasks_of_the_suite_say_so(family):
    assert FAMILIES[family]().suite == f"v1 {suite.digest()[:12]}"


def test_a_family_outside_the_suite_has_no_version():
    from dataclasses import replace

    assert build(replace(FAMILY, name="mine"), {}).suite is None


def test_the_digest_changes_with_any_source_any_setting_and_with_nothing_else(tmp_path):
    tasks, conf = tmp_path / "tasks", tmp_path / "conf"
    shutil.copytree(ROOT / "tasks", tasks, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(ROOT / "conf" / "task", conf)
    before = suite.digest(tasks, conf)
    assert before == suite.digest()
    for other in (tasks / "replay.py", conf / "replay.yaml"):
        other.write_text("")
    assert suite.digest(tasks, conf) == before
    for path in (tasks / "noise.py", tasks / "support.py", conf / "graph.yaml"):
        text = path.read_text()
        path.write_text(f"{text}\n# changed\n")
        assert suite.digest(tasks, conf) != before
        path.write_text(text)
    assert suite.digest(tasks, conf) == before


def test_the_texts_of_the_first_instance_are_those_that_an_episode_shows():
    task = FAMILIES["graph"](instances=1)
    world = task.open(task.instances()[0], 0)
    shown = world.reset()
    found = list(suite.texts(task))
    assert found[0] == shown.brief.system and found[1] == shown.brief.task
    assert f"{found[2]}\n\n{found[3]}" == shown.messages[-1].content
    assert len(found) == 3 + 3 * 80


def test_a_frozen_version_is_the_one_at_hand():
    """The last line of the register names the version, its day, and the digest of the files; so does the README."""
    rows = re.findall(r"^\| (v\d+) \| ([^|]*) \| ([^|]*) \|", CHANGES.read_text(), re.MULTILINE)
    version, day, digest = rows[-1]
    assert (version, digest) == (suite.VERSION, f"`{suite.digest()}`")
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", day)
    readme = (ROOT / "README.md").read_text()
    assert f"**suite {version}**, frozen on {day}" in readme and digest in readme
