"""Writing a fact twice keeps one unit; writing another value for its name supersedes it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from strategies.memory.bindings import Binding, bindings
from strategies.memory.statements import numbers, statements
from strategies.memory.store import Store
from strategies.memory.unit import Unit
from strategies.memory.vectors import Vectors

Outcome = Literal["new", "repeat", "version", "correction"]


def place(draft: Unit, store: Store, vectors: Vectors, similar: float) -> tuple[Unit, Outcome]:
    """Put a draft into the store.

    repeat: the same text is active: nothing is done. version: a text of the same names and figures with a cosine over
    `similar`: the unit takes the new text, its version goes up, no unit is added. correction: the draft is one
    statement and gives its name another value than a unit of one statement did: that one is archived with its source,
    the new one carries the history.

    Names and figures must agree because vectors hardly see them: "port is 8080" and "port is 8081" are closer than two
    wordings of one fact.
    """
    rivals = [unit for unit in store.active(draft.layer) if unit.kind == draft.kind]
    for unit in rivals:
        if unit.content == draft.content:
            return unit, "repeat"
    alike = [u for u in rivals if set(u.metadata.names) == set(draft.metadata.names)]
    alike = [unit for unit in alike if numbers(unit.content) == numbers(draft.content)]
    if twin := _twin(draft, alike, vectors, similar):
        return _renewed(twin, draft, store), "version"
    return _corrected(draft, store)


def _twin(draft: Unit, units: Sequence[Unit], vectors: Vectors, similar: float) -> Unit | None:
    if not units:
        return None
    alike = vectors.likeness(draft.content, [unit.content for unit in units])
    best = max(range(len(units)), key=alike.__getitem__)
    return units[best] if alike[best] > similar else None


def _renewed(unit: Unit, draft: Unit, store: Store) -> Unit:
    metadata = replace(
        draft.metadata, former=(*unit.metadata.former, (unit.created, unit.content)), originals=unit.metadata.originals
    )
    renewed = replace(draft, id=unit.id, version=unit.version + 1, metadata=metadata)
    store.put(renewed, newest=True)
    return renewed


def _corrected(draft: Unit, store: Store) -> tuple[Unit, Outcome]:
    said = _said(draft)
    if said is None:
        return store.add(draft), "new"
    for unit in store.active(draft.layer):
        if (unit.kind == "record") != (draft.kind == "record"):
            continue  # what another agent found stands beside what was told
        told = _said(unit)
        if told is None or told.name != said.name:
            continue
        if told.value == said.value:
            return _renewed(unit, draft, store), "version"
        return _superseded(unit, draft, store), "correction"
    return store.add(draft), "new"


def _said(unit: Unit) -> Binding | None:
    """What a unit of one statement binds; None for figures, and for a unit that says more than that."""
    found = bindings(unit.content)
    return found[0] if len(statements(unit.content)) == 1 and found and not found[0].amount else None


def _superseded(unit: Unit, draft: Unit, store: Store) -> Unit:
    store.put(replace(unit, status="archived"))
    former = (*unit.metadata.former, (unit.created, unit.content))
    return store.add(replace(draft, version=unit.version + 1, metadata=replace(draft.metadata, former=former)))
