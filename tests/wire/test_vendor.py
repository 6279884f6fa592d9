"""Servers that manage the context: what is asked of them, what they did, and that their reports keep the budget."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hydra.utils import instantiate
from omegaconf import OmegaConf

from harness.parts import SettingsError, _check_vendor
from harness.record import load
from tests.machine.toy import ACT, BRIEF, LIMITS, OPEN, Stage, answered, finished, play
from tests.wire.server import Brain, Server, running
from tests.wire.test_adapters import model

CONF = Path(__file__).parents[2] / "conf" / "strategy"
ARMS = {"anthropic_clear_tool_uses": "messages", "anthropic_compaction": "messages", "openai_compaction": "responses"}


def strategy(name: str, **changed: Any) -> Any:
    return instantiate(OmegaConf.load(CONF / f"{name}.yaml"), **changed)


def long(reply: Any) -> Any:
    turn = answered(reply)
    return type(turn)(tuple(type(m)(m.id, m.role, "word " * 300, answers=m.answers) for m in turn.messages))


def run(name: str, tmp_path: Path, budget: int, turns: int = 12, **changed: Any) -> tuple[Any, Server]:
    assert ACT in BRIEF.tools
    server = Server(Brain(lambda n: ("go", (("act", '{"value": "v"}'),), "stop")))
    with running(server) as url:
        play(
            tmp_path / "e.jsonl",
            Stage(OPEN, *[long] * turns, finished),
            model(ARMS[name], url),
            lambda: strategy(name, **changed),
            budget=budget,
            limits=LIMITS,
        )
    return load(tmp_path / "e.jsonl"), server


@pytest.mark.parametrize("name", ARMS)
def test_the_server_acts_and_says_so_and_the_episode_goes_on(name: str, tmp_path: Path) -> None:
    record, server = run(name, tmp_path, budget=2500)
    assert record.ending == "completed"
    events = [trigger for turn in record.turns for kind, trigger, _ in turn.noted if kind == "server"]
    assert events and all(turn.usage.input is not None and turn.usage.input <= 2500 for turn in record.turns)
    history = sum(sum(segment.tokens) for segment in record.segments)
    assert history > 2500  # the whole history would not have fitted
    assert record.tokens < sum(t.tokens + t.overhead + t.output for t in record.turns)  # counted as reported
    assert ("cleared_tool_uses" in events[0]) == (name == "anthropic_clear_tool_uses")
    if name == "openai_compaction":
        assert json.dumps(server.log.bodies[-1]).count('"packed"') == len(events)
    if name == "anthropic_compaction":
        assert json.dumps(server.log.bodies[-1]).count('"compaction"') == len(events)


def test_the_documented_fields_are_sent_with_the_beta_header(tmp_path: Path) -> None:
    _, server = run("anthropic_clear_tool_uses", tmp_path, budget=2500, exclude=["look"])
    assert server.log.bodies[0]["context_management"] == {
        "edits": [
            {
                "type": "clear_tool_uses_20250919",
                "trigger": {"type": "input_tokens", "value": 2000},
                "keep": {"type": "tool_uses", "value": 3},
                "clear_at_least": {"type": "input_tokens", "value": 250},
                "exclude_tools": ["look"],
                "clear_tool_inputs": False,
            }
        ]
    }
    headers = {name.lower(): value for name, value in server.log.headers[0].items()}
    assert headers["anthropic-beta"] == "context-management-2025-06-27" and "betas" not in server.log.bodies[0]


def test_a_report_over_the_budget_ends_the_episode(tmp_path: Path) -> None:
    record, _ = run("anthropic_clear_tool_uses", tmp_path, budget=2500, trigger=1.0, keep=99)
    assert record.ending == "context_overflow" and "the server reports" in record.reason


def test_another_provider_is_refused_before_the_run() -> None:
    class Source:
        provider = "openai"

    with pytest.raises(SettingsError, match="servers of anthropic, and the model is not theirs: set model=anthropic"):
        _check_vendor(strategy("anthropic_compaction"), Source())  # type: ignore[arg-type]
    _check_vendor(strategy("openai_compaction"), Source())  # type: ignore[arg-type]
