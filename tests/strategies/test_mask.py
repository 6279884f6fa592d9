"""Masking old observations."""

from __future__ import annotations

import pytest

from harness.contract import Message
from strategies.mask import Mask
from tests.conformance.laws import kit, play, whole
from tests.conformance.scripts import Script, acts, rounds

FIVE = Script("task", ((), *rounds(5)))
LINE = "[gone]"


def masked(strategy: Mask, script: Script = FIVE) -> list[list[str]]:
    """Sources of the made messages in each view."""
    return [[s for m in turn.view for s in m.sources] for turn in play(strategy, script, whole(script))]


def test_the_last_m_turns_keep_their_observations() -> None:
    assert masked(Mask(turns=2, placeholder=LINE)) == [[], [], [], ["m3"], ["m3", "m5"], ["m3", "m5", "m7"]]


def test_low_water_masks_in_batches() -> None:
    found = masked(Mask(turns=4, placeholder=LINE, low_water=0.5), Script("task", ((), *rounds(8))))
    three, six = ["m3", "m5", "m7"], ["m3", "m5", "m7", "m9", "m11", "m13"]
    assert found == [[], [], [], [], [], three, three, three, six]


def test_the_made_message_answers_the_same_call_in_the_same_place() -> None:
    view = list(play(Mask(turns=1, placeholder=LINE), FIVE, whole(FIVE)))[2].view
    assert view[3] == Message("mask:m3", "tool", LINE, answers="c0", sources=("m3",))
    assert [message.id for message in view] == ["m0", "m1", "m2", "mask:m3", "m4", "m5"]


def test_an_observation_no_longer_than_the_line_stays() -> None:
    script = Script(
        "task", ((), acts("a", LINE, first=0), acts("b", "", first=1), acts("c", "long " * 30, first=2), *rounds(1))
    )
    assert masked(Mask(turns=1, placeholder=LINE), script)[-1] == ["m7"]


def test_masking_is_an_event_and_what_still_does_not_fit_is_an_overflow() -> None:
    lent, history, strategy = kit(), FIVE.grown(5), Mask(turns=2, placeholder=LINE)
    strategy.reset(lent, FIVE.brief)
    view = strategy.compose(history, whole(Script("task", ((), *rounds(3)))))
    found = [(e.kind, e.detail["trigger"], e.detail["sources"]) for e in lent.drain()]
    assert found[0] == ("evict", "age", ["m3"])
    assert ("overflow", "budget", ["m2"]) in found  # its answer m3 was reported before
    assert "m2" not in [message.id for message in view]


@pytest.mark.parametrize("line", ["", " ", "two\nlines"])
def test_a_blank_or_broken_line_is_refused(line: str) -> None:
    with pytest.raises(ValueError, match="placeholder="):
        Mask(placeholder=line).reset(kit(), FIVE.brief)
