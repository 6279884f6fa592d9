"""Writing twice, correcting, retrieving."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from strategies.memory.retrieval import Query, Retrieval, fading
from strategies.memory.statements import names
from strategies.memory.store import Store
from strategies.memory.unit import Unit
from tests.strategies.memories import PLAIN, Alike, layers, lent, unit


def contents(units) -> list[str]:
    return [one.content for one in units]


def query(text: str, step: int = 1, shown=()) -> Query:
    return Query(text, names(text), step, shown)


def how(**changed) -> Retrieval:
    return replace(PLAIN.retrieval, **changed)


def preference(text: str, step: int = 1) -> Unit:
    return unit(text, "preference", step)


# ---------------------------------------------------------------- duplicates


def test_the_same_text_is_written_once() -> None:
    memory = layers(lent(), *[unit("port_1 is red")] * 5)
    assert contents(memory.store) == ["port_1 is red"]
    assert (memory.store.tally.writes, memory.store.tally.repeats) == (5, 4)


def test_without_duplicates_every_write_is_a_unit() -> None:
    assert len(layers(lent(), *[unit("port_1 is red")] * 5, similar=None).store) == 5


def test_a_paraphrase_of_the_same_names_is_a_new_version() -> None:
    memory = layers(lent(), unit("red port_1 is up", step=1), unit("up and red: port_1", step=4))
    (kept,) = memory.store
    assert (kept.content, kept.version, kept.metadata.former) == ("up and red: port_1", 2, ((1, "red port_1 is up"),))


@pytest.mark.parametrize("other", ["red port_2 is up", "red port_1 is up at 8081"])
def test_what_a_vector_cannot_tell_apart_is_no_duplicate(other: str) -> None:
    assert len(layers(lent(), unit("red port_1 is up"), unit(other)).store) == 2


def test_less_alike_than_the_threshold_is_another_unit() -> None:
    assert len(layers(lent(), unit("red port_1 now"), unit("red blue port_1 now")).store) == 2


def test_a_correction_supersedes_and_keeps_its_history() -> None:
    memory = layers(lent(), preference("bay_1 has mode a-1"), preference("bay_1 has mode b-2", 5))
    old, new = memory.store
    assert (old.content, old.status) == ("bay_1 has mode a-1", "archived")
    assert (new.content, new.status, new.version) == ("bay_1 has mode b-2", "active", 2)
    assert new.metadata.former == ((1, "bay_1 has mode a-1"),)
    assert memory.store.tally.corrections == 1
    assert memory.newest() == {"bay_1/mode": "b-2"}


def test_another_value_for_a_name_is_counted_and_told_and_both_sources_stay() -> None:
    kit = lent()
    first = unit("bay_1 has mode a-1\nhall_2 is empty", source="m3")
    second = unit("bay_1 has mode b-2\nhall_2 is full", source="m8")
    memory = layers(kit, first, second)
    assert memory.store.tally.conflicts == 1
    assert [(e.kind, e.detail["sources"]) for e in kit.drain()] == [("conflict", ["m8"])]
    assert [one.metadata.sources for one in memory.store.active()] == [("m3",), ("m8",)]
    assert layers(lent(), first, second, similar=None).store.tally.conflicts == 0


def test_a_fact_that_comes_back_after_a_correction_is_the_newest_again() -> None:
    """Five times the same, two paraphrases, a correction, then the original again, among fifty others."""
    first = "red bay_1 has mode a-1"
    told = [first] * 5 + [
        "red, and bay_1 mode: a-1",
        "bay_1, red, has a-1 as its mode",
        "red bay_1 has mode b-2",
        first,
    ]
    memory = layers(lent(), *map(preference, told), *(preference(f"hall_{n} has mode c-{n}") for n in range(50)))
    hits = memory.retrieve(query("the red mode of bay_1"))
    assert [hit.unit.content for hit in hits] == [first]
    assert memory.newest()["bay_1/mode"] == "a-1"
    tally = memory.store.tally
    assert (tally.writes, tally.repeats, tally.versions, tally.corrections) == (59, 4, 2, 2)


def test_figures_are_a_series_and_never_corrected() -> None:
    memory = layers(lent(), preference("bay_1 counts 10 visits"), preference("bay_1 counts 20 visits"))
    assert len(memory.store.active()) == 2 and memory.newest() == {}


# ---------------------------------------------------------------- retrieval

RED = unit("red bay_1", step=1)
GREEN = unit("green bay_1", step=1)
BOTH = unit("red green hall_2", step=1)


def test_the_metadata_filter_goes_first_and_saves_vectors() -> None:
    def found(metadata: str) -> tuple[list[str], int]:
        words = Alike("red", "green")
        memory = layers(lent(embedder=words), similar=None, retrieval=how(metadata=metadata))
        memory.write([RED, BOTH, *(unit(f"red lot_{n}") for n in range(9))])
        before = len(words.asked)
        return contents(hit.unit for hit in memory.retrieve(query("red in bay_1"))), len(words.asked) - before

    assert found("before") == (["red bay_1"], 2)
    assert found("after") == (["red bay_1"], 12)
    several, embedded = found("off")
    assert len(several) == 6 and embedded == 12


def test_a_name_that_many_units_have_filters_nothing() -> None:
    memory = layers(lent(), *(unit(f"red bay_1 lot_{n}") for n in range(5)), retrieval=how(top=9))
    assert len(memory.retrieve(query("red in bay_1"))) == 5
    assert contents(hit.unit for hit in memory.retrieve(query("red in bay_1 lot_3"))) == ["red bay_1 lot_3"]


def test_the_threshold_cuts_and_the_best_few_stay() -> None:
    memory = layers(lent(), RED, GREEN, BOTH, retrieval=how(metadata="off"))
    assert contents(h.unit for h in memory.retrieve(query("red"))) == ["red bay_1", "red green hall_2"]
    memory = layers(lent(), RED, GREEN, BOTH, retrieval=how(metadata="off", threshold=0.8))
    assert contents(h.unit for h in memory.retrieve(query("red"))) == ["red bay_1"]
    memory = layers(lent(), RED, GREEN, BOTH, retrieval=how(metadata="off", top=1))
    assert contents(h.unit for h in memory.retrieve(query("red"))) == ["red bay_1"]


def test_records_of_other_agents_take_no_unit_s_place() -> None:
    told = [RED, *(unit(f"red lot_{n}", "record") for n in range(9))]
    memory = layers(lent(), *told, retrieval=how(metadata="off", top=2))
    assert [hit.unit.kind for hit in memory.retrieve(query("red"))] == ["event", "record", "record"]


def test_what_is_old_fades_by_half_each_half_life_but_goals_do_not() -> None:
    assert fading(unit("x", step=10), 50, 40) == 0.5
    assert fading(unit("x", "goal", step=10), 50, 40) == 1.0 == fading(unit("x", "constraint", step=10), 50, 40)
    old, new = unit("red bay_1", step=1), unit("red blue bay_1", step=81)
    memory = layers(lent(), old, new, retrieval=how(metadata="off"))
    assert contents(h.unit for h in memory.retrieve(query("red", 81))) == ["red blue bay_1", "red bay_1"]
    memory = layers(lent(), old, new, retrieval=how(metadata="off", half_life=10_000))
    assert contents(h.unit for h in memory.retrieve(query("red", 81))) == ["red bay_1", "red blue bay_1"]


def test_the_threshold_may_be_held_against_the_faded_value() -> None:
    memory = layers(lent(), RED, retrieval=how(metadata="off", threshold=0.7))
    assert memory.retrieve(query("red", 81))
    memory = layers(lent(), RED, retrieval=how(metadata="off", threshold=0.7, threshold_on="decayed"))
    assert not memory.retrieve(query("red", 81))


def test_what_is_in_view_is_not_brought_back_nor_is_working_memory() -> None:
    memory = layers(lent(), RED, unit("red thought", "reasoning"))
    assert contents(h.unit for h in memory.retrieve(query("red"))) == ["red bay_1"]
    assert not memory.retrieve(query("red", shown={"m9"}))


def test_a_text_is_embedded_once_with_the_cache_and_each_time_without() -> None:
    for cache, times in ((True, 1), (False, 3)):
        words = Alike("red")
        memory = layers(lent(embedder=words), RED, cache=cache)
        for _ in range(3):
            memory.retrieve(query("red"))
        assert words.asked.count("red bay_1") == times


# ---------------------------------------------------------------- state


def test_the_store_survives_a_round_trip_through_json() -> None:
    memory = layers(lent(), preference("bay_1 has mode a-1"), preference("bay_1 has mode b-2"), RED, RED)
    saved = json.loads(json.dumps(memory.store.dump()))
    loaded = Store.load(saved)
    assert list(loaded) == list(memory.store) and loaded.tally == memory.store.tally
    assert loaded.telling(["bay_1"], 1.0) == memory.store.telling(["bay_1"], 1.0) == {"bay_1"}
    assert loaded.add(unit("x")).id == memory.store.add(unit("x")).id
