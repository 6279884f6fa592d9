"""The lines that stand for what was evicted."""

from __future__ import annotations

import re

from hypothesis import given, settings
from hypothesis import strategies as st

from harness.contract import Message
from strategies.structured.entries import Entry
from strategies.structured.placeholders import line, made, range_line
from tests.strategies.structured_runs import Run, lines, long, strategy


def entry(ref: int, tokens: int = 120, step: int | None = None, owners: tuple[str, ...] = ("db_1", "web_2")) -> Entry:
    return Entry(
        ref, "ACTION_OUTPUT", "output", 0, ref, (f"m{ref}",), ref, ref, ref if step is None else step, 1, tokens,
        "run", "cat f1.py", 17, (), owners, "",
    )  # fmt: skip


def size(message: Message) -> int:
    return len(message.content) // 4


def test_a_line_says_step_type_what_it_was_size_and_id() -> None:
    assert line(entry(12), "readable", 3) == (
        "[evicted ref12: step 12, action_output of run(cat f1.py), 17 lines, 120 tokens; on db_1, web_2]"
    )


def test_the_other_style_says_the_id_alone() -> None:
    assert line(entry(12), "id", 3) == "[evicted ref12]"
    assert range_line([entry(3), entry(9)], "id", 3) == "[evicted ref3-9]"


def test_a_line_lists_so_many_owners() -> None:
    assert line(entry(1), "readable", 1).endswith("; on db_1]")
    assert line(entry(1), "readable", 0).endswith("120 tokens]")


def test_a_range_says_steps_number_tools_and_size() -> None:
    run = [entry(3), entry(4, owners=("web_2",)), entry(5)]
    assert range_line(run, "readable", 1) == (
        "[evicted ref3-5: steps 3-5, 3 messages (run), 360 tokens; on web_2]"
    )  # web_2 stands in three of them


@given(tokens=st.integers(1, 200), count=st.integers(1, 5), most=st.integers(0, 12), readable=st.booleans())
@settings(max_examples=60, deadline=None, derandomize=True)
def test_none_is_as_long_as_what_it_replaces(tokens: int, count: int, most: int, readable: bool) -> None:
    run = [entry(n, tokens) for n in range(1, count + 1)]
    message = made(run, "readable" if readable else "id", most, size)
    if message is None:
        assert tokens * count <= size(Message("", "user", f"[evicted ref1-{count}]"))
    else:
        assert size(message) < tokens * count
        assert message.sources == tuple(f"m{n}" for n in range(1, count + 1))


def test_an_entry_that_is_shorter_than_any_line_leaves_none_but_can_be_fetched() -> None:
    run = Run(400, strategy(policy="lru"))
    run.view()
    run.act("a", "ok")
    run.steps(*(long(f"part {n}") for n in range(6)))
    assert ("lru", ["m2", "m3"]) in [(why, ids[:2]) for why, ids in run.noted("evict")]
    assert run.fetch(id="ref1").content.endswith("\nok")


# ---------------------------------------------------------------- in an episode


def evicted(line_share: float, steps: int = 40, **settings: object) -> Run:
    run = Run(900, strategy(policy="lru", line_share=line_share, **settings))
    run.steps(*(f"db_{n} has port p{n}.x " + "filler " * 40 for n in range(steps)))
    return run


def test_old_lines_merge_into_ranges_when_they_take_more_than_their_share() -> None:
    merged, apart = evicted(0.15, 20), evicted(1.0, 20)
    assert merged.noted("merge") and not apart.noted("merge")
    assert any(re.match(r"\[evicted ref\d+-\d+:", text) for text in lines(merged.view()))
    assert not any(re.match(r"\[evicted ref\d+-", text) for text in lines(apart.view()))


def test_lines_stay_within_their_share_however_long_the_run_is() -> None:
    for steps in (20, 80):
        run = evicted(0.15, steps)
        shown = [m for m in run.view() if m.content.startswith("[evicted ")]
        assert 0 < run.kit.count(shown) <= 0.15 * 900
        refs = [int(n) for text in lines(run.view()) for n in re.findall(r"\d+", text.split(":")[0])]
        assert refs == sorted(refs)
        assert refs[0] == 1  # nothing that was evicted is without a line


def test_the_older_a_line_the_more_it_stands_for() -> None:
    sizes = [len(m.sources) for m in evicted(0.2, 60).view() if m.content.startswith("[evicted ")]
    assert sizes[0] >= 10 * sizes[-1]
    assert sizes[-1] == 2


def test_an_id_names_one_text_for_good() -> None:
    run, known = Run(500, strategy(policy="lru")), dict[str, str]()
    for number in range(30):
        run.act(f"look {number}", long(f"part {number}", 20))
        for message in run.view():
            assert known.setdefault(message.id, message.content) == message.content


def test_the_system_text_explains_the_lines_and_how_to_get_text_back() -> None:
    run = Run(900, strategy())
    text = run.view()[0].content
    assert text.startswith("You are an agent.\n\n[memory]\n")
    assert "[evicted <id>:" in text
    assert "retrieve" in text
    assert "search" not in text
    assert "search_evicted" in Run(900, strategy(search="keyword")).view()[0].content
    assert "retrieve" not in Run(900, strategy(retrieve=False)).view()[0].content


def test_where_the_explanation_takes_too_much_of_the_room_it_is_left_out() -> None:
    assert Run(100, strategy()).view()[0].content == "You are an agent."


def test_where_the_room_is_tight_lines_lose_their_words_before_the_present_turn_goes() -> None:
    run = Run(330, strategy(policy="lru"))
    run.steps(*(long(f"part {n}") for n in range(4)))
    run.act("cat", long("now", 104))
    shown = run.view()
    assert shown[-1].content.startswith("now")
    assert ("lines", []) in run.noted("overflow")
    assert lines(shown) == []
