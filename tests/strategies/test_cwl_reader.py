"""A scripted reader brackets its subtasks into explorations, and knows what it described when they are gone."""

from __future__ import annotations

from harness.contract import Brief, Call, Message
from harness.history import History
from strategies.cwl import Cwl
from tests.conformance.laws import kit
from tests.models.toy import PAINT, reader, request

STEPS = ("one", "one", "one", "two", "two", "three", "three", "one")


def told(step: int) -> str:
    """A fact of its own, a question for that of the first step, and filler."""
    return f"k{step}/v is v{step}.\n{'word ' * 60}\ndo paint: x=join(k0/v, k{step}/v; joint=+) @{STEPS[step]}"


def played(budget: int) -> tuple[list[str], list[str], list[str]]:
    """The calls of an episode, the answers of the delimiter, and the ids of the last view."""
    strategy, history, model = Cwl(), History(), reader()
    brief = Brief("You are an agent.", "Paint.", (PAINT,))
    strategy.reset(kit(), brief)
    history.begin(brief)
    history.append(Message("", "user", told(0)))
    calls: list[str] = []
    answers: list[str] = []
    step = 0
    while step < len(STEPS):
        view = strategy.compose(history, budget)
        (said,) = model.complete(request(view, (PAINT, *strategy.tools))).message.calls
        call = Call(f"c{len(calls)}", said.name, said.arguments)
        history.append(Message("", "assistant", "Calling.", (call,)))
        if call.name == "paint":
            calls.append(call.arguments["x"])
            step += 1
            if step < len(STEPS):
                history.append(Message("", "tool", told(step), answers=call.id))
        else:
            calls.append(call.name)
            answers.append(strategy.answer(call).content)
            history.append(Message("", "tool", answers[-1], answers=call.id, author="memory"))
    return calls, answers, [message.id for message in view]


def test_what_was_described_stays_known_when_the_episode_is_gone() -> None:
    for budget in (10_000, 700):
        calls, answers, view = played(budget)
        assert calls == [
            "delimiter_start", "v0+v0", "v0+v1", "v0+v2",
            "delimiter_end", "delimiter_start", "v0+v3", "v0+v4",
            "delimiter_end", "delimiter_start", "v0+v5", "v0+v6",
            "delimiter_end", "delimiter_start", "v0+v7",
        ]  # fmt: skip
        assert not any(answer.startswith("error") for answer in answers)
    assert [name for name in view if name.startswith("cwl:learned")] and "m7" not in view


def test_names_are_new_though_two_subtasks_are_called_alike() -> None:
    _, answers, _ = played(10_000)
    started = [answer for answer in answers if answer.startswith("start")]
    assert [answer.split()[2] for answer in started] == ["one", "two", "three", "one"]
    assert len(set(started)) == 4
