"""No generated family can be won by a trick. `python -m harness.shortcuts` shows the same on all instances."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.shortcuts.__main__ import CONTROLS, GUESSES, main, measure, tables
from harness.shortcuts.arms import Controls, Reached
from harness.shortcuts.checks import MOST, Findings
from harness.shortcuts.guess import Guessed
from tests.suite.suite import FAMILIES

INSTANCES = 3


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Findings | Exception]:
    return measure(FAMILIES, tmp_path_factory.mktemp("shortcuts"), [f"instances={INSTANCES}"])


@pytest.fixture(params=FAMILIES)
def findings(request: pytest.FixtureRequest, measured: dict[str, Findings | Exception]) -> Findings:
    found = measured[request.param]
    if isinstance(found, Exception):
        raise found
    assert found.instances == INSTANCES
    return found


def test_there_are_families() -> None:
    assert {"pipeline", "graph"} <= set(FAMILIES)
    assert "replay" not in FAMILIES


def test_the_whole_history_meets_every_goal(findings: Findings) -> None:
    full = findings.controls.arms["full"]
    assert (full.success, full.hits) == (1.0, 1.0)


def test_keeping_every_id_like_string_stays_under_the_midpoint(findings: Findings) -> None:
    limit = findings.controls.limit
    assert limit is not None
    regex = findings.controls.arms["regex"]
    assert regex.success <= limit.success
    assert regex.hits <= limit.hits


def test_bounds_and_controls_stand_in_order(findings: Findings) -> None:
    controls = findings.controls
    assert controls.any is not None
    assert controls.keep is not None
    assert controls.arms["empty"].hits <= controls.keep.hits <= controls.any.hits <= 1
    assert controls.arms["empty"].success <= controls.any.success
    assert controls.keep.success <= controls.any.success <= 1


def test_a_line_of_bare_values_binds_nothing(findings: Findings) -> None:
    assert findings.bare == 0


@pytest.mark.parametrize("unit", ["statements", "messages"])
def test_text_does_not_tell_what_will_be_needed(findings: Findings, unit: str) -> None:
    got = findings.guessed[unit]
    assert 0.05 < got.share < 0.6
    assert got.n > (500 if unit == "statements" else 100)
    assert max(got.words, got.shapes) <= MOST, f"{unit}: {got}; with {findings.exempt}: {findings.all_kinds.get(unit)}"


def test_no_family_fails_what_the_command_checks(findings: Findings) -> None:
    assert list(findings.failures()) == []


# ---------------------------------------------------------------- the checks can fail


ANY = Reached(1.0, 0.9)


def made(regex: float, full: float = 1.0, bound: Reached | None = ANY, auc: float = 0.5) -> Findings:
    arms = {"full": Reached(full, 1.0), "empty": Reached(0.2, 0.1), "regex": Reached(0.1, regex)}
    guessed = {"statements": Guessed(0.5, auc, 100, 0.25)}
    return Findings("made", 1, Controls(arms, bound, None), 0 if regex < 0.9 else 3, guessed, (), {})


def test_what_fails_is_said_with_its_figures() -> None:
    assert list(made(0.5).failures()) == []
    assert list(made(0.51).failures()) == [
        "regex reaches 0.100 of the goals and 0.510 of the needs, over the midpoints 0.600 and 0.500"
    ]
    assert list(made(0.9, full=0.5).failures()) == [
        "full reaches 0.500 of the goals and 1.000 of the needs, not all",
        "regex reaches 0.100 of the goals and 0.900 of the needs, over the midpoints 0.600 and 0.500",
        "a line of bare values binds 3 facts",
    ]
    assert list(made(0.1, bound=None).failures()) == ["there is no bound to compare regex with"]
    guessed = "needed statements can be guessed: AUC 0.500 by words, "
    assert list(made(0.1, auc=0.651).failures()) == [f"{guessed}0.651 by shapes"]
    assert list(made(0.1, auc=float("nan")).failures()) == [f"{guessed}nan by shapes"]


def test_the_tables_show_every_figure() -> None:
    assert tables([made(0.25)]).splitlines() == [
        "| family | of | empty | regex | midpoint | bound_any | bound_keep | full |",
        "| --- | --- | --- | --- | --- | --- | --- | --- |",
        "| made | goals | 0.200 | 0.100 | 0.600 | 1.000 | - | 1.000 |",
        "|  | needs | 0.100 | 0.250 | 0.500 | 0.900 | - | 1.000 |",
        "",
        "| family | values bound | unit | n | needed | words | shapes | with exempt kinds | exempt fields |",
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- |",
        "| made | 0 | statements | 100 | 0.250 | 0.500 | 0.500 | - | - |",
    ]


def test_the_command_ends_with_status_1_and_says_why(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["task=graph", "instances=2", "+task.nothing=1"]) == 1
    assert capsys.readouterr().out.startswith("graph: not measured: task: cannot build")


def test_the_page_has_the_figures_of_every_family() -> None:
    page = (Path(__file__).parents[2] / "docs" / "shortcuts.md").read_text()
    for head in (CONTROLS, GUESSES):
        _, rows = page.split(f"| {' | '.join(head)} |\n")
        named = [line.split("|")[1].strip() for line in rows.split("\n\n")[0].splitlines()[1:]]
        assert [name for name in named if name] == FAMILIES
    assert f"≤ {MOST}" in page
