"""The laws of every strategy, for settings that its file does not open."""

from __future__ import annotations

import copy
from functools import partial
from typing import Any

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from strategies.placeholder_eviction import PlaceholderEviction
from tests.conformance import laws
from tests.conformance.scripts import FIXTURES, Script, scripts

SETTINGS: tuple[dict[str, Any], ...] = (
    {"policy": "lru", "style": "id", "line_share": 0.05, "search": "off"},
    {"policy": "safe", "part_steps": 1, "prefetch": 2, "hot": 1},
    {"policy": "utility", "edges": ["use", "model"], "ask_every": 1, "prefetch": 1, "prefetch_when": "beside"},
    {"retrieve": False, "false_edges": 0.5, "missed_edges": 0.5, "verify": False, "low_water": 0.4, "owners": 0},
)
EVERY = pytest.mark.parametrize("changed", SETTINGS, ids=lambda changed: next(iter(changed.values())))


def maker(changed: dict[str, Any]) -> laws.Make:
    return partial(copy.deepcopy, PlaceholderEviction(**changed))


@EVERY
def test_fixtures(changed: dict[str, Any]) -> None:
    for script in FIXTURES.values():
        for law in laws.ALL:
            law(maker(changed), script, laws.whole(script) // 3)


@EVERY
@settings(max_examples=4, deadline=None, derandomize=True, phases=(Phase.generate, Phase.shrink))
@given(script=scripts(), share=st.floats(0, 1.1))
def test_drawn_histories(changed: dict[str, Any], script: Script, share: float) -> None:
    for law in laws.ALL:
        law(maker(changed), script, int(share * laws.whole(script)))
