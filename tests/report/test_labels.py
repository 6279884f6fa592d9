"""Labels tell the cells of a sweep apart, and are short."""

from __future__ import annotations

from typing import Any

from harness.report.labels import labels

USUAL = {"keep": 3, "place": "tail", "ratio": 20, "top": 6, "when": "always", "size": 1}


def arms(*changed: dict[str, Any]) -> list[str]:
    names = {"task": "graph", "strategy": "memory", "model": "scripted", "reader": "ideal"}
    return [one.arm for one in labels([(names, {"strategy": USUAL | own}) for own in changed])]


def test_all_settings_that_differ_are_named_while_they_are_few() -> None:
    assert arms({}, {}, {"keep": 5}, {"top": 2}) == [
        "memory keep=3 top=6",
        "memory keep=3 top=6",
        "memory keep=5 top=6",
        "memory keep=3 top=2",
    ]


def test_a_sweep_that_changes_one_at_a_time_names_what_was_changed() -> None:
    one = ({"keep": 5}, {"place": "front"}, {"ratio": 50}, {"top": 2}, {"when": "never"}, {"ratio": 5, "top": 1})
    assert arms({}, *one) == [
        "memory",
        "memory keep=5",
        "memory place=front",
        "memory ratio=50",
        "memory top=2",
        "memory when=never",
        "memory ratio=5 top=1",
    ]


def test_labels_stay_apart_where_no_value_is_usual() -> None:
    """Each value once or in half of the cells: nothing may be left unsaid."""
    all_of = [{key: 7 if part == key else USUAL[key] for key in USUAL} for part in (*USUAL, "none")]
    grid = [{"keep": k, "place": p, "ratio": r} for k in (1, 2) for p in "ab" for r in (1, 2)]
    mixed = [one | {"top": n, "size": n} for n, one in enumerate(grid)]
    for cells in (all_of, mixed):
        found = arms(*cells)
        assert len(set(found)) == len(cells)
