"""Puts the tables in order: a page a family and budget, then the page over all families."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

from harness.certify import Class
from harness.report import across, behaviour, changes, family, judged, money, overview, recorded, relation, text
from harness.report.block import Block
from harness.report.book import Book, Scope
from harness.report.ceiling import unlimited
from harness.report.estimates import Point
from harness.report.frames import Results
from harness.report.values import REFERENCE
from harness.usage import Comparison, Paired, compare


def report(
    results: Results,
    rows: pd.DataFrame,
    found: Sequence[Point],
    classes: Mapping[tuple[str, str], Class],
    against: str | None,
    notes: Sequence[str],
) -> list[Block]:
    arms = list(dict.fromkeys(cell.label.arm for cell in results.cells))
    book = Book(found)
    blocks: list[Block] = []
    relations, readers = relation.relations(rows), relation.readers(list(found))
    for scope in book.scopes(arms):
        if across.is_pooled(scope.family):
            continue
        blocks += _some(*(judged.block(book, scope, reader) for reader in scope.readers))
        if book.has(scope, "success"):
            blocks += _generated(book, scope, classes, relations, readers)
        else:
            blocks.append(recorded.readings(book, scope))
            blocks += [behaviour.cost(book, scope, scope.readers[0])]
            blocks += _some(money.block(book, scope, scope.readers[0], whole=True))
            blocks += _some(changes.block(book, scope, scope.readers[0]))
            blocks += _some(behaviour.causes(book, scope, scope.readers[0]), family.by_fact(book, scope))
    blocks += _some(recorded.usage_block(_usage(results)))
    blocks += _overall(results, rows, book, arms, against)
    return [*blocks, *_about(results, notes)]


def _generated(
    book: Book,
    scope: Scope,
    classes: Mapping[tuple[str, str], Class],
    relations: Sequence[relation.Relation],
    readers: Sequence[relation.Readers],
) -> list[Block]:
    agreements = {(r.first, r.second): r.found for r in readers if (r.family, r.budget) == (scope.family, scope.budget)}
    blocks = [family.headline(book, scope, agreements)]
    if book.has(scope, "retention") or book.has(scope, "hit_ratio"):
        blocks.append(family.memory(book, scope, classes))
    blocks += [behaviour.cost(book, scope, reader, reader == scope.readers[-1]) for reader in scope.readers]
    blocks += _some(*(money.block(book, scope, reader) for reader in scope.readers))
    blocks += _some(*(changes.block(book, scope, reader) for reader in scope.readers[:1]))
    blocks += _some(family.by_fact(book, scope), behaviour.causes(book, scope, scope.readers[0]))
    lines = [_relation(r) for r in relations if (r.family, r.budget) == (scope.family, scope.budget)]
    return (
        [*blocks, Block("does success say more than memory does? r over (arm, instance)", lines)] if lines else blocks
    )


def _relation(found: relation.Relation) -> str:
    line = f"{found.reader}: success with {found.measure} r = {text.share(found.r)}, {found.pairs} pairs"
    if found.r is not None and found.r > relation.SAME:
        line += f": success adds nothing beyond {found.measure} here"
    return line


def _overall(results: Results, rows: pd.DataFrame, book: Book, arms: Sequence[str], against: str | None) -> list[Block]:
    blocks: list[Block] = []
    chosen = across.reference(arms, against) if across.known(rows) else None
    for name, families in across.together(rows, results.conditions()).items():
        first = next(cell for cell in results.cells if cell.label.family in families)
        primary = {"reader": first.keys()["reader"], "model": first.label.model, "budget": first.budget}
        tests = across.against(rows, families, chosen, unlimited(results), primary)
        for scope in book.scopes(arms, name):
            own = [test for test in tests if test.budget == scope.budget]
            blocks.append(overview.block(book, scope, len(families)))
            parts = [one for one in book.scopes(arms) if one.family in families and one.budget == scope.budget]
            blocks += _some(overview.by_family(book, parts))
            blocks += _some(overview.differences(own, chosen or "", scope.checkpoints[-1]))
    return blocks


def _usage(results: Results) -> dict[str, Comparison]:
    """Only whole histories were what the recorded agent sent."""
    steps = results.tables["steps"]
    if "input_reported" not in steps:
        return {}
    whole = steps[(steps["strategy"] == REFERENCE) & steps["input_reported"].notna()]
    whole = whole.drop_duplicates(["family", "instance", "turn"])
    names = ["input", "cached_ideal", "input_reported", "cache_read_reported"]
    return {
        str(name): compare(
            Paired(*(None if pd.isna(value) else int(value) for value in row))  # type: ignore[arg-type]
            for row in own[names].itertuples(index=False, name=None)
        )
        for name, own in whole.groupby("family", sort=False)
    }


def _about(results: Results, notes: Sequence[str]) -> list[Block]:
    lines = [*results.notes, *notes]
    if results.left_out:
        lines.append(
            f"{len(results.left_out)} folders of earlier sweeps of this name are left out: {results.left_out[0]}, …"
        )
    return [Block("about this sweep", lines)] if lines else []


def _some(*blocks: Block | None) -> list[Block]:
    return [block for block in blocks if block is not None]
