"""A sweep with a paid model says what it may cost, and never spends more than it was allowed."""

from __future__ import annotations

import json
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from harness import parts, spend
from harness.contract import Message, Request, Usage
from harness.cost.prices import Prices
from harness.identity import identity
from harness.models.metered import Metered
from harness.parts import SettingsError
from harness.plan import Cell
from harness.purse import NAME, Purse, SpentUp
from harness.tokens import Characters, Counter
from tests.machine.test_cell import contents, run, settings
from tests.machine.toy import Clerk, Lines, said

PRICES = {"name": "dear", "as_of": "2026-01-01", "input": 100.0, "cache_read": 10.0, "output": 1000.0}
LIMITS = {"turns": 20, "turn_factor": 1.5, "turn_spare": 10, "tokens": None, "output": 100}


class Billed(Clerk):
    """Wants a key, so its calls have a price."""

    key = "CLERK_KEY"


def paid(dollars: float | None, **changed: Any) -> dict[str, Any]:
    model = {"_target_": f"{__name__}.Billed"}
    return settings(model=model, prices=PRICES, limits={**LIMITS, "dollars": dollars}, **changed)


def planned(config: dict[str, Any], folder: Path) -> tuple[list[Cell], list[Any]]:
    return [Cell(config, {"task": "desk"}, folder / "cell")], [parts.build(config)]


# ---------------------------------------------------------------- before the first call


def test_without_a_limit_nothing_is_run_and_the_estimate_is_said(tmp_path: Path) -> None:
    # 3 episodes of 20 calls with 4,000 tokens in and 100 out: 60 x ($0.40 + $0.10)
    said_so = r"limits.dollars is not set(.|\n)*at most 60 calls .*\$30.00 without a cache"
    with pytest.raises(SettingsError, match=said_so):
        spend.notes(*planned(paid(None), tmp_path))
    with pytest.raises(SettingsError, match=r"limits.dollars is not set"):
        run(tmp_path / "cell", paid(None))
    said_ = spend.notes(*planned(paid(40.0), tmp_path))
    assert "$30.00" in said_[0] and "dear, 2026-01-01" in said_[0] and "limits.dollars=$40" in said_[-1]


def test_models_without_a_key_cost_nothing(tmp_path: Path) -> None:
    assert spend.notes(*planned(settings(), tmp_path)) == []


@pytest.mark.parametrize("bad", [0, -1, True, "5"])
def test_a_limit_is_dollars_above_zero(bad: Any, tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"limits.dollars="):
        spend.notes(*planned(paid(bad), tmp_path))


def test_calls_need_a_bound_and_prices_a_list(tmp_path: Path) -> None:
    endless = paid(5.0, task={**settings()["task"], "horizon": None})
    with pytest.raises(SettingsError, match=r"limits.turns is null"):
        spend.notes(*planned(endless | {"limits": {**LIMITS, "turns": None, "dollars": 5.0}}, tmp_path))
    with pytest.raises(SettingsError, match="set prices=NAME"):
        spend.notes(*planned(paid(5.0) | {"prices": {}}, tmp_path))


# ---------------------------------------------------------------- while it runs


def test_a_sweep_stops_before_its_limit_and_goes_on_when_it_is_raised(tmp_path: Path) -> None:
    unlimited = tmp_path / "unlimited" / "cell"
    assert run(unlimited, paid(1000.0))
    whole = Purse(unlimited.parent / NAME, 1000.0).spent
    folder = tmp_path / "sweep" / "cell"
    limit = whole / 2
    assert not run(folder, paid(limit))
    spent = Purse(folder.parent / NAME, limit).spent
    assert 0.3 * whole < spent <= limit
    (error,) = (folder / "errors").glob("*.txt")
    assert "raise the limit, and the same command goes on" in error.read_text()
    assert run(folder, paid(2 * whole))  # the same cell: the limit is no part of its identity
    assert Purse(folder.parent / NAME, whole).spent == pytest.approx(whole)  # no call is paid twice
    same = {name: content for name, content in contents(folder).items() if not name.startswith("errors")}
    assert same == contents(unlimited)


def test_the_limit_is_no_part_of_a_cells_identity() -> None:
    assert identity(paid(1.0)) == identity(paid(2.0)) != identity(settings())


def test_cells_at_once_share_the_account(tmp_path: Path) -> None:
    purse = Purse(tmp_path / NAME, 1.0)
    refused = []

    def spend_it() -> None:
        try:
            for _ in range(100):
                purse.pay(purse.hold(0.02), 0.01)
        except SpentUp:
            refused.append(1)

    threads = [threading.Thread(target=spend_it) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(refused) == 4 and 0.96 < purse.spent <= 1.0


def test_what_a_killed_process_set_aside_stays_so_and_a_torn_line_is_cut(tmp_path: Path) -> None:
    purse = Purse(tmp_path / NAME, 1.0)
    purse.hold(0.4)
    with open(tmp_path / NAME, "a") as file:
        file.write('{"call": 1, "he')
    assert purse.spent == pytest.approx(0.4)
    purse.pay(purse.hold(0.5), 0.1)
    assert [json.loads(line) for line in (tmp_path / NAME).read_text().splitlines()][-1] == {"call": 1, "paid": 0.1}
    with pytest.raises(SpentUp, match=r"limits.dollars=1: \$0.5000 .* may cost \$0.6000"):
        purse.hold(0.6)


def test_a_call_is_paid_by_the_providers_counts_else_as_planned(tmp_path: Path) -> None:
    request = Request((Message("m0", "system", "x" * 60), Message("m1", "user", "y" * 40)), (), 0, 50)
    prices = Prices("p", "2026", input=1e4, cache_read=1e3, output=1e5)
    plain = said("z" * 10)
    counted = replace(plain, usage=Usage(200, 100, None, 20))
    counter = Counter(Characters())
    planned_ = counter.messages(request.view) + counter.overhead(())
    for reply, paid_ in (
        (plain, planned_ * 0.01 + counter.message(plain.message) * 0.1),
        (counted, 100 * 0.01 + 100 * 0.001 + 20 * 0.1),
        (replace(counted, usage=Usage(200, 100, 50, 20)), 100 * 0.01 + 100 * 0.001 + 20 * 0.1),
    ):
        purse = Purse(tmp_path / f"{paid_:.4f}{reply.usage.cache_write}", 1000.0)
        Metered(Lines(reply), purse, prices, counter).complete(request)
        assert purse.spent == pytest.approx(paid_)
