"""A dry plan says what would be run and what is missing, and runs nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness import dry, parts
from harness.contract import Instance
from harness.identity import identity
from harness.parts import SettingsError
from harness.plan import Cell, check
from tests.machine.test_cell import settings
from tests.machine.test_spend import PRICES, Billed
from tests.machine.toy import Desk


class Locked(Billed):
    """Its key is not there."""

    def check(self) -> None:
        raise ValueError("CLERK_KEY is not set")


class Elsewhere(Desk):
    """Wants what this machine has not."""

    def check(self) -> None:
        raise ValueError("no daemon")

    def instances(self) -> list[Instance]:
        return list(super().instances())[:2]


def config(**changed: object) -> dict[str, object]:
    model = {"_target_": f"{__name__}.Locked"}
    return settings(model=model, prices=PRICES, **changed)


def test_what_is_planned_costs_and_is_missing_is_said(tmp_path: Path) -> None:
    task = {**settings()["task"], "_target_": f"{__name__}.Elsewhere"}
    limits = {**settings()["limits"], "turns": 20}
    cell = Cell(config(dry="without_key", task=task, limits=limits), {"task": "desk"}, tmp_path / "cell")
    notes, built = check([cell])
    assert dry.wanted(cell.config, built[0].model)
    said = "\n".join(dry.plan([cell], built))
    assert "nothing is run" in said and "cell: 2 instances" in said and "desk-0, desk-1" in said
    assert "at most 40 calls" in said
    assert "missing: model: CLERK_KEY is not set" in said and "missing: task: no daemon" in said
    assert notes == [] and not (tmp_path / "cell").exists()


def test_without_dry_the_key_is_wanted_at_once() -> None:
    with pytest.raises(SettingsError, match="CLERK_KEY is not set"):
        parts.build(config())


@pytest.mark.parametrize(("choice", "found"), [(True, True), (False, False), ("without_key", False)])
def test_a_model_that_is_ready_is_asked(choice: object, found: bool) -> None:
    assert dry.wanted({"dry": choice}, Billed()) is found
    with pytest.raises(SettingsError, match="choose true, false or without_key"):
        dry.wanted({"dry": "maybe"}, Billed())


def test_a_plan_changes_no_cell() -> None:
    assert identity(settings(dry=True, graders=0)) == identity(settings())
