"""Getting evicted text back: by handle, in the text form, by words, and unasked."""

from __future__ import annotations

import re

import pytest

from harness.contract import Call, Labels
from strategies.structured.store import SEARCHES, Search
from tests.strategies.structured_runs import Run, lines, long, shows, strategy

SECRET = "the lock of db_1 is q7.zz9"


def gone(budget: int = 700, **settings: object) -> Run:
    """An answer with a secret, long evicted."""
    run = Run(budget, strategy(policy="lru", **settings))
    run.view()
    run.act("start", SECRET + " and" * 60)
    run.steps(*(long(f"part {n}") for n in range(8)))
    assert not shows(run.view(), SECRET)
    return run


def test_the_line_s_handle_brings_the_text_back_word_for_word() -> None:
    run = gone(line_share=1.0)
    handle = re.match(r"\[evicted (ref\d+):", lines(run.view())[0])
    assert handle is not None
    told = run.fetch(id=handle[1]).content
    assert told == f'[ref1, step 1]\nrun {{"command": "start"}}\n{SECRET}' + " and" * 60


def test_fetched_text_counts_and_lives_until_the_next_action_at_least() -> None:
    run = gone()
    run.fetch(id="ref1")
    shown = run.view()
    assert shows(shown, SECRET)
    assert run.kit.count(shown) <= 700
    run.fetch(id="ref2")
    assert shows(run.view(), SECRET)  # what was fetched for one order stays together
    assert shows(run.view(), "part 7")  # and so does the order itself


def test_what_was_fetched_is_evicted_again_without_a_line_of_its_own_and_comes_back_again() -> None:
    run = gone()
    run.fetch(id="ref1")
    run.view()
    run.steps(*(long(f"more {n}") for n in range(8)))
    assert not shows(run.view(), SECRET)
    assert not any("retrieve" in text for text in lines(run.view()))
    assert SECRET in run.fetch(id="ref1").content


@pytest.mark.parametrize("wrong", ["ref99", "nothing", "", "ref50-60", "m3"])
def test_an_unknown_id_is_a_tool_error(wrong: str) -> None:
    assert gone().fetch(id=wrong).content.startswith("error: ")


def test_a_range_is_given_whole_where_it_is_small_and_listed_newest_first_where_it_is_not() -> None:
    run = gone(owners=3)
    few = run.fetch(id="ref1-1").content
    assert SECRET in few
    listed = run.fetch(id="ref1-6").content.splitlines()
    assert listed[0] == "[ref1-6, newest first]"
    assert [re.findall(r"ref(\d+)", text)[0] for text in listed[1:]] == ["6", "5", "4", "3", "2", "1"]


def test_text_that_is_too_long_is_cut_and_goes_on_at_a_line() -> None:
    run = Run(700, strategy(policy="lru"))
    run.view()
    run.act("cat", "\n".join(f"line {n} of the long file" for n in range(1, 401)))
    run.steps("done with it", "and on")
    first = run.fetch(id="ref1").content
    last = re.match(r"\[ref1, step 1, lines 1-(\d+) of 401; go on with line=(\d+)\]", first)
    assert last is not None
    assert int(last[2]) == int(last[1]) + 1
    run.view()
    second = run.fetch(id="ref1", line=int(last[2])).content
    assert second.splitlines()[1] == f"line {int(last[1])} of the long file"  # line 1 is the call
    assert run.kit.count(run.view()) <= 700
    assert run.fetch(id="ref1", line=900).content.startswith("error: ")


def test_several_fetches_of_one_reply_fit_together() -> None:
    run = gone()
    told = [run.strategy.answer(Call(f"x{n}", "retrieve", {"id": f"ref{n}"})) for n in range(1, 7)]
    held = [m for m in run.view() if m.role == "tool"][-1:]
    assert run.kit.count([*run.history.pinned, *told]) <= 700 - run.kit.count(held)


def test_the_text_form_is_read_and_lines_offer_their_handles() -> None:
    found = strategy().calls_in("I need it. [RETRIEVE: ref12] and [retrieve: ref3-9], [RETRIEVE: ref12] [RETRIEVE: x]")
    assert [dict(call.arguments) for call in found] == [{"id": "ref12"}, {"id": "ref3-9"}]
    offered = strategy().calls_in("[evicted ref4: step 2, user_message, 1 lines, 90 tokens]\n[evicted ref5]")
    assert [dict(call.arguments) for call in offered] == [{"id": "ref4"}, {"id": "ref5"}]


def test_without_retrieve_there_are_lines_but_no_way_back() -> None:
    off = strategy(retrieve=False, search="keyword")
    assert (off.tools, off.calls_in("[RETRIEVE: ref1]")) == ((), ())
    assert lines(gone(retrieve=False).view())
    assert [tool.name for tool in strategy().tools] == ["retrieve"]
    assert [tool.name for tool in strategy(search="vector").tools] == ["search_evicted", "retrieve"]


@pytest.mark.parametrize("search", [one for one in SEARCHES if one != "off"])
@pytest.mark.parametrize("hot", [1, 32])
def test_a_search_finds_the_statement_in_either_tier(search: Search, hot: int) -> None:
    told = gone(search=search, hot=hot).fetch(query="lock of db_1").content
    assert told.splitlines()[0].endswith("found]")
    assert SECRET in told


def test_a_search_without_a_match_is_an_error_and_find_measures_what_is_stored() -> None:
    run = gone(search="keyword")
    assert run.fetch(query="zebra").content.startswith("error: ")
    assert len(run.strategy.find("db_1/lock")) == 1
    assert run.strategy.find("db_2/lock") == []


# ---------------------------------------------------------------- unasked


def ordered(prefetch: int, **settings: object) -> Run:
    """An old answer provides what the newest message declares that it uses."""
    run = Run(900, strategy(policy="lru", prefetch=prefetch, **settings))
    run.view()
    run.act("start", SECRET + " and" * 40, Labels("result", (), ("db_1/lock",)))
    run.steps(*(long(f"part {n}") for n in range(8)))
    run.act("go", "what is the lock?", Labels("result", ("db_1/lock",)))
    return run


def test_what_the_newest_text_needs_is_brought_back_along_the_graph() -> None:
    run = ordered(2)
    last = run.view()[-1]
    assert (last.sources, last.role) == (("m2", "m3"), "user")
    assert SECRET in last.content
    assert run.kit.count(run.view()) <= 900
    assert run.noted("prefetch")[-1] == ("graph", ["m2", "m3"])
    run.act("open", "opened")
    assert SECRET not in run.view()[-1].content


def test_prefetch_can_be_off_and_needs_a_sure_edge() -> None:
    assert not ordered(0).view()[-1].sources
    assert not ordered(2, edges=["use"]).view()[-1].sources


def test_beside_the_turn_it_comes_one_view_later() -> None:
    run = ordered(2, prefetch_when="beside")
    assert not run.view()[-1].sources
    run.act("look", "on it")
    assert SECRET in run.view()[-1].content
