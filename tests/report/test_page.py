"""The HTML page of a sweep: its numbers, its diagnosis, and that it opens in a browser."""

from __future__ import annotations

import base64
import json
import re
import shutil
import subprocess
import sys
import zlib
from pathlib import Path
from typing import Any

import pytest

from harness.report.page import build
from tests.report.sweeps import Cell, Episode, many, sweep

BROWSER = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


def data(path: Path) -> dict[str, Any]:
    (found,) = re.findall(r'<script type="application/json" id="data">(.*?)</script>', path.read_text(), re.DOTALL)
    return dict(json.loads(found))


def test_the_headline_names_the_best_arm_within_the_budget(tmp_path: Path) -> None:
    scores = [(1.0, x) for x in (0.5, 0.6, 0.7, 0.8, 0.5, 0.6, 0.7, 0.8)]
    worse = [(1.0, x - 0.4) for _, x in scores]
    cells = [Cell("window", many(8, success=scores)), Cell("mask", many(8, success=worse))]
    (first, *_) = data(build.write(sweep(tmp_path, cells)))["headlines"]
    assert "window leads the arms within the budget with success (simulated) .65" in first and "mask" not in first


def test_no_headline_from_few_instances_or_many_missing_ones(tmp_path: Path) -> None:
    few = data(build.write(sweep(tmp_path / "few", [Cell("window", many(5))])))["headlines"]
    assert any("no headline, for n = 5" in line for line in few)
    lost = many(12) | {f"i{n}": Episode(ending="infrastructure") for n in range(3)}
    thin = data(build.write(sweep(tmp_path / "thin", [Cell("window", lost)])))["headlines"]
    assert any("no headline, for under 80%" in line for line in thin)


def test_data_cannot_end_its_own_element_and_nothing_is_fetched(tmp_path: Path) -> None:
    cells = [Cell("window", many(8), settings={"note": note}) for note in ("</script><b>", "x")]
    path = build.write(sweep(tmp_path, cells))
    assert "window note=</script><b>" in data(path)["arms"]
    assert not re.search(r'(src|href)="(http|//)', path.read_text()) and "@import" not in path.read_text()


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("played")
    chosen = ["task=graph", "strategy=full,window", "instances=8", "name=page", f"results={root}", "quiet=true"]
    done = subprocess.run(
        [sys.executable, "-m", "harness", "-m", *chosen], capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr[-1000:]
    return build.write(root / "page")


def test_chunks_tell_what_left_a_view_and_which_event_names_it(played: Path) -> None:
    page = data(played)
    first = re.search(r'id="chunk0">(.*?)<', played.read_text())
    assert first is not None
    held = json.loads(zlib.decompress(base64.b64decode(first.group(1))))
    window = next(one for one in held["runs"] if page["arms"][one["arm"]] == "window")
    assert any(event[0] == "evict" for turn in window["turns"] for event in turn[6])
    assert {met for _, _, met, _, _ in window["needs"]} == {True, False}
    assert all(cause for _, _, met, cause, _ in window["needs"] if not met)
    assert {line["arm"] for line in page["diagnosis"]} == {"window"}


@pytest.mark.skipif(BROWSER is None, reason="no Chromium is installed: the page is not opened")
def test_the_page_opens_in_a_browser_and_draws_every_section(played: Path) -> None:
    assert BROWSER is not None
    flags = ["--headless=new", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=8000", "--dump-dom"]
    done = subprocess.run([BROWSER, *flags, played.as_uri()], capture_output=True, text=True, timeout=120)
    dom = done.stdout
    assert re.search(r'data-ready="\d+"', dom), done.stderr[-500:]
    sections = re.findall(r'<section id="(\w+)">.*?<div class="body">(.*?)</section>', dom, re.DOTALL)
    assert len(sections) == 10 and all(len(body) > 60 for _, body in sections)
    assert dom.count("<polyline") + dom.count('fill="none" stroke=') > 5 and "missed" in dom and "NaN" not in dom
