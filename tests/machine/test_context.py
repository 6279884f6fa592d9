"""What must hold of a view: each rule has a view that keeps it and one that breaks it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.context import SYSTEM_MARKER, ViewError, check
from harness.contract import Brief, Call, Message
from harness.history import History
from harness.tokens import Characters, Counter


def example(*groups: int) -> History:
    """A history with a block for each number of calls; 0 = a user message."""
    history, calls = History(), 0
    history.begin(Brief("Be brief.", "Do it.", ()))
    for size in groups:
        if not size:
            history.append(Message("", "user", "go on"))
            continue
        own = [Call(f"c{calls + n}", "act", {}) for n in range(size)]
        calls += size
        history.append(Message("", "assistant", "doing", tuple(own)))
        for call in own:
            history.append(Message("", "tool", f"did {call.id}", answers=call.id))
    return history


# m0 system, m1 task, m2 user, m3 calls c0 c1, m4 and m5 answers, m6 user, m7 calls c2, m8 answer
HISTORY = example(0, 2, 0, 1)
M = list(HISTORY)
NOTE = Message("note", "user", "earlier: did c0", sources=("m3", "m4"))


def tokens(view: Sequence[Message], budget: int | None = None, **shown: Message) -> int:
    return check(view, HISTORY, budget, Counter(Characters()), shown).tokens


def reason(view: Sequence[Message], budget: int | None = None, **shown: Message) -> str:
    with pytest.raises(ViewError) as broken:
        tokens(view, budget, **shown)
    return broken.value.reason


GOOD: dict[str, list[Message]] = {
    "the whole history": M,
    "the pinned text": M[:2],
    "blocks left out": [*M[:3], *M[6:]],
    "a note among them": [M[0], M[1], NOTE, *M[7:]],
    "a note before the task": [M[0], NOTE, M[1]],
    "a masked answer": [*M[:4], replace(M[4], id="mask:m4", content="masked", sources=("m4",)), *M[5:]],
    "text of its own behind the marker": [
        Message("sys", "system", M[0].content + SYSTEM_MARKER + "c0 is done", sources=("m4",)), *M[1:],
    ],
    "a made call with a made answer": [
        *M[:3],
        Message("x", "assistant", "", (Call("k", "act", {}),)),
        Message("y", "tool", "done", answers="k"),
    ],
}  # fmt: skip

BAD: dict[str, tuple[str, list[Message]]] = {
    "no messages": ("not_messages", [M[0], "text"]),  # type: ignore[list-item]
    "an empty view": ("pinned", []),
    "no system message": ("pinned", M[1:]),
    "no task message": ("pinned", [M[0], *M[2:]]),
    "another system text": ("pinned", [Message("sys", "system", "Be long."), *M[1:]]),
    "no marker": ("pinned", [Message("sys", "system", M[0].content + " And kind."), *M[1:]]),
    "an edited message": ("edited", [*M[:2], replace(M[2], content="go away")]),
    "an edited call": ("edited", [*M[:7], replace(M[7], calls=(Call("c2", "act", {"x": 1}),)), M[8]]),
    "an id beyond the history": ("edited", [*M[:2], Message("m9", "user", "new")]),
    "an id that looks like the history's": ("edited", [*M[:2], Message("m02", "user", "new")]),
    "no id": ("edited", [*M[:2], Message("", "user", "new")]),
    "another order": ("order", [*M[:2], *M[6:], *M[2:6]]),
    "a message twice": ("duplicate", [*M[:3], M[2]]),
    "a note twice": ("duplicate", [*M[:2], NOTE, NOTE]),
    "an unknown source": ("sources", [*M[:2], replace(NOTE, sources=("m9",))]),
    "a note about a note": ("sources", [*M[:2], replace(NOTE, sources=("note",))]),
    "an answer without its call": ("block", [*M[:3], *M[4:]]),
    "a call without its answer": ("block", [*M[:5], *M[6:]]),
    "a call without its answer at the end": ("block", M[:5]),
    "text between call and answer": ("block", [*M[:4], NOTE, *M[4:]]),
    "a call answered twice": ("block", [*M[:5], Message("z", "tool", "again", answers="c0"), *M[5:]]),
    "two calls with one id": (
        "block", [*M[:2], Message("x", "assistant", "", (Call("k", "a", {}), Call("k", "a", {})))],
    ),
    "a second system message": ("role", [*M[:3], Message("sys", "system", "More.")]),
    "an assistant message first": ("role", [M[0], Message("x", "assistant", "I begin."), *M[1:]]),
    "calls of a user": ("role", [*M[:3], Message("x", "user", "", (Call("k", "act", {}),))]),
}  # fmt: skip


@pytest.mark.parametrize("case", GOOD)
def test_a_view_that_holds(case: str) -> None:
    assert tokens(GOOD[case]) == Counter(Characters()).messages(GOOD[case])


@pytest.mark.parametrize("case", BAD)
def test_a_view_that_breaks_a_rule(case: str) -> None:
    expected, view = BAD[case]
    assert reason(view) == expected


def test_the_budget_is_exact() -> None:
    size = tokens(M)
    assert tokens(M, size) == size
    assert reason(M, size - 1) == "over_budget"
    assert tokens(M, None) == size


def test_a_made_message_keeps_its_text_under_its_id() -> None:
    view = [*M[:2], NOTE]
    assert tokens(view, note=NOTE) == tokens(view)
    assert reason(view, note=replace(NOTE, content="other")) == "edited"


def test_in_a_chain_the_current_task_is_pinned_and_the_earlier_one_is_not() -> None:
    history = example(1)
    history.begin(Brief("Be brief.", "Do more.", ()))
    counter = Counter(Characters())
    assert check([history[0], history[-1]], history, None, counter).places == (0, 4)
    with pytest.raises(ViewError, match="the task message m4 is not in the view"):
        check(history[:4], history, None, counter)
    with pytest.raises(ValueError, match="must keep its system text"):
        history.begin(Brief("Be long.", "Do more.", ()))


@st.composite
def blocks_of_views(draw: st.DrawFn) -> tuple[History, list[list[Message]]]:
    """A history and some of its blocks, the pinned ones among them."""
    history = example(*draw(st.lists(st.integers(0, 3), max_size=8)))
    blocks: list[list[Message]] = []
    for message in history:
        if message.role == "tool":
            blocks[-1].append(message)
        else:
            blocks.append([message])
    kept = [block for block in blocks[2:] if draw(st.booleans())]
    masks = st.just(()) | st.sets(st.integers(0, 2))
    for block in kept:
        for n in draw(masks):
            if 0 < n < len(block):
                block[n] = replace(block[n], id=f"mask:{block[n].id}", content="-", sources=(block[n].id,))
    return history, [*blocks[:2], *kept]


@given(blocks_of_views())
def test_whole_blocks_in_order_always_hold(case: tuple[History, list[list[Message]]]) -> None:
    history, blocks = case
    view = [message for block in blocks for message in block]
    checked = check(view, history, None, Counter(Characters()))
    assert checked.messages == tuple(view)
    assert checked.made == tuple(m for m in view if m.id.startswith("mask:"))
    assert checked.places == tuple(m.id if m in checked.made else int(m.id[1:]) for m in view)


@given(blocks_of_views(), st.data())
def test_any_single_damage_is_noticed(case: tuple[History, list[list[Message]]], data: st.DataObject) -> None:
    history, blocks = case
    view = [message for block in blocks for message in block]
    at = data.draw(st.integers(0, len(view) - 1))
    message = view[at]
    alone = len(next(block for block in blocks if message in block)) == 1
    ways = ["twice"]
    ways += ["dropped"] if at < 2 or not alone else []
    ways += ["edited"] if not message.id.startswith("mask:") else []
    way = data.draw(st.sampled_from(ways))
    damage = {"twice": [message] * 2, "dropped": [], "edited": [replace(message, content=message.content + "!")]}
    with pytest.raises(ViewError):
        check([*view[:at], *damage[way], *view[at + 1 :]], history, None, Counter(Characters()))
