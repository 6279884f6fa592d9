"""To which class an arm belongs, judged by its views alone: it is divided by the bound of its own class."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

Class = Literal["keep-only", "re-admitting", "rewriting"]
ORDER: tuple[Class, ...] = ("keep-only", "re-admitting", "rewriting")


@dataclass(frozen=True, slots=True)
class Seen:
    """One view. new: ids of the history messages that arrived since the view before. kept: those of the history, old or
    new, that it holds. made: whether it holds anything else: a message of the strategy's own, an answer of one of its
    tools, text added to the system message.
    """

    new: frozenset[str]
    kept: frozenset[str]
    made: bool = False


def certify(views: Iterable[Seen]) -> Class:
    """The class of one episode, from its views in order.

    keep-only: all that a view holds was in the view before, or is new. re-admitting: something came back (or came late:
    it was not in the first view that could hold it). rewriting: some view held text that is no history message.
    """
    before: frozenset[str] = frozenset()
    found: Class = "keep-only"
    for view in views:
        if view.made:
            return "rewriting"
        if not view.kept <= before | view.new:
            found = "re-admitting"
        before = view.kept
    return found


def widest(classes: Iterable[Class]) -> Class:
    """The class of an arm: the widest among its episodes."""
    return max(classes, key=ORDER.index, default="keep-only")
