"""Requests that fit the compactor's window, checks of its replies, and what happens when one is refused."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field, replace

from harness.contract import Message, Reply, Request
from strategies.compaction.prompts import Form, Level, instruction, kind_of
from strategies.compaction.texts import Size, parts, telling_lines

# Yields the requests that may be made at once, is sent their replies in order.
Asked = Generator[Sequence[Request], Sequence[Reply], list[str]]
CACHED = 256  # most replies that are remembered, an episode
OVER = "over the window"
UNASKED = "degraded"  # a level that is not asked for now
LEAST = 8  # tokens: no text is asked to be shorter
LINES = {
    "type": "object",
    "properties": {"lines": {"type": "array", "items": {"type": "string"}}},
    "required": ["lines"],
    "additionalProperties": False,
}  # the form of an answer that is held to one


@dataclass(frozen=True, slots=True)
class Ask:
    """A text to shorten to at most `room` tokens. sources: its messages. known: what the summary says already."""

    level: Level
    text: str
    room: int
    sources: tuple[str, ...]
    known: str = ""


@dataclass(frozen=True, slots=True)
class Compactor:
    """How it is asked. window: most tokens of a request with its answer. size: tokens of a text, frame: of a message.

    goal: what the work is for; left out where it would take more than a quarter of the window.
    levels: those that a model is asked for, None = all; for others lines of the text stand in.
    note: an event (kind, trigger, ids). cache: replies by the text of their requests, None = none are kept; never by
    likeness: a wrong hit would be a wrong fact. form: text, or json: the answer is held to a schema, checked, and read
    back as lines.
    """

    window: int
    size: Size
    frame: int
    note: Callable[[str, str, Sequence[str]], None]
    goal: str = ""
    templates: bool = True
    retries: int = 1
    levels: tuple[Level, ...] | None = None
    cache: dict[str, str] | None = field(default_factory=dict)
    form: Form = "text"

    def shorten(self, asks: Sequence[Ask]) -> Asked:
        """The texts shortened, each to at most its room; one that fits as it is stays word for word."""
        split = [self._split(ask) for ask in asks]
        whole = iter((yield from self._all([part for own in split for part in own])))
        return ["\n".join(filter(None, (next(whole) for _ in own))) for own in split]

    def _all(self, asks: Sequence[Ask]) -> Asked:
        """Ask, ask again what was refused, then fall back."""
        texts = {n: ask.text for n, ask in enumerate(asks) if self.size(ask.text) <= ask.room}
        faults: dict[int, str] = {}
        for n, ask in enumerate(asks):
            if n in texts:
                continue
            if self.levels is not None and ask.level not in self.levels:
                faults[n] = UNASKED
            elif not self.fits(ask):
                faults[n] = OVER  # not even a part fits: nothing is asked
            elif self.templates:
                self.note("template", kind_of(ask.text), ())
        for attempt in range(self.retries + 1):
            never = (UNASKED, OVER)
            open_asks = [n for n in range(len(asks)) if n not in texts and faults.get(n) not in never]
            requests = {n: self.request(asks[n], attempt, faults.get(n)) for n in open_asks}
            keys = {n: _key(request) for n, request in requests.items()}
            hits = {n: self.cache[keys[n]] for n in open_asks if self.cache is not None and keys[n] in self.cache}
            missing = [n for n in open_asks if n not in hits]
            texts |= hits
            replies = (yield [requests[n] for n in missing]) if missing else ()
            for n, reply in zip(missing, replies, strict=True):
                fault = self.fault(reply, asks[n])
                if fault is None:
                    texts[n] = self.text(reply)
                    self._remember(keys[n], texts[n])
                else:
                    faults[n] = fault
                    self.note("refused", fault, ())
        for n, ask in enumerate(asks):
            if n not in texts:
                self.note("fallback", faults[n], ask.sources)
                texts[n] = telling_lines(ask.text, ask.room, self.size)
        return [texts[n] for n in range(len(asks))]

    def request(self, ask: Ask, attempt: int = 0, fault: str | None = None) -> Request:
        content = kind_of(ask.text) if self.templates else None
        told = [Message("ask:system", "system", instruction(ask.level, content, ask.room, fault, self.form))]
        if self.goal and self.size(self.goal) <= self.window // 4:
            told.append(Message("ask:goal", "user", f"<goal>\n{self.goal}\n</goal>"))
        if ask.known:
            told.append(Message("ask:known", "user", f"<known>\n{ask.known}\n</known>"))
        told.append(Message("ask:text", "user", ask.text))
        return Request(tuple(told), (), attempt, ask.room, None if self.form == "text" else LINES)

    def text(self, reply: Reply) -> str:
        """What an answer says. Raises ValueError for one that is not in its form."""
        if self.form == "text":
            return reply.message.content.strip()
        found = json.loads(reply.message.content)
        lines = found.get("lines") if isinstance(found, dict) and len(found) == 1 else None
        if not isinstance(lines, list) or not all(isinstance(line, str) for line in lines):
            raise ValueError(f"{found!r} is not the one key `lines` with texts")
        return "\n".join(line.strip() for line in lines if line.strip())

    def fault(self, reply: Reply, ask: Ask) -> str | None:
        """Why a reply is refused; None = it is a summary."""
        if reply.finish == "length":
            return "cut off"
        if reply.finish in ("refusal", "failed"):
            return reply.finish
        try:
            text = self.text(reply)
        except ValueError:
            return "not in the form"
        if not text:
            return "empty"
        tokens = self.size(text)
        if tokens > ask.room:
            return "too long"
        return "not shorter" if tokens >= self.size(ask.text) else None

    def _split(self, ask: Ask) -> list[Ask]:
        """Asks of which each fits the window; their rooms add up to no more than the whole's.

        What is known does not go with parts: it would be sent again with each. A text of which not even parts fit stays
        whole; it is never asked for.
        """
        total = self.size(ask.text)
        if total <= ask.room or self.fits(ask):
            return [ask]
        alone = replace(ask, known="")
        net = self._net(alone)
        number = max(2, -(-(total + ask.room) // max(net, 1)))
        while (room := ask.room // number - 1) >= LEAST:  # a line's end joins them
            texts = parts(ask.text, net - room, self.size) if net > room + LEAST else []
            if 0 < len(texts) <= number:
                return [replace(alone, text=text, room=room) for text in texts]
            number += 1 + number // 4
        return [ask]

    def fits(self, ask: Ask) -> bool:
        """Whether a request for it, with its answer, fits the window."""
        return self.size(ask.text) + ask.room <= self._net(ask)

    def _net(self, ask: Ask) -> int:
        """Tokens that a request of this kind leaves for a text and its answer."""
        fault = "refusal, not shorter, too long"  # as long as any
        request = self.request(replace(ask, text=""), 0, fault)
        fixed = sum(self.size(message.content) + self.frame for message in request.view)
        return self.window - fixed - len(request.view)

    def _remember(self, key: str, text: str) -> None:
        if self.cache is None:
            return
        if len(self.cache) >= CACHED:
            del self.cache[next(iter(self.cache))]
        self.cache[key] = text


def _key(request: Request) -> str:
    texts = [message.content for message in request.view]
    return hashlib.sha256("\x1f".join((str(request.max_output), *texts)).encode("utf-8", "surrogatepass")).hexdigest()
