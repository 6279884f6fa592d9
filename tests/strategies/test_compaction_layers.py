"""Levels of a summary: what enters the finest and moves on."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from harness.models.extractive import Extractive
from strategies.compaction.layers import Layers, blank, blocking, fold, restored
from strategies.compaction.prompts import LEVELS, Level
from strategies.compaction.texts import Piece
from tests.strategies.compactors import LETTERS, Spy, compactor, instruction_of, known_of, text_of, together


def piece(n: int, subtask: int = 0, lines: int = 4) -> Piece:
    text = "\n".join(f"turn {n} row {row} says v{n}.{row}" for row in range(lines))
    return Piece(text, (f"m{n}",), subtask)


def folded(former: Layers, told: list[Piece], spy: Spy, room: int = 600, names: int = 0) -> Layers:
    made, _ = compactor(goal="reach the gate")
    return blocking(fold(former, told, room, names, made), together(spy))


def rounds(spy: Spy, levels: tuple[Level, ...] = LEVELS, count: int = 12, room: int = 600, names: int = 0) -> Layers:
    """Three turns at a time, a subtask every six."""
    layers = blank(levels)
    for first in range(0, 3 * count, 3):
        layers = folded(layers, [piece(n, n // 6) for n in range(first, first + 3)], spy, room, names)
    return layers


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.lists(st.tuples(st.integers(1, 30), st.integers(0, 1)), min_size=1, max_size=4), max_size=6),
    st.sampled_from((LEVELS, LEVELS[:1], LEVELS[1:], ("fragment", "global"))),
    st.integers(250, 900),
)
def test_each_message_is_covered_once_in_order_and_the_room_is_kept(
    batches: list[list[tuple[int, int]]], levels: tuple[Level, ...], room: int
) -> None:
    layers, n, subtask = blank(levels), 0, 0
    for batch in batches:
        told = []
        for lines, step in batch:
            n, subtask = n + 1, subtask + step
            told.append(piece(n, subtask, lines))
        layers = folded(layers, told, Spy(), room)
        assert layers.sources == tuple(f"m{k}" for k in range(1, n + 1))
        assert len(layers.text()) <= room


def test_the_recent_past_is_told_finely_and_the_distant_past_coarsely() -> None:
    spy = Spy()
    layers = rounds(spy)
    fragments, sessions, state = layers.entries
    assert len(state) == 1
    assert state[0].sources[0] == "m0"
    assert sessions[0].sources[0] == f"m{len(state[0].sources)}"
    assert fragments[-1].sources == ("m35",)
    subtasks = [entry.subtask for entry in sessions]
    assert subtasks == sorted(set(subtasks))  # one paragraph a subtask
    told = {level: [r for r in spy.requests if sign in instruction_of(r)] for level, sign in SIGNS.items()}
    assert all(told.values())
    assert layers.text().index("state of the work:") < layers.text().index("before:") < layers.text().index("lately:")


SIGNS = {"fragment": "one plain sentence", "session": "one paragraph", "global": "done, blocked, next"}


def test_levels_can_be_left_out() -> None:
    for levels in (LEVELS[:1], LEVELS[1:2], LEVELS[2:], LEVELS[:2]):
        spy = Spy()
        layers = rounds(spy, levels)
        assert layers.levels == levels
        used = {level for level, sign in SIGNS.items() for r in spy.requests if sign in instruction_of(r)}
        assert used == set(levels)


def test_the_former_summary_is_part_of_the_next_input() -> None:
    for levels in (LEVELS, LEVELS[1:2]):
        layers = rounds(Spy(), levels, 4)
        former, spy = layers.text(), Spy()
        folded(layers, [piece(n, 2) for n in range(12, 15)], spy)
        sent = "\n".join(known_of(request) + text_of(request) for request in spy.requests)
        assert all(line in sent for line in former.splitlines() if not line.endswith(":"))


def test_identifiers_stand_beside_the_summary_within_their_tokens() -> None:
    layers = rounds(Spy(), names=80)
    line = layers.text().splitlines()[-1]
    assert line.startswith("identifiers: ")
    assert "v35.3" in layers.text()  # the newest one, in the line or in the text
    listed = line.removeprefix("identifiers: ").split(", ")
    assert not any(name in layers.text().replace(line, "") for name in listed)  # nothing twice
    assert len(line) <= 80 + len("identifiers: ")
    assert "identifiers:" not in rounds(Spy(), names=0).text()


def test_a_summary_comes_back_from_its_state() -> None:
    layers = rounds(Spy(), names=80)
    assert restored(layers.plain()) == layers


def test_an_entry_that_fits_moves_on_unasked() -> None:
    spy = Spy(Extractive(LETTERS).complete)
    layers = folded(blank(LEVELS), [piece(1, 0, 2)], spy, 600)
    assert spy.requests == []
    assert layers.entries[0][0].text == piece(1, 0, 2).text
