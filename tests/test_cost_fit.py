"""The fit of a provider's cache: it finds what made the data, and holds on recorded runs that it did not see."""

from __future__ import annotations

import json
import os
import random
from pathlib import Path
from typing import Any

import pytest
import yaml

from harness.cost import evidence, usage_log
from harness.cost.estimate import expected, lifetime
from harness.cost.fit import Fit, fit, lines, main
from harness.cost.prices import Cache, named
from harness.cost.usage_log import Call, Run, grown

DATA = Path(os.environ.get("LONGHAUL_DATA", Path(__file__).parents[2] / "shared" / "data" / "trajectories"))
needs_data = pytest.mark.skipif(not DATA.is_dir(), reason=f"no recorded runs at {DATA} (LONGHAUL_DATA)")


# ---------------------------------------------------------------- what a provider reported


def test_cached_tokens_stand_inside_the_input_or_beside_it() -> None:
    inside = {"prompt_tokens": 1000, "completion_tokens": 7, "prompt_tokens_details": {"cached_tokens": 900}}
    beside = {"input_tokens": 60, "cache_read_input_tokens": 900, "cache_creation_input_tokens": 40, "output_tokens": 7}
    for usage in (inside, beside):
        (call,) = usage_log.run("r", [{"extra": {"response": {"created": 5, "usage": usage}}}]).calls
        assert call == Call(1000, 900, 7, 5.0)


def test_a_missing_count_is_no_zero(tmp_path: Path) -> None:
    silent = {"messages": [{"response": {"usage": {"prompt_tokens": 1000, "completion_tokens": 7}}}]}
    assert usage_log.run("r", silent).calls == ()
    (tmp_path / "a.json").write_text(json.dumps(silent))
    with pytest.raises(ValueError, match="no call in these files reports its cached tokens"):
        usage_log.load(tmp_path)


def test_requests_share_what_was_there_and_lose_pieces_when_they_shrink() -> None:
    assert list(grown([10, 15, 12, 12])) == [
        (("1", 10),), (("1", 10), ("2", 5)), (("1", 10), ("3", 2)), (("1", 10), ("3", 2)),
    ]  # fmt: skip


# ---------------------------------------------------------------- made runs


def made(cache: Cache, runs: int = 6, calls: int = 30, seed: int = 0) -> list[Run]:
    """Runs whose cached tokens a cache of this kind gave, each call routed by lot."""
    luck, found = random.Random(seed), []
    for number in range(runs):
        inputs, servers = [0], dict[int, list[int]]()
        for _ in range(calls):
            inputs.append(inputs[-1] + luck.randint(200, 1500))
        rows = []
        for turn, tokens in enumerate(inputs[1:]):
            server = 0 if luck.random() >= cache.stray else luck.randint(1, cache.servers)
            there = max(servers.setdefault(server, []), default=0)
            read = 0 if luck.random() < cache.miss else there // cache.block * cache.block
            rows.append(Call(tokens, read, 5, 4.0 * turn))
            servers[server].append(tokens)
        found.append(Run(f"r{number}", tuple(rows), tuple(grown(inputs[1:]))))
    return found


def test_the_fit_finds_the_cache_that_made_the_data() -> None:
    runs = made(Cache(block=1024, stray=0.2, servers=2, miss=0.05))
    found = fit(runs)
    assert found.cache.block == 1024
    assert 0.1 <= found.cache.stray <= 0.3 and found.cache.miss <= 0.12
    assert abs(found.left_out.pooled - found.reported) < 0.03 < found.ideal.pooled - found.reported
    assert found.left_out.rmse < found.constant.rmse and found.left_out.mae < found.constant.mae
    assert (found.cache.lifetime, found.survived) == (None, 4.0)
    told = "\n".join(lines(found, runs))
    assert "6 runs, 180 calls" in told and "block 1,024 tokens" in told


def test_a_perfect_cache_is_fitted_without_misses() -> None:
    found = fit(made(Cache(block=128), runs=3, calls=12))
    assert (found.cache.block, found.cache.stray, found.cache.miss) == (128, 0.0, 0.0)
    assert found.left_out.rmse < 0.001


def test_a_lifetime_is_found_only_where_a_pause_was_longer() -> None:
    calls = [Call(1000, 0, 5, 0.0), Call(2000, 1000, 5, 100.0), Call(3000, 0, 5, 500.0), Call(4000, 3000, 5, 600.0)]
    pieces = tuple(grown([call.input for call in calls]))
    assert lifetime(Cache(), [Run("r", tuple(calls), pieces)]) == (100.0, 100.0)
    steady = Run("r", tuple(calls[:2]), pieces[:2])
    assert lifetime(Cache(), [steady]) == (None, 100.0)


def test_the_gap_to_the_ideal_is_taken_apart() -> None:
    inputs, read = [1500, 2500, 3500, 4500], [0, 1000, 1000, 0]
    calls = tuple(Call(tokens, cached, 5, None) for tokens, cached in zip(inputs, read, strict=True))
    found = evidence.gap([Run("r", calls, tuple(grown(inputs)))], 1000)
    assert (found.first, found.fresh) == (1500 / 12000, 3000 / 12000)
    assert found.ideal == 7500 / 12000 and found.read == 2000 / 12000
    assert (found.rounding, found.partial, found.whole) == (1500 / 12000, 1000 / 12000, 3000 / 12000)
    assert (found.short, found.beyond) == (0, 0)
    assert found.states == {"first": 1, "full": 1, "partial": 1, "whole": 1}


def test_a_fit_is_written_into_its_price_list(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for run in made(Cache(block=512, stray=0.1), runs=3, calls=12):
        usages = [
            {"usage": {"prompt_tokens": c.input, "prompt_tokens_details": {"cached_tokens": c.cached}}, "created": c.at}
            for c in run.calls
        ]
        (tmp_path / f"{run.name}.json").write_text(json.dumps(usages))
    target = tmp_path / "mine.yaml"
    head = "name: M\nas_of: '2026-01-01'\ninput: 1.0\ncache_read: 0.1\noutput: 2.0\n"
    target.write_text(f"{head}cache: {{}}\n")
    main([str(tmp_path), "--write", str(target)])
    main([str(tmp_path), "--write", str(target)])  # again: it replaces what it wrote
    assert "runs left out" in capsys.readouterr().out
    written: dict[str, Any] = yaml.safe_load(target.read_text())
    assert target.read_text().startswith(head) and written["fit"]["calls"] == 36
    prices = named(str(target))
    assert prices is not None and prices.cache.block == written["cache"]["block"]
    assert 500 <= prices.cache.block <= 524


# ---------------------------------------------------------------- the recorded runs


@pytest.fixture(scope="module")
def recorded() -> tuple[list[Run], Fit]:
    runs = usage_log.load(DATA)
    return runs, fit(runs)


@needs_data
def test_the_fit_holds_on_recorded_runs_that_it_did_not_see(recorded: tuple[list[Run], Fit]) -> None:
    runs, found = recorded
    assert len(runs) == 16 and found.calls == 921
    assert abs(found.left_out.pooled - found.reported) < 0.03
    assert found.ideal.pooled - found.reported == pytest.approx(0.10, abs=0.01)
    assert found.left_out.rmse < found.constant.rmse and found.left_out.mae < found.constant.mae


@needs_data
def test_the_price_list_holds_the_fit_and_the_prices_of_the_recorded_bills(recorded: tuple[list[Run], Fit]) -> None:
    runs, found = recorded
    prices = named("gemini_3_pro_preview")
    assert prices is not None and prices.cache == found.cache
    calls = [call for run in runs for call in run.calls]
    for call in calls:
        plain = (call.input - call.cached) * prices.input
        told = (plain + call.cached * prices.cache_read + call.output * prices.output) / 1e6
        assert call.billed == pytest.approx(told, abs=1e-9)
    served = sum(float(expected(prices.cache, run).sum()) for run in runs)
    assert served / sum(call.input for call in calls) == pytest.approx(0.867, abs=0.01)
