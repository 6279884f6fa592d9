"""Masked at once, summarised later."""

from __future__ import annotations

import pytest

from strategies.mask_then_summary import MaskThenSummary
from tests.conformance.scripts import Script, rounds
from tests.strategies.compactors import Run, Spy, kit, run, text_of

LONG = Script("reach the gate", ((), *rounds(60, 30)))
PLACEHOLDER = "[old observation left out]"


def played(spy: Spy | None = None, budget: int = 100_000, **own: object) -> Run:
    return run(MaskThenSummary(**own), LONG, budget, spy or Spy())  # type: ignore[arg-type]


def masked(view: tuple[object, ...]) -> int:
    return sum(message.content == PLACEHOLDER for message in view)  # type: ignore[attr-defined]


def test_observations_older_than_m_turns_are_masked_until_n_turns_are() -> None:
    done = played(turns=10, steps=43)
    assert [masked(view) for view in done.views[9:14]] == [0, 0, 1, 2, 3]
    assert max(map(masked, done.views)) == 42  # the 43rd is masked and summarised with them
    assert done.kinds("compact") == ["steps"]
    assert masked(done.views[-1]) == 60 - 10 - 43
    assert len(done.summary.sources) == 2 * 43


def test_without_summaries_it_is_masking_alone() -> None:
    done = played(steps=1000)
    assert done.kinds("compact") == []
    assert masked(done.views[-1]) == 50


@pytest.mark.parametrize(("reads", "seen"), [("original", True), ("masked", False)])
def test_what_the_compactor_reads_of_masked_turns(reads: str, seen: bool) -> None:
    spy = Spy()
    played(spy, reads=reads)
    sent = "\n".join(map(text_of, spy.requests))
    assert ("value_005" in sent) == seen
    assert (PLACEHOLDER in sent) != seen
    assert "cat f5.py" in sent  # actions are always read


def test_a_view_over_the_budget_is_summarised_earlier() -> None:
    done = played(budget=4500)
    assert set(done.kinds("compact")) == {"budget"}
    assert done.kinds("overflow") == []


def test_a_saved_state_masks_and_covers_the_same() -> None:
    strategy, history = MaskThenSummary(), LONG.start()
    strategy.reset(kit(Spy()), LONG.brief)
    for turn in range(len(LONG.turns)):
        LONG.append(history, turn)
        view = strategy.compose(history, 100_000)
    spy, fresh = Spy(), MaskThenSummary()
    fresh.reset(kit(spy), LONG.brief, strategy.export())
    assert list(fresh.compose(history, 100_000)) == list(view)
    assert spy.requests == []


@pytest.mark.parametrize(
    ("setting", "named"),
    [
        ({"turns": 0}, "turns=0"),
        ({"steps": 0}, "steps=0"),
        ({"reads": "all"}, "reads='all'"),
        ({"placeholder": " "}, "placeholder="),
    ],
)
def test_settings_out_of_range_are_named(setting: dict[str, object], named: str) -> None:
    with pytest.raises(ValueError, match=named):
        played(**setting)  # type: ignore[arg-type]
