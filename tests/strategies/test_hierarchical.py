"""Layered memory as a strategy: what its views hold."""

from __future__ import annotations

from dataclasses import replace

import pytest

from harness.contract import Call, Message
from harness.tokens import Counter
from strategies.memory import page
from strategies.memory.retrieval import Hit
from tests.strategies.memories import FILLER, WORDS, arm, asked, order, play, run_of, unit, user

# ---------------------------------------------------------------- injection and shares


def test_goal_rules_open_subtask_and_last_steps_are_forced_into_every_view() -> None:
    played = play(arm(current=0.05), run_of(30), 3000)
    for number, view in enumerate(played.views):
        assert view[1].content == "Do the task."
        text = "\n".join(message.content for message in view)
        assert "Never open door_7." in text
        assert f"open is part {1 + number // 8}/9" in text
        for step in range(max(1, number - 4), number + 1):  # in a line, or word for word
            assert f"step {step}: do(what=work{step})" in text or f"store_{step} keeps" in text


def test_without_injection_nothing_is_forced_beside_the_pinned_text() -> None:
    played = play(arm(injection=False, current=0.05, threshold=0.9), run_of(30), 3000)
    text = "\n".join(message.content for message in played.views[-1])
    assert "Never open door_7." not in text and "open is part" not in text and "step 29: do(" not in text


def test_current_keeps_to_its_share_and_is_evicted_in_batches() -> None:
    def dropped(low_water: float) -> int:
        return sum(kind == "evict" for kind, _ in play(arm(low_water=low_water), run_of(40), 3000).kinds())

    played = play(arm(), run_of(40), 3000)
    counter = Counter(WORDS)
    for view in played.views:
        raw = [message for message in view[2:] if not message.sources]
        assert counter.messages(raw) <= 0.4 * 3000
    assert dropped(0.3) < dropped(1.0) / 2


def test_retrieved_text_shrinks_before_what_is_forced() -> None:
    question = asked(40, f"red {' '.join(f'store_{n}' for n in range(3, 9))}?")
    played = [play(arm(current=0.2, compress_at="never"), question, budget) for budget in (4000, 1000, 700, 400)]
    recalled = [[m.content for m in p.views[-1] if m.id.startswith("memory:recalled")] for p in played]
    sizes = [sum(map(len, texts)) for texts in recalled]
    assert sizes[0] >= sizes[1] >= sizes[2] >= sizes[3] and sizes[3] < sizes[0]
    for one in played:
        assert "Never open door_7." in one.texts() and "open is part 99" in one.texts()


def test_rules_beyond_the_forced_share_take_from_what_is_retrieved() -> None:
    rules = [f"Never open the door_{n} of the hall while the lamp of the yard is on." for n in range(30)]
    turns = asked(40, f"red {' '.join(f'store_{n}' for n in range(3, 9))}?")
    few = play(arm(compress_at="never"), turns, 1200)
    turns[0] = (user("\n".join(rules) + order(1, 0, "Now do work1.")),)
    many = play(arm(compress_at="never"), turns, 1200)
    count = Counter(WORDS).messages
    standing = [message for message in many.views[-1] if message.id.startswith("memory:standing")]
    assert all(rule in standing[0].content for rule in rules)
    assert count(standing) > 0.2 * 1200  # more than the share
    few_recalled, many_recalled = (
        count([message for message in played.views[-1] if message.id.startswith("memory:recalled")])
        for played in (few, many)
    )
    assert 0 < many_recalled < few_recalled


def test_a_unit_that_does_not_fit_whole_keeps_what_names_what_is_asked() -> None:
    found = replace(unit(f"{FILLER}\nred store_3 keeps k-3"), id="u1")
    hit = Hit(found, 1.0, 1.0, frozenset({"store_3"}))
    count = Counter(WORDS).messages
    (whole,), (part,) = (page.recalled([(hit, ())], {}, room, count, "m1", False) for room in (60, 25))
    assert FILLER in whole.content
    assert part.content == "Memory: step 1, on store_3\nred store_3 keeps k-3"
    assert page.recalled([(hit, ())], {}, 10, count, "m1", False) == ()


def test_the_last_instruction_stays_while_memory_is_asked() -> None:
    turns = asked(30, "red store_3?")
    for n in range(4):
        call = Call(f"r{n}", "look_back", {"unit": "u1"})
        answer = Message("", "tool", "old text " * 60, answers=call.id, author="memory")
        turns.append((Message("", "assistant", "", (call,)), answer))
    played = play(arm(look_back="tool"), turns, 2500)
    assert "red store_3?" in "".join(m.content for m in played.views[-1] if not m.sources)


# ---------------------------------------------------------------- retrieval in the view


def test_what_the_order_names_comes_back_at_the_tail_or_in_front() -> None:
    turns = asked(30, "Say the item of red store_3")
    tail = play(arm(), turns).views[-1]
    assert "red store_3 keeps k-3" in tail[-1].content and tail[-1].sources
    front = play(arm(place="front"), turns).views[-1]
    where = next(n for n, message in enumerate(front) if "red store_3 keeps k-3" in message.content)
    assert where < next(n for n, message in enumerate(front) if message.role == "assistant")
    unlike = play(arm(), asked(30, "Say the item of green store_3"))  # below the threshold
    assert "red store_3 keeps" not in "".join(message.content for message in unlike.views[-1])


def test_what_is_forced_takes_no_place_among_what_is_retrieved() -> None:
    turns = asked(30, "Say the item of red store_3 behind door_7")
    turns[0] = (user("red: never open door_7." + order(1, 0, "Now do work1.")),)
    (view,) = play(arm(top=1), turns).views[-1:]
    assert sum("never open door_7" in message.content for message in view) == 1
    assert "red store_3 keeps k-3" in "".join(message.content for message in view)
    free = play(arm(top=1, injection=False), turns).views[-1]
    assert sum("never open door_7" in message.content for message in free) == 1


def test_between_evictions_the_prefix_up_to_the_tail_lives_on() -> None:
    played = play(arm(), asked(30, "Say the item of red store_3"), 3000)
    pairs = zip(played.views, played.views[1:], played.events[1:], strict=False)
    calm = [(a, b) for a, b, events in pairs if not any(e.kind in ("evict", "write") for e in events)]
    assert len(calm) > 10
    for before, after in calm:
        kept = [message for message in before if not message.id.startswith(("memory:now", "memory:recalled"))]
        assert tuple(kept) == after[: len(kept)]


def test_on_call_nothing_comes_by_itself_and_a_tool_finds_it() -> None:
    turns = asked(30, "Say the item of red store_3")
    played = play(arm(when="on_call"), turns)
    assert "red store_3 keeps" not in "".join(message.content for message in played.views[-1])
    assert [tool.name for tool in played.strategy.tools] == ["search_memory"]
    found = played.strategy.answer(Call("c", "search_memory", {"query": "red store_3"}))
    assert "red store_3 keeps k-3" in found.content and found.answers == "c" and found.sources
    assert played.strategy.answer(Call("c", "search_memory", {"query": "green"})).content.startswith("error: ")
    (call,) = played.strategy.calls_in("so [SEARCH_MEMORY: red store_3]")
    assert (call.name, call.arguments) == ("search_memory", {"query": "red store_3"})


def test_old_values_are_not_shown_beside_new_ones() -> None:
    def told(n: int) -> str:
        return f"red bay_1 has mode v-{n}\n{FILLER}" if n in (3, 5) else f"{FILLER} {n}\n" * 12

    turns = [*run_of(30, told)[:-1], asked(30, "Say the mode of red bay_1")[-1]]
    assert "v-5" in play(arm(), turns).texts() and "v-3" not in play(arm(), turns).texts()
    both = play(arm(duplicates=False, compress_at="never"), turns).texts()
    assert "v-3" in both and "v-5" in both


@pytest.mark.parametrize("chunk", ["event", "fixed", "subtask"])
def test_what_a_unit_is(chunk: str) -> None:
    strategy = play(arm(chunk=chunk, chunk_tokens=20, compress_at="never"), run_of(16)).strategy
    events = [unit for unit in strategy.layers.store.active("episodic") if unit.kind == "event"]
    expected = {"event": 16, "subtask": 2}
    if chunk == "fixed":
        assert len(events) > 40 and all(len(unit.content) <= 80 for unit in events)
    else:
        assert len(events) == expected[chunk]


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"forced": 0}, "forced=0"),
        ({"threshold": 2}, "threshold=2"),
        ({"half_life": 0}, "half_life=0"),
        ({"top": 0}, "top=0"),
        ({"ratio": 0.5}, "ratio=0.5"),
        ({"when": "sometimes"}, "when='sometimes'"),
        ({"chunk": "page"}, "chunk='page'"),
        ({"compress_at": "x"}, "compress_at='x'"),
        ({"retention": "x"}, "retention='x'"),
        ({"step_down": [80, 40]}, r"step_down=\[80, 40\]"),
        ({"similar": 0}, "similar=0"),
        ({"compactor_window": 10}, "compactor_window=10"),
        ({"look_back": True}, "look_back=True"),
    ],
)
def test_settings_out_of_range_are_named(changed: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        play(arm(**changed), run_of(1))
