"""Edges from a light model: asked in batches after the steps, which earlier entries the new ones need."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from harness.contract import Kit, Message, Reply, Request
from strategies.structured.entries import Entry
from strategies.structured.graph import MAY, MUST, Origin
from strategies.structured.links import Links
from strategies.structured.placeholders import line

SYSTEM = (
    "Below are messages of a long task, each with an id, old ones first, then NEW ones. For each new message say which "
    "old ones it needs: a line `<new id> needs <old id> must|may <confidence 0 to 1>` for each, and nothing else. "
    "must: it cannot be done without; may: it may help."
)
ANSWER = 16  # tokens of a line of the answer
OFFERED = 24  # most old entries in a request
OWNERS = 8  # about an entry in a request
_LINE = re.compile(r"^\W*ref(\d+) needs ref(\d+) (must|may) ([01](?:\.\d+)?)\W*$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Said:
    dependent: int
    source: int
    weight: float
    confidence: float


class Inference:
    """every: steps in a batch. beside: the agent does not wait for the answer. confidence: only what the model is surer
    of counts; the rest is stored with the weight of `may`, and so never used for safety.
    """

    def __init__(self, kit: Kit, every: int, beside: bool, confidence: float) -> None:
        self._kit = kit
        self._every = every
        self._beside = beside
        self._confidence = confidence
        self.waiting: list[int] = []  # refs of entries that nobody was asked about yet
        self.tickets: list[int] = []
        self.asked = 0  # the step of the last request

    def take(self, step: int, all_entries: Callable[[], Mapping[int, Entry]], links: Links) -> None:
        """Ask about what is new if a batch is full, and link what is answered."""
        for ticket in list(self.tickets):
            if (reply := self._kit.poll(ticket)) is not None:
                self.tickets.remove(ticket)
                self._link(reply, all_entries(), links)
        if step - self.asked < self._every or not self.waiting:
            return
        entries = all_entries()
        request = self._request([entries[ref] for ref in self.waiting], entries)
        self.waiting, self.asked = [], step
        if self._beside:
            self.tickets.append(self._kit.ask_later(request))
        else:
            self._link(self._kit.ask(request), entries, links)

    def _request(self, new: Sequence[Entry], entries: Mapping[int, Entry]) -> Request:
        """The new entries, and of the old ones those that share most names with them, the newer before the older."""
        named = {name for entry in new for name in entry.names}
        old = [entry for ref, entry in entries.items() if ref < new[0].ref]
        old.sort(key=lambda entry: (-len(named.intersection(entry.names)), -entry.ref))
        chosen = sorted(old[:OFFERED], key=lambda entry: entry.ref)
        text = "\n".join((
            *(_told(entry) for entry in chosen), "NEW:", *(_told(entry) for entry in new)
        ))  # fmt: skip
        view = (Message("edges:system", "system", SYSTEM), Message("edges:text", "user", text))
        return Request(view, (), 0, ANSWER * 4 * len(new))

    def _link(self, reply: Reply, entries: Mapping[int, Entry], links: Links) -> None:
        said = list(lines(reply.message.content))
        for one in said:
            source, dependent = entries.get(one.source), entries.get(one.dependent)
            if source is None or dependent is None or source.ref >= dependent.ref:
                continue
            sure = one.confidence > self._confidence
            origin: Origin = "model" if sure else "doubted"
            links.propose(source.nodes[-1], dependent.nodes[-1], one.weight if sure else MAY, origin)
        if not said and reply.message.content.strip():
            self._kit.event("refused", "edges")


def lines(text: str) -> Iterator[Said]:
    """What an answer says, as far as it has the form that was asked for."""
    for dependent, source, weight, confidence in _LINE.findall(text):
        yield Said(int(dependent), int(source), MUST if weight == "must" else MAY, float(confidence))


def _told(entry: Entry) -> str:
    return line(entry, "readable", OWNERS).removeprefix("[evicted ").removesuffix("]")
