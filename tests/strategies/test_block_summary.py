"""N blocks summarised at once, at the same total of summary tokens."""

from __future__ import annotations

import pytest

from strategies.block_summary import BlockSummary, cut
from strategies.compaction.layers import Entry
from tests.conformance.scripts import Script, rounds
from tests.strategies.compactors import Run, Spy, run, said, text_of

LONG = Script("reach the gate", ((), *rounds(40, 30)))


def played(spy: Spy, number: int, budget: int = 4000) -> Run:
    return run(BlockSummary(blocks=number, identifiers=False), LONG, budget, spy)


@pytest.mark.parametrize("number", [1, 2, 4])
def test_each_time_so_many_blocks_are_asked_for_with_equal_shares_of_the_same_total(number: int) -> None:
    spy = Spy()
    done = played(spy, number)
    times = len(done.kinds("compact"))
    assert times >= 3
    assert len(spy.requests) == number * times
    rooms = [request.max_output for request in spy.requests]
    assert max(rooms) == min(rooms)
    assert 0.85 * 800 <= number * rooms[0] <= 800  # summary_share of the budget, but for its frame


def test_a_compactor_that_ignores_the_length_tells_more_with_more_blocks() -> None:
    def terse(request: object) -> object:
        return said("as long as I like: twenty words or so, whatever I was told")

    volumes = [len(played(Spy(terse), number).summary.content) for number in (1, 2, 4)]  # type: ignore[arg-type]
    assert volumes[2] > 1.8 * volumes[1] > 3 * volumes[0]


def test_blocks_have_about_equal_tokens_and_whole_turns() -> None:
    entries = tuple(Entry(f"turn {n} " * 30, (f"m{n}",), 0) for n in range(8))
    parts = cut(entries, 4, len)
    assert [part.sources for part in parts] == [("m0", "m1"), ("m2", "m3"), ("m4", "m5"), ("m6", "m7")]
    assert [len(part.sources) for part in cut(entries, 3, len)] == [3, 2, 3]
    assert len(cut(entries[:2], 4, len)) == 2
    assert cut((), 4, len) == []


def test_the_former_summary_is_in_the_first_block_of_the_next_time() -> None:
    spy = Spy()
    played(spy, 2)
    first = [Spy()(request).message.content for request in spy.requests[:2]]
    sent = "\n".join(text_of(request) for request in spy.requests[2:4])
    assert all(line in sent for text in first for line in text.splitlines())
    assert first[0].splitlines()[0] in text_of(spy.requests[2])


def test_settings_out_of_range_are_named() -> None:
    with pytest.raises(ValueError, match="blocks=0"):
        played(Spy(), 0)
