"""Puts the page together: numbers as JSON, episodes as packed chunks that are opened only when they are looked at."""

from __future__ import annotations

import html
import json
from importlib import resources
from pathlib import Path
from typing import Any

from harness.files import write_bytes
from harness.report import across, ceiling, estimates, frames, slices, tally, values
from harness.report.estimates import Point
from harness.report.page import diagnosis, episodes, exits, numbers

PARTS = ("charts.js", "tables.js", "sight.js", "page.js")


def write(folder: Path, baseline: str = "full") -> Path:
    """Writes folder/report.html and returns its path.

    Raises ReportError where there is nothing to report, MixedSuites for cells of several versions of the suite.
    """
    results = frames.load(folder)
    rows = values.values(results)
    bounded, notes = ceiling.bounds(results)
    found: list[Point] = [
        *estimates.points(rows, slices.slices(results)),
        *ceiling.points(rows, bounded, ceiling.classes(results)),
        *across.points(rows, results.conditions()),
        *tally.points(results),
    ]
    page = numbers.numbers(results, found, notes)
    page["diagnosis"] = diagnosis.table(results, rows, baseline)
    page["exits"] = exits.exits(results, page, page["several"])
    packed = list(episodes.chunks(results, page["arms"], page["readers"]))
    page["chunks"] = [[chunk.family, chunk.instance] for chunk in packed]
    path = folder / "report.html"
    write_bytes(path, _html(folder.name, page, [chunk.data for chunk in packed]).encode())
    return path


def _html(name: str, page: dict[str, Any], chunks: list[str]) -> str:
    """The template with its marks replaced; the data cannot end its own script element."""
    told = json.dumps(page, ensure_ascii=False, separators=(",", ":")).replace("</", "<\\/")
    data = "\n".join(f'<script type="text/plain" id="chunk{n}">{chunk}</script>' for n, chunk in enumerate(chunks))
    text = _part("page.html").replace("{{name}}", html.escape(name)).replace("{{style}}", _part("page.css"))
    text = text.replace("{{script}}", "\n".join(_part(part) for part in PARTS))
    return text.replace("{{chunks}}", data).replace("{{data}}", told)


def _part(name: str) -> str:
    return (resources.files("harness.report.page") / name).read_text(encoding="utf-8")
