"""Which blocks window, trim, head, head_tail and the controls keep, written out."""

from __future__ import annotations

import pytest

from harness.contract import Message, Strategy, Unlimited
from strategies.empty import Empty
from strategies.full import Full
from strategies.head import Head
from strategies.none import Whole
from strategies.window import Window
from tests.conformance.laws import play, whole
from tests.conformance.scripts import Script, acts, rounds, user

# Pinned m0 m1; round n has the messages m{2n+2} and m{2n+3}; all rounds have the same tokens.
SIX = Script("task", ((), *rounds(6)))


def room_for(count: int) -> int:
    return whole(Script("task", ((), *rounds(count))))


def rounds_kept(view: tuple[Message, ...]) -> list[int]:
    ids = [message.id for message in view]
    assert ids[:2] == ["m0", "m1"]
    kept = [int(name[1:]) // 2 - 1 for name in ids[2::2]]
    assert ids[2:] == [name for n in kept for name in (f"m{2 * n + 2}", f"m{2 * n + 3}")]
    return kept


def views(strategy: Strategy, script: Script, budget: int) -> list[list[int]]:
    return [rounds_kept(turn.view) for turn in play(strategy, script, budget)]


def test_window_drops_the_oldest_block_each_turn() -> None:
    assert views(Window(), SIX, room_for(3)) == [[], [0], [0, 1], [0, 1, 2], [1, 2, 3], [2, 3, 4], [3, 4, 5]]


def test_one_token_less_is_one_block_less() -> None:
    assert views(Window(), SIX, room_for(3) - 1)[3] == [1, 2]


def test_low_water_evicts_down_to_its_share_and_then_leaves_the_prefix_alone() -> None:
    half = (room_for(2) + 0.5) / room_for(4)
    found = views(Window(low_water=half), SIX, room_for(4))
    assert found == [[], [0], [0, 1], [0, 1, 2], [0, 1, 2, 3], [3, 4], [3, 4, 5]]


def test_window_by_turns() -> None:
    wide = room_for(6)
    assert views(Window(unit="turns", turns=2), SIX, wide)[2:] == [[0, 1], [1, 2], [2, 3], [3, 4], [4, 5]]
    assert views(Window(unit="turns", turns=4, low_water=0.5), SIX, wide)[4:] == [[0, 1, 2, 3], [3, 4], [3, 4, 5]]


def test_head_keeps_the_oldest_and_the_current_turn() -> None:
    assert views(Head(), SIX, room_for(3)) == [[], [0], [0, 1], [0, 1, 2], [0, 1, 3], [0, 1, 4], [0, 1, 5]]


def test_head_tail_shares_the_room_beside_the_current_turn() -> None:
    assert views(Head(share=0.5), SIX, room_for(5))[6] == [0, 1, 3, 4, 5]
    assert views(Head(share=0.25), SIX, room_for(5))[6] == [0, 2, 3, 4, 5]


def test_head_batches_too() -> None:
    half = (room_for(2) + 0.5) / room_for(4)
    assert views(Head(low_water=half), SIX, room_for(4))[4:] == [[0, 1, 2, 3], [0, 4], [0, 4, 5]]


def test_pin_user_keeps_a_later_instruction() -> None:
    script = Script(
        "task", ((), (*rounds(1)[0], user("task two")), *(acts(f"n {n}", "word " * 12, first=n) for n in (1, 2, 3)))
    )
    budget = whole(script) // 2
    for strategy in (Window(pin_user=True), Head(pin_user=True), Window(unit="turns", turns=1, pin_user=True)):
        assert "m4" in [m.id for m in list(play(strategy, script, budget))[-1].view]
    assert "m4" not in [m.id for m in list(play(Window(), script, budget))[-1].view]


def test_the_controls() -> None:
    assert views(Whole(), SIX, 1)[-1] == views(Full(), SIX, 1)[-1] == [0, 1, 2, 3, 4, 5]
    assert views(Empty(), SIX, room_for(6)) == [[]] * 7
    assert isinstance(Full(), Unlimited)
    assert not isinstance(Whole(), Unlimited)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"low_water": 0}, "low_water=0: "),
        ({"low_water": 1.2}, "low_water=1.2: "),
        ({"unit": "steps"}, "unit='steps': choose one of tokens, turns"),
        ({"turns": 0}, "turns=0: "),
        ({"overflow": "trim"}, "overflow='trim': choose one of window, error"),
    ],
)
def test_settings_out_of_range_are_refused_when_the_episode_begins(settings: dict[str, object], message: str) -> None:
    strategy = Window(**settings)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=message):
        list(play(strategy, SIX, 100))
