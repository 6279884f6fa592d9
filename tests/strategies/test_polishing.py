"""Idle time: old entries of a summary are written anew from their originals, and never in the way of what is due."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from harness.clock import Rates
from harness.contract import Message, Reply, Request
from harness.cost.money import priced
from harness.cost.prices import Prices, Tariff
from harness.cost.sent import sent
from harness.models.extractive import Extractive
from harness.record import load
from harness.tokens import Characters
from strategies.background_summary import BackgroundSummary
from strategies.compaction.layers import Entry, Layers
from strategies.compaction.polishing import Polish
from tests.machine.toy import ClerkReader, Desk, play
from tests.strategies.compactors import compactor, said
from tests.strategies.test_background_summary import BUDGET, LONG, Air, begun


def played(turns: int = 24, late: int = 1, answer: Mapping[bool, str] | None = None, **settings: Any) -> Any:
    """Air, events and views of a run. Calls are answered a turn after they were made, the better compactor's `late`."""
    air = Air()
    strategy, kit = begun(air, **{"share": 0.5, "polish": True, **settings})
    history, asked, events, views = LONG.start(), dict[int, int](), list[Any](), list[Any]()
    for turn in range(turns):
        for ticket in air.open:
            if turn - asked.setdefault(ticket, turn) >= (late if air.requests[ticket].better else 1):
                told = (answer or {}).get(air.requests[ticket].better)
                air.finish(ticket)
                if told is not None:
                    air.replies[ticket] = said(told)
        LONG.append(history, turn)
        views.append(strategy.compose(history, BUDGET))
        events += [(event.kind, event.detail["trigger"]) for event in kit.drain()]
    return air, events, views


def test_in_idle_time_an_entry_is_written_anew_from_its_originals_and_only_if_it_is_on() -> None:
    air, events, _ = played()
    again = [request for request in air.requests if request.better]
    assert again and ("submit", "idle, all levels") in events
    assert any(kind == "landed" and told.startswith("idle") for kind, told in events)
    originals = [message.content for message in LONG.turns[1] if message.content]
    assert any(all(text in request.view[-1].content for text in originals) for request in again)
    off, _, _ = played(polish=False)
    assert off.requests and not any(request.better for request in off.requests)


def test_what_the_better_compactor_says_takes_the_place_of_the_entry_at_its_size() -> None:
    _, _, views = played(answer={True: "anew"})
    summaries = [message for view in views for message in view if message.sources]
    assert any("anew" in message.content for message in summaries)
    _, events, kept = played(answer={True: "too long " * 500})
    assert ("refused", "too long") in events
    assert not any("too long" in message.content for view in kept for message in view if message.sources)


def test_what_is_due_goes_first_and_the_answer_in_the_way_is_billed_and_dropped() -> None:
    _, events, _ = played(late=9, answer={True: "anew"})
    assert ("stale", "idle") in events
    place = events.index(("stale", "idle"))
    assert events[place + 1][0] == "submit" and not events[place + 1][1].startswith("idle")


def test_each_entry_once_and_none_that_was_not_longer_than_its_summary() -> None:
    made, _ = compactor()
    history = {f"m{n}": Message(f"m{n}", "tool", f"row {n}: " + "word " * 20) for n in range(4)}
    entries = ((Entry("b is short", ("m2", "m3"), 1),), (Entry("a is short", ("m0", "m1"), 0),))
    layers, polish = Layers(("fragment", "session"), entries), Polish()
    first = polish.next(layers, history, made)
    assert first is not None and (first.level, first.place) == (1, 0)  # the coarsest level, the oldest entry
    stage = polish.stage(layers, first, made)
    (request,) = next(stage)
    assert request.better and request.max_output == len("a is short")
    try:
        stage.send([said("a anew")])
    except StopIteration as end:
        layers = end.value
    assert layers.entries[1][0].text == "a anew"
    second = polish.next(layers, history, made)
    assert second is not None and second.level == 0
    polish = Polish([*polish.plain(), "b is short"])
    assert polish.next(layers, history, made) is None
    assert Polish().next(Layers(("fragment",), ((Entry("long " * 60, ("m0",), 0),),)), history, made) is None
    assert Polish().next(layers, {}, made) is None  # of another session: not there to be read again


@dataclass
class Noted:
    requests: list[Request] = field(default_factory=list)

    def complete(self, request: Request) -> Reply:
        self.requests.append(request)
        return Extractive(Characters()).complete(request)


def test_the_better_model_is_asked_recorded_and_priced_apart(tmp_path: Path) -> None:
    light, better, path = Noted(), Noted(), tmp_path / "e.jsonl"

    def strategy() -> BackgroundSummary:
        return BackgroundSummary(levels=["fragment"], keep_turns=1, share=0.3, low_water=0.1, polish=True)

    tasks = Desk(40)
    environment = tasks.open(tasks.instances()[0], 0)
    own = {"compactor": light, "better": better, "clock": Rates(overhead=0.0), "budget": 900}
    play(path, environment, ClerkReader(), strategy, **own)
    record = load(path)
    assert better.requests and all(request.better for request in better.requests)
    assert not any(request.better for request in light.requests)
    assert sum(ask.better for ask in record.asks) == len(better.requests)
    cheap, dear = (Prices(name, "2026-01-01", cost, cost, cost) for name, cost in (("cheap", 1.0), ("dear", 100.0)))
    paid = [
        sum(one.money.fitted for one in priced(sent(record), Tariff(cheap, None, other)) if one.sent.better)
        for other in (None, dear)
    ]
    assert paid[1] == pytest.approx(100 * paid[0]) and paid[0] > 0
    assert Tariff(cheap, None, dear).label != Tariff(cheap).label
