"""The ledger: what a change of the view did to the prefix, what it cost, and when it paid for itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.contract import Message, Usage
from harness.cost.money import add
from harness.cost.prices import Cache, Prices, Tariff
from harness.measures import Measured, measure
from harness.record import Ask, Record, Segment, TurnRow

PLAIN = Prices("plain", "2026-01-01", input=1.0, cache_read=0.1, output=10.0)


def played(views: Sequence[Any], noted: dict[int, Any], asks: tuple[Ask, ...] = (), acted: int = 1) -> Record:
    """A turn a view, after ten tokens each of system and task; each turn adds a reply of 5 and an answer of 15."""
    texts = [Message("m0", "system", "s"), Message("m1", "user", "t")]
    sizes = [10, 10]
    for n in range(len(views)):
        texts += [Message(f"m{2 * n + 2}", "assistant", f"r{n}"), Message(f"m{2 * n + 3}", "user", f"a{n}")]
        sizes += [5, 15]
    made: set[str] = set()
    turns = []
    for n, view in enumerate(views):
        fresh = [name for name in view if isinstance(name, str) and name not in made]
        made.update(fresh)
        shown = sum(sum(sizes[a : b + 1]) for a, b in (p for p in view if isinstance(p, list)))
        shown += 4 * sum(isinstance(name, str) for name in view)
        notes = tuple(Message(name, "user", name, sources=("m2",)) for name in fresh)
        asked = sum(ask.tokens for ask in asks if ask.turn == n + 1)
        turns.append(
            TurnRow(n + 1, n + 1, acted, 0, 2 + 2 * n, view, notes, (4,) * len(notes), shown, 0, 5, Usage(), asked,
                    noted.get(n + 1, ()), (), 0.0, (0.5 if asked else 0.0, 1.0))
        )  # fmt: skip
    segment = Segment(None, 0, tuple(texts), tuple(sizes), (1,))
    return Record("i", 0, 999, None, (segment,), tuple(turns), "completed", "", len(views), 0, 0, {}, 0, asks)


EVICTED = (("evict", "budget", [[2, 3]]),)
GROWS = [[[0, 1]], [[0, 3]], [[0, 5]]]
CUT = [*GROWS, [[0, 1], [4, 7]], [[0, 1], [4, 9]]]


def measured(record: Record, same: bool = True, prices: Prices = PLAIN) -> Measured:
    found = measure(record, None, (1,))
    add(record, Tariff(prices), found, same)
    return found


def test_a_change_says_what_it_did_to_the_view_and_to_the_prefix() -> None:
    (row,) = measured(played(CUT, {4: EVICTED})).ledger
    # before: 60 shown and 20 told since; after: 60. Of the last request's 60 the first 20 still stand in front.
    assert {k: row[k] for k in ("turn", "version", "before", "after", "dropped", "messages", "tokens")} == {
        "turn": 4, "version": 1, "before": 80, "after": 60, "dropped": 2, "messages": 2, "tokens": 20,
    }  # fmt: skip
    assert (row["prefix_lost"], row["rewritten"]) == (40, 20)


def test_pay_back_is_the_difference_to_going_on_without_the_change() -> None:
    (row,) = measured(played(CUT, {4: EVICTED})).ledger
    # Turn 4 would have read 60 and sent 20 (26); it read 20 and sent 40 (42). Turn 5: 80 and 20 (28); 60 and 20 (26).
    assert row["net_money"] == row["net_money_ideal"] == pytest.approx((26 - 42 + 28 - 26) * 1e-6)
    assert row["pays_after"] is None
    later = [*CUT, *([[0, 1], [4, 2 * n + 1]] for n in range(5, 30))]
    (row,) = measured(played(later, {4: EVICTED})).ledger
    # turn 4 costs 16 more, each later turn saves 2
    assert row["pays_after"] == row["pays_after_ideal"] == 9
    assert row["net_money"] == pytest.approx((-16 + 26 * 2) * 1e-6)


def test_the_next_change_ends_the_account_and_the_strategys_own_calls_are_taken_off() -> None:
    ask = Ask(4, 14, 4, (("tools", 0), ("text", 10)), Usage(), 2.0)
    noted = {4: (("submit", "length", []), *EVICTED), 5: (("evict", "budget", [[4, 5]]),)}
    views = [*CUT[:4], [[0, 1], [6, 9]]]
    submit, first, second = measured(played(views, noted, (ask,))).ledger
    assert submit["asked"] is None and (first["asked"], first["seconds"], first["stall"]) == (14, 2.0, 0.5)
    assert first["own_money"] == pytest.approx(50e-6) and second["own_money"] == 0
    assert first["net_money"] == pytest.approx((-16 - 50) * 1e-6)
    assert (first["version"], second["version"]) == (1, 2)


def test_without_the_same_history_nothing_is_said_of_what_would_have_been() -> None:
    found = measured(played(CUT, {4: EVICTED}), same=False)
    assert found.ledger[0]["net_money"] is None and found.outcome["paid_back"] is None
    looked_up = measured(played(CUT, {4: EVICTED}, acted=0))  # the agent read again what it missed
    assert looked_up.ledger[0]["net_money"] is None and looked_up.ledger[0]["rewritten"] == 20


def test_totals_of_an_episode() -> None:
    outcome = measured(played(CUT, {4: EVICTED})).outcome
    assert (outcome["changes"], outcome["prefix_lost"], outcome["rewritten"]) == (1, 40, 20)
    assert outcome["paid_back"] == 0 and outcome["net_money"] < 0 and outcome["own_money"] == 0


@given(st.integers(1, 6), st.integers(1, 64), st.floats(0, 0.5), st.floats(0, 0.3))
def test_a_change_that_changes_nothing_saves_and_costs_nothing(at: int, block: int, stray: float, miss: float) -> None:
    """Whatever the cache: the counterfactual is priced by the same rules as the run."""
    grows = [[[0, 2 * n + 1]] for n in range(8)]
    prices = replace(PLAIN, cache=Cache(block=block, stray=stray, miss=miss))
    (row,) = measured(played(grows, {at + 1: EVICTED}), prices=prices).ledger
    assert row["net_money"] == pytest.approx(0, abs=1e-12) and row["net_money_ideal"] == pytest.approx(0, abs=1e-12)
