"""Episodes for the eye: what each view held, what left it by which event, and the needs that were missed.

All runs of one instance share a chunk, in which equal texts stand once. A chunk is deflated JSON in base64.
"""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from harness import files, record
from harness.contract import Message
from harness.record import Record
from harness.report.frames import CellResult, Results

CLIP = 150  # characters of a message that are shown


@dataclass(frozen=True, slots=True)
class Chunk:
    family: str
    instance: str
    data: str


@dataclass(slots=True)
class _Texts:
    """Each text once, by its place."""

    texts: list[str] = field(default_factory=list)
    places: dict[str, int] = field(default_factory=dict)

    def place(self, message: Message) -> int:
        named = [(c.name, ", ".join(f"{k}={v}" for k, v in c.arguments.items())) for c in message.calls]
        calls = "; ".join(f"{name}({arguments})" for name, arguments in named)
        said = " ".join(part for part in (message.content, f"→ {calls}" if calls else "") if part)
        shown = said if len(said) <= CLIP else f"{said[:CLIP]}… (+{len(said) - CLIP:,} characters)"
        if shown not in self.places:
            self.places[shown] = len(self.texts)
            self.texts.append(shown)
        return self.places[shown]


def chunks(results: Results, arms: Sequence[str], readers: Sequence[str]) -> Iterator[Chunk]:
    """In order of the plan. Episodes without a record are left out."""
    needs = _needs(results.tables["needs"])
    grouped: dict[tuple[str, str], list[tuple[CellResult, str]]] = {}
    for cell in results.cells:
        for path in files.records(cell.folder):
            grouped.setdefault((cell.label.family, _instance(cell, path.stem)), []).append((cell, path.stem))
    for (family, instance), runs in grouped.items():
        texts, made = _Texts(), []
        for cell, stem in runs:
            played = record.load(cell.folder / "episodes" / f"{stem}.jsonl")
            who = cell.label.reader or cell.label.model
            label = cell.label
            key = (family, label.arm, label.reader or "-", label.model, str(cell.budget), label.draw, instance)
            front = {"arm": arms.index(cell.label.arm), "reader": _place(readers, who, cell), "budget": cell.budget}
            made.append({**front, "draw": cell.label.draw, **_run(played, needs.get(key, []), texts)})
        told = json.dumps({"texts": texts.texts, "runs": made}, ensure_ascii=False, separators=(",", ":")).encode()
        yield Chunk(family, instance, base64.b64encode(zlib.compress(told, 6)).decode())


def _place(readers: Sequence[str], who: str, cell: CellResult) -> int:
    """A reader's label, with the model's in front of it where the sweep has several."""
    return readers.index(who if who in readers else f"{cell.label.model} {who}")


def _instance(cell: CellResult, stem: str) -> str:
    return f"{cell.label.world}:{stem}" if cell.label.world else stem


def _run(played: Record, needs: Sequence[Sequence[Any]], texts: _Texts) -> dict[str, Any]:
    """turns: [step, steps taken, history, its length, view, tokens of the request, events]; needs: [step, fact, met,
    lost by, turn of the loss]."""
    known = played.schedule.facts if played.schedule else ()
    facts = {fact.id: f"{fact.key} = {fact.value}" for fact in known}
    segments = [
        [[texts.place(m) for m in s.messages], "".join(m.role[0] for m in s.messages), list(s.tokens)]
        for s in played.segments
    ]
    made = {
        m.id: [texts.place(m), m.role[0], size, list(m.sources)]
        for turn in played.turns
        for m, size in zip(turn.made, turn.made_tokens, strict=True)
    }
    turns = [
        [t.step, t.acted, t.segment, t.length, t.view, t.tokens + t.overhead, [list(event) for event in t.noted]]
        for t in played.turns
    ]
    named = [[step, facts.get(fact, fact), met, cause, turn] for step, fact, met, cause, turn in needs]
    return {"ending": played.ending, "segments": segments, "made": made, "turns": turns, "needs": named}


def _needs(table: pd.DataFrame) -> dict[tuple[str, ...], list[list[Any]]]:
    """By family, arm, reader, model, budget, draw and instance."""
    if "met" not in table or "fact" not in table:
        return {}
    found: dict[tuple[str, ...], list[list[Any]]] = {}
    turns = table["lost_turn"] if "lost_turn" in table else [None] * len(table)
    columns = [table[c] for c in ("family", "arm", "reader", "model", "budget", "draw", "instance")]
    rows = zip(*columns, table["step"], table["fact"], table["met"], table["lost_by"], turns, strict=True)
    for family, arm, reader, model, budget, draw, instance, step, fact, met, cause, turn in rows:
        key = (family, arm, reader, model, "None" if pd.isna(budget) else str(int(budget)), draw, instance)
        lost = None if pd.isna(cause) else str(cause)
        found.setdefault(key, []).append([int(step), str(fact), bool(met), lost, None if pd.isna(turn) else int(turn)])
    return found
