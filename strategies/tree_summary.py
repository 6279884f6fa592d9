"""A tree in place of the oldest turns: the goal is its root, a finished subtask a node, and what crosses stays."""

from __future__ import annotations

import re
from collections.abc import Sequence

from harness.contract import Brief, History, Kit, Message
from strategies import settings
from strategies.compaction.prompts import LEVELS
from strategies.compaction.shell import Compaction
from strategies.compaction.subtasks import CROSSINGS, Crossing, Subtasks
from strategies.compaction.terms import Terms
from strategies.compaction.tree import Tree
from strategies.compaction.triggers import Trigger, When
from strategies.overflow import Overflow
from strategies.summary import BORDER


class TreeSummary:
    """Summarises like `summary`, but a finished subtask becomes one node, written once from all of its turns.

    Older nodes than the newest `nodes` are folded into the root: the state of the work against its goal. What had to
    leave of a subtask that goes on is its leaf. Root, nodes and leaf have equal room.

    nodes: finished subtasks that stand as nodes of their own.
    finished: where length triggers, the turns that go end with a finished subtask, if one ends near enough.
    values: which statements stay word for word at their node: those of which another subtask used a value in a call |
    those of which it named one | none. value_share: part of the summary for them; those taken up last stay.
    border, session_turns: as in `summary`: subtasks are read from texts; where nothing announces them, one ends with a
    user message, after `session_turns` turns at the latest (event `node`: `by turns`).
    The other arguments: as in `strategies.summary.Summary`.

    Source: the last variant of the parallel-compaction design: the root is the goal, nodes are subtasks, compaction
    happens within a subtree, and edges between subtrees stay. All sizes, and what counts as an edge, are ours.
    """

    asks = True  # a compactor must be set
    _compaction: Compaction

    def __init__(
        self,
        nodes: int = 4,
        finished: bool = True,
        values: Crossing = "used",
        value_share: float = 0.3,
        trigger: Trigger = "mixed",
        share: float = 0.8,
        steps: int = 50,
        low_water: float = 0.5,
        keep_turns: int = 3,
        summary_share: float = 0.2,
        templates: bool = True,
        cache: bool = True,
        border: str | None = BORDER,
        session_turns: int = 10,
        compactor_window: int | None = None,
        retries: int = 1,
        pin_user: bool = False,
        overflow: Overflow = "window",
    ) -> None:
        self.nodes = nodes
        self.finished = finished
        self.values = values
        self.value_share = value_share
        self.trigger = trigger
        self.share = share
        self.steps = steps
        self.low_water = low_water
        self.keep_turns = keep_turns
        self.summary_share = summary_share
        self.templates = templates
        self.cache = cache
        self.border = border
        self.session_turns = session_turns
        self.compactor_window = compactor_window
        self.retries = retries
        self.pin_user = pin_user
        self.overflow = overflow

    def reset(self, kit: Kit, brief: Brief, saved: bytes | None = None) -> None:
        """Raises ValueError for settings out of range, re.error for a broken border."""
        settings.at_least("nodes", self.nodes, 1)
        settings.one_of("values", self.values, CROSSINGS)
        settings.share("value_share", self.value_share)
        settings.at_least("session_turns", self.session_turns, 1)
        border = re.compile(self.border) if self.border is not None else None
        subtasks = Subtasks(border, self.session_turns, self.values)
        ends = subtasks.ends if self.finished else None
        when = When(self.trigger, self.share, self.steps, self.low_water, self.keep_turns, ends)
        terms = Terms(
            when, LEVELS, self.summary_share, self.compactor_window, self.templates, self.cache, self.retries,
            self.pin_user, self.overflow,
        )  # fmt: skip
        tree = Tree(subtasks, self.nodes, self.value_share if self.values != "none" else 0.0)
        self._compaction = Compaction(kit, brief, terms, tree, saved, before=subtasks)

    def compose(self, history: History, budget: int) -> Sequence[Message]:
        return self._compaction.view(history, budget)

    def export(self) -> bytes:
        return self._compaction.export()
