"""The seed document's own sample run, at its budget of 500 tokens, and the faults of its code.

Goal: a script that fetches, filters and saves; step 1 brings a key, step 2 code that uses it, steps 3 to 9 logs, step
10 needs the code of step 2 and with it the key.
"""

from __future__ import annotations

import pytest

from harness.contract import Message
from harness.tokens import Characters
from strategies.structured.policies import POLICIES
from tests.strategies import structured_runs
from tests.strategies.structured_runs import Run, lines, strategy

GOAL = (
    "Write a Python script that gets JSON from https://api.example.com/data, keeps the items whose status is active, "
    "and saves them to active_items.json."
)
KEY = "sk_live_1234567890abcdef"
CODE = (
    "import requests\ndef fetch_data(api_key):\n    url = 'https://api.example.com/data'\n"
    "    headers = {'Authorization': f'Bearer {api_key}'}\n    return requests.get(url, headers=headers).json()\n"
)
LOG = "12:00:00 INFO intermediate log of step {0}, of little importance, kept here for completeness. " * 3


@pytest.fixture
def sample(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Run:
    """The run up to step 10, with a view at each step; the key comes as a user's message."""
    monkeypatch.setattr(structured_runs, "TASK", GOAL)
    run = Run(500, strategy(**getattr(request, "param", {})))
    run.user(f"The API key is {KEY}.")
    seen = [run.view()]
    run.act(f"write fetch.py for {KEY}", CODE)
    seen.append(run.view())
    for step in range(3, 11):
        run.act(f"run step {step}", LOG.format(step))
        seen.append(run.view())
    assert all(view[1].content == GOAL for view in seen)
    assert all(run.kit.count(view) <= 500 for view in seen)
    return run


EVERY = pytest.mark.parametrize("sample", [{"policy": policy} for policy in POLICIES], indirect=True)


def obtainable(run: Run, text: str) -> bool:
    """Whether it stands in the view, or handles lead to it: one of the view's, or of what such a one lists."""
    view = run.view()
    if any(text in message.content for message in view):
        return True
    waiting = [call for message in view for call in run.strategy.calls_in(message.content)]
    while waiting:
        told = run.strategy.answer(waiting.pop()).content
        run.view()  # what an answer may take is granted anew
        if text in told:
            return True
        waiting += run.strategy.calls_in(told)
    return False


@EVERY
def test_the_goal_stays_word_for_word_and_the_key_of_step_1_can_be_had_at_step_10(sample: Run) -> None:
    assert sample.noted("evict") or sample.noted("overflow")
    assert obtainable(sample, KEY)
    assert obtainable(sample, "return requests.get(url, headers=headers).json()")


def test_a_credential_is_not_evictable_while_the_core_has_room(sample: Run) -> None:
    assert any(KEY in m.content and not m.sources for m in sample.view())


@EVERY
def test_the_tokens_of_lines_are_counted_with_the_real_tokenizer(sample: Run) -> None:
    view = sample.view()
    said = sum(Characters().text(m.content) for m in view)
    assert lines(view)
    assert said <= sample.kit.count(view) <= 500


@EVERY
def test_what_is_evicted_reaches_the_store(sample: Run) -> None:
    shown = {message.id for message in sample.view()}
    gone = [message.content for message in sample.history if message.role == "tool" and message.id not in shown]
    stored = [message.content for message in sample.strategy.find("")]
    assert gone
    assert all(any(text in told for told in stored) for text in gone)


def test_a_dependent_is_cleared_when_it_is_finished_and_new_nodes_are_not_safe() -> None:
    run = Run(500, strategy(policy="safe", part_steps=3))
    run.view()
    run.act("look", f"the key is {KEY}")
    run.view()
    run.act(f"use {KEY}", "used")
    run.view()
    graph = run.strategy._parts.graph
    assert not any(graph.waited_for(node) for node in range(len(run.history)))
    assert not run.noted("evict")


def test_a_message_made_by_the_strategy_is_never_taken_for_the_history_s(sample: Run) -> None:
    made = [m for m in sample.view() if m.sources]
    assert made and all(isinstance(m, Message) and not m.id.startswith("m") for m in made)
