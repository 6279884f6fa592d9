"""Layered memory over a run: what is compressed, what comes back of it, and what is saved."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from harness.contract import Brief, Call, Message
from harness.kit import EpisodeKit
from harness.tokens import Counter
from tests.strategies.memories import REREAD, WORDS, Alike, Asked, arm, asked, lent, order, play, run_of, user

# ---------------------------------------------------------------- compression in the episode


@pytest.mark.parametrize(("border", "count"), [(True, False), (False, True)])
def test_a_subtask_s_end_or_too_many_units_compress(border: bool, count: bool) -> None:
    """Borders are hidden in the second case: then only the count is left."""
    part = (lambda n: 1 + n // 8) if border else (lambda n: None)
    played = play(arm(most_units=20), run_of(30, part=part))
    triggers = {trigger for kind, trigger in played.kinds() if kind == "compress"}
    assert triggers == {"border"} if border else triggers == {"count"}


def test_a_noisy_border_that_names_an_old_part_loses_nothing() -> None:
    part = {8: 2, 9: 1, 10: 3}
    played = play(arm(), run_of(20, part=lambda n: part.get(n, 1 + n // 8)))
    store = played.strategy.layers.store
    events = {unit.content for unit in store if unit.kind == "event"}
    assert all(any(f"store_{n} keeps" in content for content in events) for n in range(1, 21))


def test_originals_come_back_with_their_summary_or_by_a_tool_or_not_at_all() -> None:
    turns = asked(40, "Say the item of red store_3", part=6)
    drop = Asked()  # extractive at 50:1: store_3 is not among what it keeps
    follow = play(arm(ratio=50), turns, kit=lent(drop))
    assert "red store_3 keeps k-3" in follow.texts()
    assert "red store_3 keeps k-3" not in play(arm(ratio=50, look_back="off"), turns).texts()
    tool = play(arm(ratio=50, look_back="tool"), turns)
    assert "red store_3 keeps k-3" not in tool.texts()
    call = tool.strategy.calls_in(tool.texts())[0]
    assert call.name == "look_back"
    assert "red store_3 keeps k-3" in tool.strategy.answer(replace(call, id="c")).content
    assert tool.strategy.answer(Call("c", "look_back", {"unit": "u999"})).content.startswith("error: there is no unit")


def test_originals_respect_the_room_and_what_is_asked_goes_in_first() -> None:
    turns = asked(40, "Say the item of red store_3", part=6)
    played = play(arm(look_back="tool"), turns, 700)
    summary = next(u for u in played.strategy.layers.store.active("episodic") if u.kind == "summary")
    answer = played.strategy.answer(Call("c", "look_back", {"unit": summary.id}))
    assert "red store_3 keeps k-3" in answer.content
    assert Counter(WORDS).message(replace(answer, id="m")) <= 0.4 * 700 / 2 + 20


def test_without_a_compactor_nothing_fails_as_long_as_nothing_is_compressed() -> None:
    kit = EpisodeKit(Counter(WORDS), random.Random(1), embedder=Alike("red"))
    play(arm(compress_at="never"), run_of(30), kit=kit)
    with pytest.raises(RuntimeError, match="compactor"):
        play(arm(), run_of(30), kit=EpisodeKit(Counter(WORDS), random.Random(1), embedder=Alike("red")))


# ---------------------------------------------------------------- state


def test_recalled_text_is_not_stored_again() -> None:
    """FAULTS X4: what memory itself said, as a tool's answer, adds no unit; made messages never come in at all."""
    call = Call("r", "search_memory", {"query": "red"})
    recalled = Message("", "tool", "red store_3 keeps k-3 and z-9", answers="r", author="memory")
    turns = [*run_of(5), (Message("", "assistant", "", (call,)), recalled)]
    store = play(arm(when="on_call"), turns).strategy.layers.store
    assert not any("z-9" in unit.content for unit in store)
    again = play(
        arm(when="on_call"), [*run_of(5), (Message("", "assistant", "", (call,)), replace(recalled, author=None))]
    )
    assert any("z-9" in unit.content for unit in again.strategy.layers.store)


def test_one_episode_s_memory_is_not_in_the_next() -> None:
    """FAULTS M3: by no path."""
    strategy = arm(when="on_call")
    play(strategy, run_of(10, lambda n: "red secret_1 is k-1"))
    play(strategy, run_of(10))
    assert not strategy.find("secret_1")
    assert "secret_1" not in strategy.answer(Call("c", "search_memory", {"query": "red secret_1"})).content
    assert b"secret_1" not in strategy.export()


def test_a_session_goes_on_with_the_memory_of_the_last_one() -> None:
    first = play(arm(), run_of(20))
    brief = Brief("You are an agent.", "Do the task. Session 2.", (REREAD,), session=1)
    turns = [(user("Hello." + order(21, 9, "Say the item of red store_3")),)]
    second = play(arm(), turns, brief=brief, saved=first.strategy.export())
    assert "red store_3 keeps k-3" in second.texts() and "Never open door_7." in second.texts()
    known = {message.id for message in second.history}
    assert all(set(message.sources) <= known for message in second.views[-1])
    assert second.strategy.reading.at.step == 20
    fresh = play(arm(), turns, brief=brief)
    assert "k-3" not in fresh.texts()


def test_a_saved_state_gives_the_same_view_and_asks_nobody() -> None:
    played = play(arm(), asked(40, "Say the item of red store_3"))
    ask = Asked()
    fork = arm()
    fork.reset(lent(ask), Brief("You are an agent.", "Do the task.", (REREAD,)), played.strategy.export())
    assert tuple(fork.compose(played.history, 4000)) == played.views[-1] and not ask.requests


def test_find_sees_all_that_is_stored() -> None:
    strategy = play(arm(), run_of(30)).strategy
    assert any("k-3" in message.content for message in strategy.find("store_3"))
    assert strategy.find("store_3/nothing") == []


def test_a_run_ends_with_few_units_and_without_management_with_many() -> None:
    """The seed's reference run: 80 steps, 12 subtasks; over 50 units unmanaged, a few dozen with compression."""
    turns = run_of(80, part=lambda n: 1 + n * 12 // 80)
    managed = play(arm(), turns).strategy.layers.store
    assert len(managed.active("working")) <= 10
    assert 12 <= len(managed.active("episodic")) <= 20
    unmanaged = play(arm(compress_at="never", retention="all"), turns).strategy.layers.store
    assert len(unmanaged.active("episodic")) == 80
