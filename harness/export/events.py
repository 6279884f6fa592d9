"""The turns of a record as Inspect's events: own calls of the strategy, what it did to the view, the model, the tools.

Times are the start of the record plus the seconds of its clock, simulated or real; without a clock all are the start.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, Literal

from inspect_ai.event import CompactionEvent, Event, InfoEvent, ModelEvent, ToolEvent
from inspect_ai.model import ChatCompletionChoice, ChatMessageAssistant, GenerateConfig, ModelOutput, ModelUsage
from inspect_ai.model import StopReason as Stop

from harness.contract import Usage
from harness.export.messages import Chat, arguments
from harness.record import Ask, Record, TurnRow

ROLE = "compactor"
STOPS: Mapping[str, Stop] = {"stop": "stop", "length": "max_tokens", "tool_calls": "tool_calls"}


def events(
    record: Record, rows: Sequence[Mapping[str, Any]], ledger: Mapping[int, Sequence[Mapping[str, Any]]], chat: Chat,
    model: str, start: datetime,
) -> Iterator[Event]:  # fmt: skip
    """rows: those that the record was parsed from. ledger: the rows of ledger.parquet by turn, missing values None."""
    texts = [row["reply"] for row in rows if row["row"] in ("ask", "later", "arrived") and "tokens" in row]
    asks = list(zip(record.asks, texts, strict=True))
    finishes = [row["reply"]["finish"] for row in rows if row["row"] == "turn"]
    passed = 0.0
    for number, turn in enumerate(record.turns):
        at: dict[str, Any] = {"timestamp": start + timedelta(seconds=passed), "working_start": passed}
        for ask, reply in asks:
            if ask.turn == turn.n:
                yield _asked(ask, reply, at)
        view = chat.view(number)
        for row in ledger.get(turn.n, ()):
            yield from _changed(row, turn, at)
        wait, took = turn.time or (0.0, 0.0)
        at = {"timestamp": start + timedelta(seconds=passed + wait), "working_start": passed + wait}
        finish = STOPS.get(finishes[number], "unknown")
        output = _output(model, chat.reply(number), finish, usage(turn))
        yield ModelEvent(
            model=model, input=view, tools=[], tool_choice="auto", config=GenerateConfig(), output=output,
            metadata={"turn": turn.n, "step": turn.step, "planned": turn.tokens + turn.overhead},
            working_time=took, **at,
        )  # fmt: skip
        passed += wait + took
        yield from _tools(record, turn, start, passed)
        passed += turn.seconds


def usage(turn: TurnRow) -> ModelUsage:
    """What the provider reported, else what was planned. Inspect counts cached tokens apart from the input."""
    return _usage(turn.usage, turn.tokens + turn.overhead, turn.output)


def asked(ask: Ask) -> ModelUsage:
    """The same of a call of the strategy's own model."""
    output = ask.output or 0
    return _usage(ask.usage, ask.tokens - output, output)


def _usage(reported: Usage, planned: int, output: int) -> ModelUsage:
    input = planned if reported.input is None else reported.input
    output = output if reported.output is None else reported.output
    read, write = reported.cache_read, reported.cache_write
    return ModelUsage(
        input_tokens=input - (read or 0) - (write or 0), output_tokens=output, total_tokens=input + output,
        input_tokens_cache_read=read, input_tokens_cache_write=write,
    )  # fmt: skip


def _output(model: str, message: ChatMessageAssistant, finish: Stop, used: ModelUsage) -> ModelOutput:
    choice = ChatCompletionChoice(message=message, stop_reason=finish)
    return ModelOutput(model=model, choices=[choice], completion=message.text, usage=used)


def _asked(ask: Ask, reply: Mapping[str, Any], at: Mapping[str, Any]) -> ModelEvent:
    message = ChatMessageAssistant(content=reply["message"]["content"], model=ROLE)
    output = _output(ROLE, message, STOPS.get(reply["finish"], "unknown"), asked(ask))
    return ModelEvent(
        model=ROLE, role=ROLE, input=[], tools=[], tool_choice="none", config=GenerateConfig(), output=output,
        metadata={"turn": ask.turn, "input": "the record keeps digests of its pieces, not their text"},
        working_time=ask.seconds, **at,
    )  # fmt: skip


def _changed(row: Mapping[str, Any], turn: TurnRow, at: Mapping[str, Any]) -> Iterator[Event]:
    """A row of the ledger; the one that carries the change of the view is a compaction."""
    known = {key: value for key, value in row.items() if value is not None}
    if row.get("version") is None:
        yield InfoEvent(source="longhaul", data=known, **at)
        return
    before, after = row["before"], row["after"]
    yield CompactionEvent(
        type=_kind(turn), tokens_before=before, tokens_after=after, source="longhaul", metadata=known, **at
    )


def _kind(turn: TurnRow) -> Literal["summary", "edit", "trim"]:
    """trim: nothing was written in place of what left. edit: answers were replaced. summary: any other text."""
    if not turn.made:
        return "trim"
    return "edit" if all(message.answers for message in turn.made) else "summary"


def _tools(record: Record, turn: TurnRow, start: datetime, passed: float) -> Iterator[ToolEvent]:
    """The calls that were answered; those of an episode that ended before are in the model's event alone."""
    messages = record.segments[turn.segment].messages
    answers: dict[str, str] = {}
    for message in messages[turn.length + 1 :]:
        if message.role == "assistant":
            break
        if message.answers is not None:
            answers[message.answers] = message.content
    at = start + timedelta(seconds=passed)
    for call in messages[turn.length].calls:
        if call.id in answers:
            yield ToolEvent(
                id=call.id, function=call.name, arguments=arguments(call.arguments), result=answers[call.id],
                timestamp=at, completed=at + timedelta(seconds=turn.seconds), working_start=passed,
                working_time=turn.seconds, metadata={"turn": turn.n},
            )  # fmt: skip
