"""A scripted reader works with Focus: it opens and closes at borders, and goes on with the instruction it noted."""

from __future__ import annotations

import pytest

from harness.contract import Brief, Call, Message
from harness.history import History
from strategies.focus import Focus
from tests.conformance.laws import kit
from tests.models.toy import PAINT, reader, request

STEPS = ("one", "one", "one", "two", "two", "three")


def told(step: int) -> str:
    return f"k{step}/v is v{step}.\ndo paint: x=join(k{min(step, 1)}/v, k{step}/v; joint=+) @{STEPS[step]}"


@pytest.mark.parametrize("place", ["system", "tail"])
def test_facts_of_closed_focuses_and_the_instruction_stay_known(place: str) -> None:
    """Each step asks for a fact told within the first focus, and for its own; instructions come in tool answers."""
    strategy, history, model = Focus(knowledge=place), History(), reader()  # type: ignore[arg-type]
    brief = Brief("You are an agent.", told(0), (PAINT,))
    strategy.reset(kit(), brief)
    history.begin(brief)
    calls: list[str] = []
    step = 0
    for turn in range(20):
        view = strategy.compose(history, 10_000)
        (said,) = model.complete(request(view, (PAINT, *strategy.tools))).message.calls
        call = Call(f"c{turn}", said.name, said.arguments)
        history.append(Message("", "assistant", "Calling.", (call,)))
        if call.name != "paint":
            calls.append(call.name)
            history.append(Message("", "tool", strategy.answer(call).content, answers=call.id, author="memory"))
            continue
        calls.append(call.arguments["x"])
        step += 1
        if step == len(STEPS):
            break
        history.append(Message("", "tool", told(step), answers=call.id))
    assert calls == [
        "start_focus", "v0+v0", "v1+v1", "v1+v2",
        "complete_focus", "start_focus", "v1+v3", "v1+v4",
        "complete_focus", "start_focus", "v1+v5",
    ]  # fmt: skip
    assert [message.id for message in view][1] == "m1" and "m5" not in [message.id for message in view]
