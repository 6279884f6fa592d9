"""Checks of the settings, made when an episode begins (constructors only store)."""

from __future__ import annotations

from typing import Any

from strategies import settings
from strategies.structured.links import SOURCES
from strategies.structured.policies import POLICIES
from strategies.structured.store import SEARCHES


def check(own: Any) -> None:
    """own: a `PlaceholderEviction`. Raises ValueError that names the setting and what it may be."""
    settings.one_of("policy", own.policy, POLICIES)
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
