"""Every strategy file in conf/strategy keeps every law."""

from __future__ import annotations

import copy
import inspect
import random
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hydra.utils import get_class, instantiate
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from omegaconf import OmegaConf

from harness.contract import Strategy
from harness.tokens import Tiktoken
from tests.conformance import laws
from tests.conformance.scripts import FIXTURES, Script, rounds, scripts

FILES = sorted((Path(__file__).parents[2] / "conf" / "strategy").glob("*.yaml"))
EVERY = pytest.mark.parametrize("name", [file.stem for file in FILES])
BATCHED = ("window", "trim", "head", "head_tail", "mask")


def config(name: str) -> Any:
    return OmegaConf.load(next(file for file in FILES if file.stem == name))


def make(name: str, **changed: Any) -> Strategy:
    built: Strategy = instantiate(config(name), **changed)
    return built


def maker(name: str, changed: dict[str, Any]) -> laws.Make:
    """Builds from the file once: constructors only store, so a deep copy of an unused instance is a new instance."""
    return partial(copy.deepcopy, make(name, **changed))


def is_preset(name: str) -> bool:
    """Whether the file has other settings for the class of another file, as `trim` has for that of `window`: the
    branches of a class are played once."""
    own = config(name)["_target_"]
    return own.split(".")[1] != name and any(file.stem == own.split(".")[1] for file in FILES)


def variants(name: str) -> list[dict[str, Any]]:
    """The file's own settings, and each other branch that its keys open."""
    keys = set(config(name))
    found: list[dict[str, Any]] = [{}]
    if is_preset(name):
        return found
    if "low_water" in keys:
        found += [{"low_water": 0.5}, {"overflow": "error"}]
    if "pin_user" in keys:
        found += [{"pin_user": True, "low_water": 0.7}]
    if "unit" in keys:
        found += [{"unit": "turns", "turns": 3}, {"unit": "turns", "turns": 4, "low_water": 0.5, "pin_user": True}]
    if name == "mask":
        found += [{"turns": 2}, {"turns": 4, "low_water": 0.5}]
    if name == "regex":
        found += [{"newest": 3}]
    if "summary_share" in keys:
        often = {"trigger": "steps", "steps": 1, "keep_turns": 1, "turns": 1, "summary_share": 0.5}
        found += [{key: value for key, value in often.items() if key in keys}]
    return found


@EVERY
@pytest.mark.parametrize("law", laws.ALL, ids=lambda law: law.__name__)
def test_fixtures(name: str, law: laws.Law) -> None:
    for changed in variants(name):
        build = maker(name, changed)
        for script in FIXTURES.values():
            full = laws.whole(script)
            for budget in (12, full // 4, full // 2, full - 1):
                law(build, script, budget)


@EVERY
def test_every_budget(name: str) -> None:
    for changed in variants(name):
        build = maker(name, changed)
        for script in (FIXTURES["cuts"], FIXTURES["parallel"]):
            for budget in range(laws.whole(script) + 2):
                laws.views_hold(build, script, budget)


@EVERY
@settings(max_examples=20, deadline=None, derandomize=True, phases=(Phase.generate, Phase.shrink))
@given(script=scripts(), share=st.floats(0, 1.1), pick=st.integers(0, 9))
def test_drawn_histories(name: str, script: Script, share: float, pick: int) -> None:
    choices = variants(name)
    build = maker(name, choices[pick % len(choices)])
    budget = int(share * laws.whole(script))
    for law in laws.ALL:
        law(build, script, budget)


@EVERY
def test_a_real_tokenizer_and_text_like_control_tokens(name: str) -> None:
    tokenizer = Tiktoken("o200k_base")
    for script in FIXTURES.values():
        full = laws.whole(script, tokenizer)
        for budget in (full // 4, full // 2, full):
            laws.views_hold(maker(name, {}), script, budget, tokenizer)


@EVERY
def test_settings_are_the_constructor_s_arguments(name: str) -> None:
    given_keys = {key: value for key, value in config(name).items() if key != "_target_"}
    target = get_class(config(name)._target_)
    assert set(given_keys) == set(inspect.signature(target).parameters)
    built = make(name)
    assert {key: getattr(built, key) for key in given_keys} == given_keys
    assert "low_water" not in given_keys or "overflow" in given_keys


@pytest.mark.parametrize("name", BATCHED)
def test_low_water_evicts_in_batches(name: str) -> None:
    script = Script("task", ((), *rounds(40)))
    budget = laws.whole(script) // 2

    def evictions(low_water: float) -> int:
        return sum(bool(turn.events) for turn in laws.play(make(name, low_water=low_water), script, budget))

    assert evictions(1.0) >= 15
    assert evictions(0.5) <= evictions(1.0) // 3


def test_no_strategy_draws_from_a_shared_source() -> None:
    random.seed(3)
    before = random.getstate()
    for file in FILES:
        laws.same_seed_same_view(maker(file.stem, {}), FIXTURES["amended"], 60)
    assert random.getstate() == before
