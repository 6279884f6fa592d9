"""To which class an arm belongs, judged by its views alone: it is divided by the bound of its own class."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

Class = Literal["keep-only", "re-admitting", "rewriting"]
ORDER: tuple[Class, ...] = ("keep-only", "re-admitting", "rewriting")


def certify(came_back: bool, made: bool) -> Class:
    """The class that one view shows.

    came_back: it holds a history message that the view before it could have held and did not. made: it holds text
    that is no original history message: a message of the strategy's own, an answer of one of its tools, text added to
    the system message.
    """
    if made:
        return "rewriting"
    return "re-admitting" if came_back else "keep-only"


def widest(classes: Iterable[Class]) -> Class:
    """The class of an episode, the widest among its views; of an arm, the widest among its episodes."""
    return max(classes, key=ORDER.index, default="keep-only")
