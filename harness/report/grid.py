"""Aligned plain text: columns under headings, adjacent columns of one group under a common heading."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

GAP, GROUP_GAP = " ", "  "


@dataclass(frozen=True, slots=True)
class Column:
    head: str
    group: str = ""
    left: bool = False


def grid(columns: Sequence[Column], rows: Sequence[Sequence[str] | None]) -> list[str]:
    """Lines: group headings (if any), headings, rows; None is a rule. Raises ValueError for a short row."""
    for row in rows:
        if row is not None and len(row) != len(columns):
            raise ValueError(f"a row has {len(row)} entries for {len(columns)} columns: {list(row)}")
    widths = [max([len(c.head), *(len(row[i]) for row in rows if row is not None)]) for i, c in enumerate(columns)]
    spans = [(name, [i for i, _ in part]) for name, part in groupby(enumerate(columns), key=lambda item: item[1].group)]
    for name, span in spans:
        widths[span[-1]] += max(0, len(name) - (sum(widths[i] for i in span) + len(GAP) * (len(span) - 1)))
    head = _join(columns, spans, widths, [c.head for c in columns])
    body = ["─" * len(head) if row is None else _join(columns, spans, widths, row).rstrip() for row in rows]
    lines = [head.rstrip(), *body]
    if any(name for name, _ in spans):
        titles = [name.center(_width(widths, span), "─" if name else " ") for name, span in spans]
        lines.insert(0, GROUP_GAP.join(titles).rstrip())
    return lines


def _join(
    columns: Sequence[Column], spans: Sequence[tuple[str, list[int]]], widths: Sequence[int], texts: Sequence[str]
) -> str:
    placed = [t.ljust(w) if c.left else t.rjust(w) for c, w, t in zip(columns, widths, texts, strict=True)]
    return GROUP_GAP.join(GAP.join(placed[i] for i in span) for _, span in spans)


def _width(widths: Sequence[int], span: Sequence[int]) -> int:
    return sum(widths[i] for i in span) + len(GAP) * (len(span) - 1)
