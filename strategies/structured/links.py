"""Where edges come from: what a task declares, what calls use, what a model says; checked where a subtask ends.

declared: the newest message that provides a key must be there for one that uses it, older ones may. A message of kind
"plan" waits for its keys until the end, whoever provides them. use: a call contains a value: the message that stated it
first must be there, unless the newest turn says it again; a message that mentions a name: the one that stated it first
may. Labels exist only under `labels: declared`.
"""

from __future__ import annotations

import random
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Any

from harness.contract import Message
from strategies.structured.graph import MAY, MUST, Graph, Origin
from strategies.structured.words import names

SOURCES = ("declared", "use", "model")


@dataclass(frozen=True, slots=True)
class Noise:
    """For each true edge: the chance that it is missed, and that a false one comes beside it. seed: of the draws."""

    missed: float = 0.0
    false: float = 0.0
    seed: int = 0


class Links:
    """Reads messages in order and proposes edges. `node`: the number of a message in the graph, rising."""

    def __init__(self, graph: Graph, sources: Collection[str], noise: Noise, verify: bool) -> None:
        self.graph = graph
        self._sources = sources
        self._noise = noise
        self._verify = verify
        self._first: dict[str, int] = {}  # name -> the node that introduced it
        self._provided: dict[str, list[int]] = {}  # key -> nodes that state a value of it
        self._plans: dict[str, list[int]] = {}  # key -> plans that use it
        self._newest: dict[str, int] = {}  # names of the messages since the last action
        self._open: list[int] = []  # messages since the last action: what they ask for is not done yet
        self._answered: dict[int, int] = {}  # of this subtask: message -> the action that followed
        self._used: dict[int, list[int]] = {}  # of this subtask: action -> the nodes whose values it used

    def told(self, node: int, message: Message) -> None:
        """A user message, or what a tool answered."""
        found = names(message.content)
        if "use" in self._sources:
            for source in dict.fromkeys(self._first[name] for name in found if name in self._first):
                self.propose(source, node, MAY, "use")
        if message.labels is not None and "declared" in self._sources:
            self._declare(node, message.labels.uses, message.labels.provides, message.labels.kind == "plan")
        if message.labels is None or message.labels.kind != "plan":
            self._open.append(node)
        for name in found:
            self._first.setdefault(name, node)
            self._newest[name] = node

    def acted(self, node: int, message: Message) -> list[int]:
        """An assistant message with calls of the environment's tools. Returns the nodes whose values they contain."""
        text = " ".join(str(value) for call in message.calls for value in call.arguments.values())
        stated = (self._newest.get(name, self._first.get(name)) for name in names(text))
        used = list(dict.fromkeys(source for source in stated if source is not None))
        if "use" in self._sources:
            for source in used:
                self.propose(source, node, MUST, "use")
        self._used[node] = used
        for name in names(text):
            self._first.setdefault(name, node)
        for waiting in self._open:
            self.graph.finish(waiting)
            self._answered[waiting] = node
        self.graph.finish(node)  # answered before the strategy is asked again
        self._open, self._newest = [], {}
        return used

    def propose(self, source: int, dependent: int, weight: float, origin: Origin) -> None:
        """Link them, but for the noise that is asked for."""
        if not (self._noise.missed or self._noise.false):
            self.graph.link(source, dependent, weight, origin)
            return
        draw = random.Random(f"{self._noise.seed}/{source}/{dependent}/{origin}")
        if draw.random() >= self._noise.missed:
            self.graph.link(source, dependent, weight, origin)
        if draw.random() < self._noise.false:
            self.graph.link(draw.randrange(dependent), dependent, weight, origin)

    def ended(self) -> tuple[int, int]:
        """A subtask ended: all that depended in it is finished. Checked: edges that its calls did not use go, uses that
        have no edge come. Returns how many came and went."""
        came = went = 0
        for dependent in (*self._answered, *self._used):
            used = self._used.get(self._answered.get(dependent, dependent), [])
            if self._verify:
                unused = [source for source in self.graph.sources(dependent) if source not in used]
                for source in unused:
                    self.graph.unlink(source, dependent)
                went += len(unused)
                missing = [s for s in self._used.get(dependent, ()) if s not in self.graph.sources(dependent)]
                for source in missing:
                    self.graph.link(source, dependent, MUST, "verified")
                came += len(missing)
            self.graph.finish(dependent)
        self._answered, self._used = {}, {}
        return came, went

    def _declare(self, node: int, uses: Iterable[str], provides: Iterable[str], plan: bool) -> None:
        for key in uses:
            known = self._provided.get(key, [])
            for place, source in enumerate(reversed(known)):
                self.propose(source, node, MAY if place else MUST, "declared")
            if plan:
                self._plans.setdefault(key, []).append(node)
        for key in provides:
            self._provided.setdefault(key, []).append(node)
            for waiting in self._plans.get(key, ()):
                self.propose(node, waiting, MUST, "declared")

    def dump(self) -> dict[str, Any]:
        """Numbers as keys become pairs: JSON would make text of them."""
        return {
            "first": self._first,
            "provided": self._provided,
            "plans": self._plans,
            "newest": self._newest,
            "open": self._open,
            "answered": list(self._answered.items()),
            "used": list(self._used.items()),
        }

    def load(self, state: dict[str, Any]) -> None:
        self._first, self._provided, self._plans = state["first"], state["provided"], state["plans"]
        self._newest, self._open = state["newest"], state["open"]
        self._answered, self._used = dict(state["answered"]), dict(state["used"])
