"""The external store and the state of the whole strategy."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from harness.contract import Brief
from strategies.structured.entries import Entry
from strategies.structured.store import SEARCHES, Store, quoted
from tests.strategies.structured_runs import SYSTEM, TASK, TOOLS, Run, long, shows, strategy


def embed(texts: Sequence[str]) -> list[list[float]]:
    """By three words."""
    return [[float(word in text) for word in ("red", "green", "blue")] for text in texts]


def entry(ref: int, text: str, names: tuple[str, ...] = ()) -> Entry:
    return Entry(ref, "ACTION_OUTPUT", "output", 0, ref, (f"m{ref}",), ref, ref, ref, 1, 9, "", "", 1, names, (), text)


def filled(hot: int) -> Store:
    store = Store(hot, embed)
    for ref, color in enumerate(("red", "green", "blue", "red"), 1):
        store.add(entry(ref, f"db_{ref} is {color}. It is old.", (f"db_{ref}",)))
    return store


def test_what_was_used_last_is_hot_and_the_rest_moves_down() -> None:
    store = filled(2)
    assert (len(store), store.cold) == (4, 2)
    store.add(store.get(1) or entry(9, "?"))
    assert (len(store), store.cold) == (4, 2)
    assert store.dump()["hot"] == [4, 1]
    assert [one.ref for one in store] == [1, 2, 3, 4]


@pytest.mark.parametrize("hot", [1, 2, 9])
def test_both_tiers_give_back_the_very_entry(hot: int) -> None:
    store = filled(hot)
    assert store.get(1) == entry(1, "db_1 is red. It is old.", ("db_1",))
    assert store.get(7) is None
    assert [one.ref for one in store.between(2, 3)] == [2, 3]


def test_an_entry_that_is_added_again_is_stored_once() -> None:
    store = filled(2)
    for _ in range(3):
        store.add(entry(1, "db_1 is red. It is old.", ("db_1",)))
    assert len(store) == 4
    assert store.search("db_1", 5, "keyword") == [1]


@pytest.mark.parametrize("hot", [1, 9])
def test_ways_of_searching(hot: int) -> None:
    store = filled(hot)
    assert store.search("what of db_2?", 1, "keyword") == [2]
    assert store.search("red", 2, "vector") == [4, 1]  # of equal ones the newest
    assert store.search("db_1 red", 5, "vector+metadata") == [1]
    assert store.search("blue", 5, "off") == []


def test_the_cold_tier_is_indexed_by_names_alone() -> None:
    assert filled(9).search("old", 9, "keyword") == [4, 3, 2, 1]
    assert filled(1).search("old", 9, "keyword") == [4]


@pytest.mark.parametrize("hot", [1, 2, 9])
def test_a_loaded_store_is_the_saved_one(hot: int) -> None:
    store, again = filled(hot), Store(hot, embed)
    again.load(store.dump())
    assert again.dump() == store.dump()
    for search in SEARCHES:
        assert again.search("db_2 green", 3, search) == store.search("db_2 green", 3, search)


def test_a_search_quotes_the_statements_that_match() -> None:
    text = "db_1 is red.\ndb_1 has port p7.x1\nnothing\ndb_2 has port p8.x1"
    assert quoted(entry(1, text), "db_1/port", 2) == ["db_1 is red.", "db_1 has port p7.x1"]
    assert quoted(entry(1, text), "zebra", 2) == ["db_1 is red."]


# ---------------------------------------------------------------- state


def played(saves: bool, **settings: object) -> list[object]:
    """Views of an episode; with `saves`, by a new instance with the saved state each turn."""
    run = Run(500, strategy(**{"search": "keyword", "hot": 2, "part_steps": 3, "edge_seed": 5, **settings}))
    shown: list[object] = []
    for number in range(24):
        run.act(f"look at f{number // 3}.py", f"db_{number} holds v{number}.x " + "filler " * (number * 7 % 50))
        if number % 5 == 4:
            run.view()
            run.fetch(id=f"ref{number // 2}")
        if saves:
            fresh = strategy(**{"search": "keyword", "hot": 2, "part_steps": 3, "edge_seed": 5, **settings})
            fresh.reset(run.kit, Brief(SYSTEM, TASK, TOOLS), run.strategy.export())
            run.strategy = fresh
        shown.append((run.view(), run.now))
    return shown


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"policy": "lru", "prefetch": 2},
        {"policy": "safe", "false_edges": 0.5, "missed_edges": 0.3},
        {"policy": "utility", "prefetch": 1, "prefetch_when": "beside", "style": "id"},
    ],
)
def test_an_episode_goes_on_from_its_exported_state_as_if_nothing_had_happened(settings: dict[str, object]) -> None:
    assert played(True, **settings) == played(False, **settings)


def first_session(**settings: object) -> Run:
    run = Run(600, strategy(search="keyword", **settings))
    run.view()
    run.act("start", "the lock of db_1 is q7.zz9 " + "and " * 40)
    run.steps(*(long(f"part {n}") for n in range(5)))
    return run


def test_a_later_session_gets_back_what_an_earlier_one_evicted_or_still_showed() -> None:
    first = first_session()
    later = Run(600, strategy(search="keyword"), session=1, saved=first.strategy.export())
    system = later.view()[0].content
    assert "From earlier sessions:\n[evicted ref1-6:" in system
    assert "q7.zz9" in later.fetch(id="ref1").content
    later.view()
    assert "part 4" in later.fetch(id="ref6").content
    later.view()
    later.act("go on", long("new"))
    later.steps(*(long(f"more {n}") for n in range(6)))
    assert all(m.sources == () or set(m.sources) <= {h.id for h in later.history} for m in later.view())
    assert "more 0" in later.fetch(id="ref9").content or "more 0" in later.fetch(id="ref10").content


def test_nothing_of_one_episode_is_found_in_another() -> None:
    first = first_session()
    other = first.strategy
    fresh = Run(600, other)
    fresh.view()
    assert other.find("db_1/lock") == []
    assert fresh.fetch(query="lock of db_1").content.startswith("error: ")
    assert not shows(fresh.view(), "q7.zz9")
