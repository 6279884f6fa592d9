"""The summary as a tree: nodes, root and leaf; what crosses between subtasks; each mechanism on and off."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from harness.contract import Call, Message, Reply, Request
from strategies.tree_summary import TreeSummary
from tests.conformance.scripts import Entry, Script, acts, scripts
from tests.strategies.compactors import Run, Spy, instruction_of, kit, run, said, text_of

BUDGET = 4000
FILL = "some words of little use\n" * 10


def work(turns: int, long: int = 5, announced: bool = True, seen: dict[int, str] | None = None) -> Script:
    """Parts of `long` turns, announced at the end of the answer before; seen: lines of some answers."""
    told: list[tuple[Entry, ...]] = [(Message("", "user", "[part 1/9] begin"),) if announced else ()]
    for n in range(turns):
        order = f"[part {1 + (n + 1) // long}/9] go on" if announced else "go on"
        told.append(acts(f"act {n}", f"turn_{n} was done\n{(seen or {}).get(n, '')}\n{FILL}\n{order}", first=n))
    return Script("reach the gate", tuple(told))


def using(script: Script, turn: int, value: str) -> Script:
    """The same, but the call of that turn has the value in its arguments."""
    turns = [list(entries) for entries in script.turns]
    call = Call(f"c{turn}", "open", {"key": value})
    turns[turn + 1][0] = Message("", "assistant", "open it", (call,))
    return Script(script.task, tuple(map(tuple, turns)))


LONG = work(40)


def played(
    ask: Callable[[Request], Reply] | None = None, script: Script = LONG, budget: int = BUDGET, **own: Any
) -> Run:
    return run(TreeSummary(**own), script, budget, ask or Spy())


def short(request: Request) -> Reply:
    """Says which turns it read, and nothing else."""
    turns = [int(number) for number in re.findall(r"turn_(\d+)", text_of(request))]
    return said(f"turn_{min(turns)} to turn_{max(turns)}")


def levels(done: Run) -> tuple[str, list[str], str]:
    """Root, nodes and leaf of the last view."""
    body, _, leaf = done.summary.content.partition("lately:\n")
    root, _, nodes = body.partition("before:\n")
    return root, [part for part in nodes.split("part ") if part], leaf


# ---------------------------------------------------------------- nodes, root, leaf


def test_a_finished_subtask_is_one_node_written_once_from_all_its_turns() -> None:
    spy = Spy(short)
    done = played(spy, nodes=9)
    written = [text_of(request) for request in spy.requests if "one paragraph" in instruction_of(request)]
    read = [{n for n in range(40) if f"turn_{n} " in text} for text in written]
    assert read == [set(range(5 * n, 5 * n + 5)) for n in range(len(read))] and len(read) >= 6
    assert levels(done)[1][1] == "2/9:\nturn_5 to turn_9\n"
    assert done.kinds("node") == [f"part {n + 1}/9" for n in range(len(read))]
    assert levels(done)[0] == ""


def test_older_nodes_than_the_newest_are_folded_into_the_root() -> None:
    spy = Spy(short)
    root, nodes, _ = levels(played(spy, nodes=2))
    assert len(nodes) == 2
    assert root.startswith("state of the work:") and "\nturn_0 to turn_24\n" in root
    goal = next(request for request in spy.requests if "done, blocked, next" in instruction_of(request))
    assert any("reach the gate" in message.content for message in goal.view[1:-1])
    assert len(levels(played(short, nodes=4))[1]) == 4


def test_length_goes_on_to_the_end_of_a_finished_subtask() -> None:
    for finished, whole in ((True, True), (False, False)):
        sources = [len(view[2].sources) for view in played(short, finished=finished).views if view[2].sources]
        assert all((number - 1) % 10 == 0 for number in sources) == whole  # the first message, then two a turn


def test_a_subtask_that_does_not_end_becomes_a_leaf_and_a_node_when_it_has_ended() -> None:
    spy = Spy(short)
    done = played(spy, work(30, long=20))
    assert "lately:\npart 1/9:\nturn_0 to" in done.views[15][2].content
    assert levels(done)[1] == ["1/9:\nturn_0 to turn_19\n"]
    written = [text_of(request) for request in spy.requests if "one paragraph" in instruction_of(request)]
    assert len(written) == 1 and written[0].startswith("turn_0 to turn_")


def test_hidden_borders_end_subtasks_by_their_turns_and_say_so() -> None:
    done = played(short, work(40, announced=False), session_turns=4)
    assert set(done.kinds("node")) == {"by turns"}
    assert "before:\nturn_16 to turn_19\nturn_20 to turn_23\n" in done.summary.content
    assert played(short, border=None).kinds("node") == played(short, work(40, announced=False)).kinds("node")


# ---------------------------------------------------------------- what crosses


@pytest.mark.parametrize(
    ("values", "taken", "kept"),
    [
        ("used", "call", True),
        ("used", "text", False),
        ("named", "text", True),
        ("named", "call", True),
        ("none", "call", False),
    ],
)
def test_a_statement_that_another_subtask_takes_up_stays_word_for_word(values: str, taken: str, kept: bool) -> None:
    seen = {1: "door_1 has the code zx-41\nlamp_1 has the code zx-77"}
    script = work(40, seen=seen if taken == "call" else {**seen, 7: "who knows zx-41 ?"})
    done = played(short, using(script, 7, "a/zx-41") if taken == "call" else script, values=values)
    assert ("\ndoor_1 has the code zx-41" in done.summary.content) == kept
    assert "zx-77" not in done.summary.content


def test_what_only_its_own_subtask_takes_up_does_not_cross() -> None:
    done = played(short, using(work(40, seen={1: "door_1 has the code zx-41"}), 3, "zx-41"))
    assert "zx-41" not in done.summary.content


def test_a_statement_stands_at_its_node_and_moves_with_it_into_the_root() -> None:
    script = using(work(40, seen={16: "door_1 has the code zx-41"}), 21, "zx-41")
    _, nodes, _ = levels(played(short, script, nodes=5))
    assert next(node for node in nodes if "zx-41" in node).startswith("4/9")
    root, nodes, _ = levels(played(short, script, nodes=1))
    assert root.endswith("door_1 has the code zx-41\n") and "zx-41" not in nodes[0]


def test_value_share_holds_what_was_taken_up_last() -> None:
    seen = {n: f"door_{n} has the code zx-{n} for the way in and for the way out" for n in range(5)}
    script = work(40, seen=seen)
    for n in range(5):
        script = using(script, 6 + n % 4, f"zx-{n}") if n < 4 else script
    few, many = (played(short, script, value_share=share).summary.content for share in (0.12, 0.6))
    assert [f"zx-{n} " in few for n in range(5)] == [False, False, False, True, False]
    assert [f"zx-{n} " in many for n in range(5)] == [True, True, True, True, False]


# ---------------------------------------------------------------- laws


@settings(max_examples=25, deadline=None, derandomize=True, phases=(Phase.generate,))
@given(scripts(), st.integers(0, 1200))
def test_each_message_is_pinned_raw_covered_once_or_named_as_overflow(script: Script, room: int) -> None:
    strategy = TreeSummary(summary_share=0.4, trigger="steps", steps=2, keep_turns=1, session_turns=2)
    lent, history, out = kit(Spy()), script.start(), set[str]()
    strategy.reset(lent, script.brief)
    for turn in range(len(script.turns)):
        script.append(history, turn)
        view = strategy.compose(history, 400 + room)
        for event in lent.drain():
            if event.kind in ("overflow", "evict"):
                out.update(event.detail["sources"])
        seen = [name for message in view for name in message.sources or (message.id,)]
        assert len(seen) == len(set(seen)), "a message stands twice"
        assert {message.id for message in history if message.role != "system"} <= {*seen, *out}


def test_the_summary_keeps_its_share_and_no_request_is_over_the_window() -> None:
    spy = Spy()
    done = played(spy, compactor_window=1500)
    assert spy.requests
    assert all(sum(len(m.content) for m in r.view) + r.max_output <= 1500 for r in spy.requests)
    assert all(len(view[2].content) <= 0.2 * BUDGET for view in done.views if view[2].sources)


def test_a_saved_state_asks_nothing_and_a_broken_compactor_leaves_lines() -> None:
    script = using(work(40, seen={1: "door_1 has the code zx-41"}), 7, "zx-41")
    strategy, history = TreeSummary(), script.start()
    strategy.reset(kit(short), script.brief)
    for turn in range(len(script.turns)):
        script.append(history, turn)
        view = strategy.compose(history, BUDGET)
    spy, fresh = Spy(), TreeSummary()
    fresh.reset(kit(spy), script.brief, strategy.export())
    assert list(fresh.compose(history, BUDGET)) == list(view)
    assert "zx-41" in view[2].content and spy.requests == []
    assert json.loads(fresh.export()) == json.loads(strategy.export())
    assert set(played(lambda request: said("")).kinds("fallback")) == {"empty"}


@pytest.mark.parametrize(
    ("setting", "named"),
    [
        ({"nodes": 0}, "nodes=0"),
        ({"values": "all"}, "values='all'"),
        ({"value_share": 0}, "value_share=0"),
        ({"session_turns": 0}, "session_turns=0"),
        ({"keep_turns": 0}, "keep_turns=0"),
    ],
)
def test_settings_out_of_range_are_named(setting: dict[str, Any], named: str) -> None:
    with pytest.raises(ValueError, match=named):
        TreeSummary(**setting).reset(kit(Spy()), LONG.brief)
