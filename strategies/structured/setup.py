"""From settings to parts: checked and built when an episode begins (constructors only store)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from harness.contract import Brief, Kit, Message
from strategies import settings
from strategies.learned import scorer
from strategies.structured.answering import Answering
from strategies.structured.entries import Entry
from strategies.structured.evictor import Evictor
from strategies.structured.graph import Graph
from strategies.structured.inference import Inference
from strategies.structured.intake import Intake, Learning
from strategies.structured.learned import Learned
from strategies.structured.links import SOURCES, Links, Noise
from strategies.structured.note import Note
from strategies.structured.page import Page
from strategies.structured.parts import Parts
from strategies.structured.placeholders import made
from strategies.structured.policies import POLICIES
from strategies.structured.prefetch import Prefetch
from strategies.structured.reading import Reading
from strategies.structured.store import SEARCHES, Store

if TYPE_CHECKING:
    from strategies.placeholder_eviction import PlaceholderEviction as Settings


def check(own: Settings) -> None:
    """Raises ValueError that names the setting and what it may be."""
    settings.one_of("policy", own.policy, POLICIES)
    settings.one_of("utility", own.utility, ("rules", "learned"))
    settings.one_of("ask", own.ask, ("wait", "beside"))
    settings.one_of("style", own.style, ("id", "readable"))
    settings.one_of("search", own.search, SEARCHES)
    settings.one_of("prefetch_when", own.prefetch_when, ("now", "beside"))
    for source in own.edges:
        settings.one_of("edges", source, SOURCES)
    for name in ("core_share", "line_share", "fetch_share"):
        settings.share(name, getattr(own, name))
    for name in ("ask_every", "part_steps", "within", "top", "hot"):
        settings.at_least(name, getattr(own, name), 1)
    settings.at_least("owners", own.owners, 0)
    settings.at_least("prefetch", own.prefetch, 0)
    for name in ("false_edges", "missed_edges", "confidence"):
        if not 0 <= getattr(own, name) <= 1:
            raise ValueError(f"{name}={getattr(own, name)!r}: give a number from 0 to 1")
    if not 1 <= own.factor <= own.most_weight:
        raise ValueError(f"factor={own.factor!r}: give a number from 1 to most_weight={own.most_weight!r}")
    settings.eviction(own.low_water, own.overflow)


def built(own: Settings, kit: Kit, brief: Brief) -> Parts:
    """The parts of an episode, empty."""

    def size(message: Message) -> int:
        return kit.count((message,))

    def line(entries: Sequence[Entry]) -> Message | None:
        return made(entries, own.style, own.owners, size)

    graph, store, page = Graph(), Store(own.hot, kit.embed), Page(line, size)
    links = Links(graph, own.edges, Noise(own.missed_edges, own.false_edges, own.edge_seed), own.verify)
    rereads = [tool.name for tool in brief.tools if tool.purpose == "retrieve"]
    reading = Reading(kit.count, rereads, [tool.name for tool in own.tools], own.part_steps)
    reading.at.session = brief.session
    learning = Learning(own.within, own.factor if own.online else 1.0, own.most_weight)
    learned = Learned(scorer.load(own.model, own.digest), kit.count) if own.utility == "learned" else None
    evictor = Evictor(page, store, own.policy, own.core_share, own.overflow, learned)
    return Parts(
        graph=graph,
        links=links,
        reading=reading,
        store=store,
        page=page,
        evictor=evictor,
        intake=Intake(links, learning, store, evictor.gone, kit.event, brief.session),
        inference=Inference(kit, own.ask_every, own.ask == "beside", own.confidence),
        prefetch=Prefetch(own.prefetch, own.prefetch_when == "beside"),
        note=Note(kit.count, own.retrieve, own.retrieve and own.search != "off", own.style, own.owners),
        answering=Answering(size, store, own.search, own.top, own.style, own.owners, brief.session),
    )
