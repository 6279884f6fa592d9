"""Prefixes, the cache, prices and the money of an episode, with every value written out."""

from __future__ import annotations

import itertools
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness import cell, tables
from harness.contract import Message, Model, Usage
from harness.cost.bill import dollars
from harness.cost.cache import Endpoint, blocks, cached, hit
from harness.cost.money import Money, add, by_turn
from harness.cost.prefix import Piece, Prefixes
from harness.cost.prices import FOLDER, Cache, Prices, Tariff, named, read
from harness.cost.sent import sent
from harness.measures import Measured
from harness.record import Ask, Record, Segment, TurnRow
from tests.machine.test_cell import settings as config_of
from tests.machine.toy import Lines, said

A, B, C, X = ("a", 10), ("b", 20), ("c", 5), ("x", 7)
PLAIN = Prices("plain", "2026-01-01", input=1.0, cache_read=0.1, output=10.0)


# ---------------------------------------------------------------- prefixes


def test_every_prefix_ever_sent_counts_also_a_return_to_an_older_one() -> None:
    tree = Prefixes()
    assert tree.send([A, B]) == ([0, 0], 0)
    assert tree.send([A, B, C]) == ([1, 1, 0], 30)
    assert tree.send([A, X]) == ([2, 0], 10)
    assert tree.send([A, B, C]) == ([3, 2, 1], 35)


def test_a_prefix_lives_as_long_as_it_is_used_again_within_its_lifetime() -> None:
    tree = Prefixes(lifetime=10)
    for at in (0, 8, 16):
        tree.send([A], at)
    tree.send([A, B], 17)
    assert tree.send([A, B], 26) == ([4, 1], 30)
    assert tree.send([A, X], 36) == ([5, 0], 10)
    assert tree.send([A, B], 37) == ([6, 0], 30)  # b is 11 seconds old; the ideal forgets nothing
    unknown = Prefixes(lifetime=10)
    unknown.send([A])
    assert unknown.send([A]) == ([1], 10)  # without a clock no time passes


def test_a_lifetime_in_calls() -> None:
    tree = Prefixes(calls=2)
    tree.send([A, B])
    tree.send([X])
    assert tree.send([A]) == ([1], 10)
    assert tree.send([A, B]) == ([2, 0], 30)  # b was used three calls ago


# ---------------------------------------------------------------- the cache


def test_the_chance_of_a_block_grows_with_the_requests_that_began_with_it() -> None:
    cache = Cache(stray=0.2, servers=2, miss=0.1)
    assert hit(cache, 0) == 0
    # once: .8 · .8 at home, .2 · .1 elsewhere; twice: .8 · .96 and .2 · .19
    assert hit(cache, 1) == pytest.approx(0.9 * 0.66)
    assert hit(cache, 2) == pytest.approx(0.9 * 0.806)
    assert hit(cache, 10_000) == pytest.approx(0.9)
    assert hit(Cache(), 1) == 1


def test_only_whole_blocks_are_read_and_none_under_the_minimum() -> None:
    pieces: list[Piece] = [("a", 15), ("b", 10), ("c", 9)]
    assert blocks(Cache(block=10), pieces, [2, 1, 0]) == {2: 10, 1: 10}
    assert blocks(Cache(block=10, minimum=20), pieces, [2, 1, 0]) == {1: 20}
    assert blocks(Cache(block=10, minimum=25), pieces, [2, 1, 0]) == {}
    assert blocks(Cache(block=10, minimum=25), pieces, [3, 2, 1]) == {1: 30}


def test_a_run_that_grows_reads_what_was_sent_in_whole_blocks() -> None:
    run = [[A], [A, B], [A, B, C], [A, B, C, X]]
    found = cached(Cache(block=8), [(pieces, None) for pieces in run])
    assert [(one.expected, one.ideal) for one in found] == [(0, 0), (8, 10), (24, 30), (32, 35)]
    assert found[-1].counts == [3, 2, 1, 0]


def test_a_clock_in_the_first_message_leaves_nothing_to_read() -> None:
    ticking = cached(Cache(), [([(f"clock {n}", 10), B, C], None) for n in range(40)])
    assert {(one.expected, one.ideal) for one in ticking} == {(0, 0)}
    still = cached(Cache(), [([A, B, (f"clock {n}", 5)], None) for n in range(40)])
    assert {(one.expected, one.ideal) for one in still[1:]} == {(30, 30)}


@settings(max_examples=30, deadline=None)
@given(
    st.lists(st.lists(st.sampled_from("ab"), min_size=1, max_size=3), min_size=1, max_size=5),
    st.floats(0, 1),
    st.floats(0, 1),
    st.integers(1, 4),
)
def test_the_expectation_is_that_of_all_the_ways_in_which_calls_may_be_routed(
    requests: list[list[str]], stray: float, miss: float, block: int
) -> None:
    sizes = {"a": 3, "b": 2}
    pieces = [[(key, sizes[key]) for key in request] for request in requests]
    cache = Cache(block=block, stray=stray, servers=2, miss=miss)
    endpoint = Endpoint(cache)
    last = [endpoint.send(own) for own in pieces][-1]
    chance = {0: 1 - stray, 1: stray / 2, 2: stray / 2}
    total = 0.0
    for route in itertools.product(chance, repeat=len(pieces)):
        weight = 1.0
        for server in route:
            weight *= chance[server]
        there = [own for own, server in zip(pieces[:-1], route, strict=False) if server == route[-1]]
        longest = max((_shared(own, pieces[-1]) for own in there), default=0)
        total += weight * (1 - miss) * (longest // block * block)
    assert last.expected == pytest.approx(total, abs=1e-9)


def _shared(old: list[Piece], new: list[Piece]) -> int:
    same = itertools.takewhile(lambda pair: pair[0] == pair[1], zip(old, new, strict=False))
    return sum(piece[1] for piece, _ in same)


# ---------------------------------------------------------------- prices


def test_what_a_call_costs() -> None:
    # 600 · $2 + 400 · $0.20 + 100 · $12 a million
    prices = Prices("p", "2026-01-01", input=2.0, cache_read=0.2, output=12.0)
    assert dollars(prices, 1000, 400, 100) == pytest.approx(0.002480)


def test_writing_has_its_price_from_the_minimum_on() -> None:
    prices = Prices("p", "2026-01-01", 2.0, 0.2, 12.0, cache_write=2.5, cache=Cache(block=100, minimum=500))
    assert dollars(prices, 1050, 400, 0) == pytest.approx((600 * 2.5 + 50 * 2.0 + 400 * 0.2) / 1e6)
    assert dollars(prices, 450, 0, 0) == pytest.approx(450 * 2.0 / 1e6)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.lists(st.sampled_from("abcd"), min_size=1, max_size=5), min_size=1, max_size=8),
    st.integers(1, 50),
    st.integers(0, 120),
    st.sampled_from([None, 1.25]),
    st.floats(0, 1),
)
def test_the_ideal_is_never_dearer(
    requests: list[list[str]], block: int, minimum: int, write: float | None, stray: float
) -> None:
    cache = Cache(block, minimum, lifetime=2, stray=stray, servers=3, miss=0.05)
    prices, endpoint = Prices("p", "2026-01-01", 1.0, 0.1, 5.0, write, cache), Endpoint(cache)
    for at, request in enumerate(requests):
        pieces = [(key, 10 + ord(key) % 7) for key in request]
        found, tokens = endpoint.send(pieces, float(at)), sum(size for _, size in pieces)
        assert found.expected <= found.ideal + 1e-9
        assert dollars(prices, tokens, found.ideal, 3) <= dollars(prices, tokens, found.expected, 3) + 1e-12


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.yaml")), ids=lambda path: path.stem)
def test_every_list_is_dated_and_names_its_sources(path: Path) -> None:
    prices = named(path.stem)
    if path.stem == "none":
        assert prices is None
        return
    assert prices is not None and len(prices.as_of) == len("2026-01-01")
    assert prices.cache_read < prices.input < prices.output
    assert path.read_text().count("https://") >= 1


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"input": -1}, "prices.input is -1"),
        ({"cache_read": 3.0}, "cache_read 3.0 is above prices.input 1.0"),
        ({"price": 1}, "there is no setting price"),
        ({"cache": {"blocks": 3}}, "prices.cache has no setting blocks"),
        ({"cache": {"block": 0}}, "prices.cache.block is 0"),
        ({"cache": {"miss": 1.5}}, "prices.cache.miss is 1.5"),
        ({"cache": {"lifetime": 0}}, "prices.cache.lifetime is 0"),
    ],
)
def test_a_price_that_cannot_be_is_named(changed: dict, said: str) -> None:
    plain = {"name": "p", "as_of": "2026-01-01", "input": 1.0, "cache_read": 0.1, "output": 5.0}
    assert read(plain) == Prices("p", "2026-01-01", 1.0, 0.1, 5.0)
    with pytest.raises(ValueError, match=said):
        read(plain | changed)
    with pytest.raises(ValueError, match="output missing"):
        read({name: value for name, value in plain.items() if name != "output"})


def test_labels_tell_lists_apart_that_differ_in_any_number() -> None:
    assert Tariff(PLAIN).label == Tariff(replace(PLAIN)).label
    labels = {Tariff(PLAIN).label, Tariff(replace(PLAIN, cache=Cache(2))).label, Tariff(PLAIN, PLAIN).label}
    assert len(labels) == 3 and all(label is not None and "plain, 2026-01-01" in label for label in labels)
    assert Tariff(None).label is None


# ---------------------------------------------------------------- an episode


def episode(asks: tuple[Ask, ...] = (), usage: Usage = Usage(), made: str = "m") -> Record:  # noqa: B008
    """Two turns: 30 tokens of history, then 55; 7 of schemas before them; each reply has 5."""
    texts = [Message("m0", "system", "s"), Message("m1", "user", "t"), Message("m2", "user", "go")]
    texts += [Message("m3", "assistant", "r"), Message("m4", "tool", "a"), Message("m5", "assistant", "r2")]
    segment = Segment(None, 0, tuple(texts), (10, 10, 10, 5, 20, 5), (1,))
    one = TurnRow(1, 1, 1, 0, 3, [[0, 2]], (), (), 30, 7, 5, usage, 0, (), (), 2.0, (0.0, 1.0))
    two = replace(one, n=2, step=2, length=5, view=[[0, 4]], tokens=55, asked=24, time=(0.5, 1.0))
    return Record("i", 0, 100, None, (segment,), (one, two), "completed", "", 2, 97, 0, {}, 0, asks)


ASK = Ask(2, 24, 4, (("tools", 8), ("text", 12)), Usage())


def test_money_of_an_episode_written_out() -> None:
    found = by_turn(sent(episode((ASK,))), Tariff(PLAIN))
    # turn 1: 37 in, 5 out. Turn 2: the compactor 20 in, 4 out; then 62 in of which 37 were sent before, 5 out.
    assert found[1].fitted == found[1].ideal == pytest.approx(87e-6)
    assert found[2].fitted == found[2].ideal == pytest.approx((60 + 25 + 3.7 + 50) * 1e-6)
    assert (found[1].cached, found[2].cached) == (0, 37)
    in_tens = by_turn(sent(episode((ASK,))), Tariff(replace(PLAIN, cache=Cache(block=10))))
    assert in_tens[2].fitted == pytest.approx((60 + 32 + 3.0 + 50) * 1e-6)
    assert in_tens[2].ideal == pytest.approx(found[2].ideal)


def test_the_compactor_shares_the_agents_endpoint_unless_it_has_prices_of_its_own() -> None:
    own = tuple(sent(episode((ASK,))))
    again = (*own, replace(own[1], turn=3))  # the compactor is asked the same once more
    assert by_turn(again, Tariff(PLAIN))[3].fitted == pytest.approx((2.0 + 40) * 1e-6)
    agents = replace(own[0], turn=3, asked=True)  # it is sent what the agent was sent
    assert by_turn((*own, agents), Tariff(PLAIN))[3].fitted == pytest.approx((3.7 + 50) * 1e-6)
    cheap = replace(PLAIN, input=0.5, cache_read=0.05, output=1.0)
    assert by_turn((*own, agents), Tariff(PLAIN, cheap))[3].fitted == pytest.approx((18.5 + 5) * 1e-6)


def test_requests_have_their_time_on_the_simulated_clock() -> None:
    # call 1 takes 1 s and its tools 2 s; then the agent waits 0.5 s for the compactor
    assert [(one.turn, one.asked, one.at) for one in sent(episode((ASK,)))] == [
        (1, False, 0.0), (2, True, 3.0), (2, False, 3.5),
    ]  # fmt: skip
    short = Tariff(replace(PLAIN, cache=Cache(lifetime=3)))
    assert by_turn(sent(episode()), short)[2].cached == 0
    assert by_turn(sent(episode()), Tariff(replace(PLAIN, cache=Cache(lifetime=4))))[2].cached == 37


def test_rows_of_the_tables() -> None:
    rows = [{"reached": True, "turn": 1}, {"reached": True, "turn": 2}, {"reached": False, "turn": None}]
    turns = [{"turn": 1}, {"turn": 2}]
    measured = Measured({"instance": "i"}, turns, rows)
    add(episode((ASK,)), Tariff(PLAIN), measured, same=True)
    outcome = measured.outcome
    assert [row["money"] for row in turns] == pytest.approx([87e-6, 138.7e-6])
    assert [row["money_ideal"] for row in rows] == pytest.approx([87e-6, 225.7e-6, 225.7e-6])
    assert outcome["money"] == pytest.approx(225.7e-6) and outcome["cached_expected"] == 37
    assert outcome["money_reported"] is None and outcome["own_money"] == pytest.approx(60e-6)


def test_a_question_after_the_last_call_is_paid_too() -> None:
    measured = Measured()
    add(episode((replace(ASK, turn=3),)), Tariff(PLAIN), measured, same=True)
    assert measured.outcome["money"] == pytest.approx((87 + 25 + 3.7 + 50 + 60) * 1e-6)


def test_reported_money_needs_every_count() -> None:
    full = by_turn(sent(episode(usage=Usage(100, 40, None, 10))), Tariff(PLAIN))
    assert full[1].reported == pytest.approx((60 + 4 + 100) * 1e-6)
    assert by_turn(sent(episode(usage=Usage(100, None, None, 10))), Tariff(PLAIN))[1].reported is None
    with_writes = Tariff(replace(PLAIN, cache_write=1.25))
    assert by_turn(sent(episode(usage=Usage(100, 40, None, 10))), with_writes)[1].reported is None
    known = by_turn(sent(episode(usage=Usage(100, 40, 20, 10))), with_writes)[1].reported
    assert known == pytest.approx((40 + 4 + 25 + 100) * 1e-6)
    assert (Money(1, 1, 1) + Money(1, 1, None)).reported is None


def test_equal_ids_of_two_agents_made_messages_are_told_apart() -> None:
    one = episode()
    notes = [Message("note", "user", text, sources=("m2",)) for text in ("mine", "yours")]
    segments = (one.segments[0], replace(one.segments[0], agent="b"))
    turns = tuple(
        replace(one.turns[0], n=n, segment=n - 1, view=[[0, 1], "note"], made=(note,), made_tokens=(8,))
        for n, note in enumerate(notes, 1)
    )
    again = (replace(turns[0], n=3, made=(), made_tokens=()), replace(turns[1], n=4, made=(), made_tokens=()))
    pieces = [request.pieces[-1] for request in sent(replace(one, segments=segments, turns=(*turns, *again)))]
    assert pieces[0] == pieces[2] != pieces[1] == pieces[3]


def test_a_record_without_the_compactors_requests_is_refused() -> None:
    with pytest.raises(ValueError, match="does not hold what the compactor was sent"):
        list(sent(episode((replace(ASK, pieces=None),))))


# ---------------------------------------------------------------- a cell


def test_a_cell_is_priced_and_priced_again_from_its_records(tmp_path: Path) -> None:
    listed = {"name": "plain", "as_of": "2026-01-01", "input": 1.0, "cache_read": 0.1, "output": 10.0}
    compactor = {"_target_": "tests.test_cost.Short"}
    lent = {"compactor": compactor, "embedder": {"_target_": "tests.machine.toy.Letters"}}
    config = config_of({"_target_": "tests.machine.arms.Asking"}, **lent, prices=listed)
    folder = tmp_path / "cell"
    assert cell.run(config, folder, {"task": "desk"})
    first = {name: (folder / f"{name}.parquet").read_bytes() for name in ("outcomes", "checkpoints", "steps", "ledger")}
    money = pd.read_parquet(folder / "outcomes.parquet")[["money", "money_ideal"]]
    assert (money["money"] >= money["money_ideal"]).all() and (money["money_ideal"] > 0).all()
    steps = pd.read_parquet(folder / "steps.parquet")
    assert steps.groupby("instance")["money"].sum().tolist() == pytest.approx(money["money"].tolist())
    tables.reprice(folder, Tariff(replace(PLAIN, input=2.0, cache_read=0.2, output=20.0)))
    double = pd.read_parquet(folder / "outcomes.parquet")["money"]
    assert double.tolist() == pytest.approx([2 * value for value in money["money"]])
    tables.reprice(folder, Tariff(PLAIN))
    assert {name: (folder / f"{name}.parquet").read_bytes() for name in first} == first
    # another list is no other cell: the records stay, the tables are priced anew
    records = [path.stat().st_mtime_ns for path in sorted((folder / "episodes").glob("*-?.jsonl"))]
    assert cell.run(config | {"prices": listed | {"input": 3.0}}, folder, {"task": "desk"})
    assert [path.stat().st_mtime_ns for path in sorted((folder / "episodes").glob("*-?.jsonl"))] == records
    assert (pd.read_parquet(folder / "outcomes.parquet")["money"] > money["money"]).all()


class Short:
    """A compactor that says one thing."""

    def open(self, task: object, environment: object, seed: int) -> Model:
        return Lines(*[said("short")] * 200)
