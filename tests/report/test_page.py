"""The HTML page of a sweep: its numbers, its diagnosis, and how it opens, is driven by keys, shrinks and prints."""

from __future__ import annotations

import asyncio
import base64
import json
import re
import subprocess
import sys
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from harness import incidence
from harness.report import frames
from harness.report.page import build, diagnosis, opening
from tests import browser
from tests.report.sweeps import Cell, Episode, many, sweep

needs_browser = pytest.mark.skipif(browser.find() is None, reason="no Chromium is installed: the page is not opened")
READY = "document.documentElement?.dataset.ready"
VIEWS = "document.querySelector('#sight .views').innerText"
HERE = "(e => e.dataset.arm ? 'arm ' + e.dataset.arm : e.id || e.className || e.tagName)(document.activeElement)"
OUTLINED = "getComputedStyle(document.activeElement).outlineStyle != 'none'"


def data(path: Path) -> dict[str, Any]:
    (found,) = re.findall(r'<script type="application/json" id="data">(.*?)</script>', path.read_text(), re.DOTALL)
    return dict(json.loads(found))


def test_the_headline_names_the_best_arm_within_the_budget(tmp_path: Path) -> None:
    scores = [(1.0, x) for x in (0.5, 0.6, 0.7, 0.8, 0.5, 0.6, 0.7, 0.8)]
    worse = [(1.0, x - 0.4) for _, x in scores]
    cells = [Cell("window", many(8, success=scores)), Cell("mask", many(8, success=worse))]
    (where, said), *_ = data(build.write(sweep(tmp_path, cells)))["headlines"]
    assert where == "Graph · 1,000 tokens · ideal reader · n = 8"
    assert said == "Success (simulated) at step 40: window leads with .65 (95 % .55–.75)."


def test_arms_that_are_not_apart_from_the_best_are_named_shortly(tmp_path: Path) -> None:
    scores = [(1.0, x) for x in (0.5, 0.6, 0.7, 0.8, 0.5, 0.6, 0.7, 0.8)]
    cells = [Cell(arm, many(8, success=scores)) for arm in ("window", "mask", "trim", "head", "pin")]
    (_, said), *_ = data(build.write(sweep(tmp_path, cells)))["headlines"]
    assert said.endswith("(95 % .55–.75); mask, trim and 2 more overlap.")


def test_no_headline_from_few_instances_or_many_missing_ones(tmp_path: Path) -> None:
    few = data(build.write(sweep(tmp_path / "few", [Cell("window", many(5))])))["headlines"]
    assert any(said == "No headline: n = 5 instances are under 8." for _, said in few)
    lost = many(12) | {f"i{n}": Episode(ending="infrastructure") for n in range(3)}
    thin = data(build.write(sweep(tmp_path / "thin", [Cell("window", lost)])))["headlines"]
    assert any("under 80% of the planned instances" in said for _, said in thin)


def test_data_cannot_end_its_own_element_and_nothing_is_fetched(tmp_path: Path) -> None:
    cells = [Cell("window", many(8), settings={"note": note}) for note in ("</script><b>", "x")]
    path = build.write(sweep(tmp_path, cells))
    assert "window note=</script><b>" in data(path)["arms"]
    assert not re.search(r'(src|href)="(http|//)', path.read_text()) and "@import" not in path.read_text()


def test_writes_over_an_unseen_version_are_diagnosed_and_revisions_are_not(tmp_path: Path) -> None:
    folder = sweep(tmp_path, [Cell("full", many(8)), Cell("shared_memory", many(8))])
    row = {"turn": 1, "step": 1, "event": "conflict", "messages": 1, "tokens": 1}
    noted = [{**row, "instance": f"i{n}", "trigger": of} for n in range(8) for of in ("bay_1", "newest wins")]
    pd.DataFrame(noted).to_parquet(next(folder.glob("shared_memory-*")) / "ledger.parquet")
    results = frames.load(folder)
    (line,) = diagnosis.table(results, pd.DataFrame(columns=["checkpoint", *frames.KEYS]), "full")
    assert (line["arm"], line["counter"], line["rise"], line["n"]) == ("shared_memory", "conflicts", 1.0, 8)


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


def test_curves_of_first_misses_are_those_of_the_comparison(played: Path) -> None:
    page = data(played)
    family = page["families"].index("graph")
    steps, arm = page["exits"]["steps"][str(family)], page["arms"].index("window")
    found = {page["exits"]["causes"][c[4]]: c[6] for c in page["exits"]["curves"] if c[0] == family and c[1] == arm}
    assert {0, 20, 40, 60, 80} <= set(steps) and found[incidence.MISSED][-1] > 0
    table = incidence.of_sweep(frames.load(played.parent), [20, 80])
    for row in table[table["arm"] == "window"].to_dict("records"):
        assert found[row["cause"]][steps.index(row["step"])] == pytest.approx(row["share"], abs=1e-4)


def test_what_a_browser_parses_at_once_does_not_grow_with_the_steps(played: Path) -> None:
    text = played.read_text()
    chunks = re.findall(r'id="chunk\d+">(.*?)<', text)
    packed = sum(map(len, chunks))
    assert len(chunks) == 8 and len(text) - packed < 200_000
    assert packed / (2 * 8 * 80) < 400  # bytes a step: 100,000 steps are under 40 MB, of which an instance is opened


# ---------------------------------------------------------------- in a browser


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with browser.browser(tmp_path_factory.mktemp("profile")) as found:
        yield found


@needs_browser
def test_the_page_opens_and_draws_every_section(played: Path, address: str) -> None:
    async def opened() -> str:
        async with browser.tab(address, played.as_uri()) as page:
            assert await page.until(READY) and not page.errors
            return str(await page.value("document.documentElement.outerHTML"))

    dom = asyncio.run(opened())
    sections = re.findall(r'<section id="(\w+)">.*?<div class="body">(.*?)</section>', dom, re.DOTALL)
    assert len(sections) == 11 and all(len(body) > 60 for _, body in sections)
    assert dom.count('fill="none" stroke=') > 6 and "missed" in dom and "NaN" not in dom and "undefined" not in dom
    assert dom.count("<") < 12_000  # elements, opening and closing tags: what is drawn at once is bounded


@needs_browser
def test_the_time_to_open_is_read_off_the_page(played: Path) -> None:
    found = opening.measure(played)
    assert found.seconds > 0 and 500 < found.elements < 6_000


@needs_browser
def test_keys_alone_reach_and_work_everything(played: Path, address: str) -> None:
    async def driven() -> list[str]:
        reached: list[str] = []
        async with browser.tab(address, played.as_uri()) as page:
            assert await page.until(READY)
            at = "+document.getElementById('at').textContent"
            for _ in range(80):
                await page.press("Tab")
                here = str(await page.value(HERE))
                reached.append(here)
                assert await page.value(OUTLINED), f"{here} does not show that it has the focus"
                if here == "axis":
                    await page.press("ArrowDown")
                    assert await page.until("document.querySelector('#curves svg').textContent.includes('turns')", 5)
                elif here == "theme":
                    await page.press("ArrowDown", 2)
                    assert await page.until("document.documentElement.dataset.theme == 'dark'", 5)
                elif here == "arm 0":
                    for shown in ("false", "true"):
                        await page.press(" ")
                        assert await page.value(f"{HERE} == 'arm 0' && document.activeElement.ariaPressed") == shown
                        arms = await page.value("document.querySelectorAll('#table tbody tr').length")
                        assert arms == (2 if shown == "true" else 1)
                elif here == "step":
                    await page.press("Home")
                    assert await page.value(at) == 1
                    await page.press("ArrowRight", 3)
                    assert await page.value(at) == 4
                elif here == "next":
                    await page.press("Enter")
                    assert await page.value(at) > 4 and "missed, lost" in await page.value(VIEWS)
                    break
        return reached

    reached = asyncio.run(driven())
    wanted = ["skip", "axis", "theme", "arm 0", "arm 1", "instance", "left", "right", "step", "prev", "next"]
    assert [here for here in reached if here in wanted] == wanted


@needs_browser
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_phone_never_scrolls_sideways_in_either_scheme(played: Path, address: str, scheme: str) -> None:
    phone: dict[str, object] = {"width": 390, "height": 844, "deviceScaleFactor": 2, "mobile": True}
    asked: dict[str, object] = {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
    before = (("Emulation.setDeviceMetricsOverride", phone), ("Emulation.setEmulatedMedia", asked))

    async def seen() -> tuple[int, int]:
        async with browser.tab(address, played.as_uri(), *before) as page:
            assert await page.until(READY)
            wide = await page.value("Math.max(document.documentElement.scrollWidth, document.body.scrollWidth)")
            paper = await page.value("getComputedStyle(document.body).backgroundColor")
            return int(wide), sum(map(int, re.findall(r"\d+", str(paper))[:3]))

    wide, light = asyncio.run(seen())
    assert wide <= 390
    assert (light > 600) == (scheme == "light")


@needs_browser
def test_it_prints_on_white_whatever_the_theme(played: Path, address: str) -> None:
    async def printed() -> tuple[bytes, str]:
        async with browser.tab(address, played.as_uri()) as page:
            assert await page.until(READY)
            await page.value("document.documentElement.dataset.theme = 'dark'")
            made = await page.call("Page.printToPDF", printBackground=True)
            await page.call("Emulation.setEmulatedMedia", media="print")
            paper = await page.value("getComputedStyle(document.body).backgroundColor")
            return base64.b64decode(made["data"]), str(paper)

    made, paper = asyncio.run(printed())
    assert made.startswith(b"%PDF") and 1 <= len(re.findall(rb"/Type\s*/Page\b", made)) <= 12
    assert paper == "rgb(255, 255, 255)"
