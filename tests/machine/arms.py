"""Toy strategies: the whole history, the newest blocks, a notebook with tools, one that asks, some that go wrong."""

from __future__ import annotations

import json
import os
import re
import signal
import sys
from collections.abc import Sequence
from typing import Any

from harness.contract import Brief, Call, History, Kit, Message, Request, Tool


def blocks(history: History) -> list[list[Message]]:
    """The messages after the system message, each reply with its answers in one list."""
    found: list[list[Message]] = []
    for message in history[1:]:
        if message.role == "tool":
            found[-1].append(message)
        else:
            found.append([message])
    return found


class Whole:
    def reset(self, kit: Kit, brief: Brief, saved: bytes | None = None) -> None:
        """There is no state."""

    def compose(self, history: History, budget: int) -> Sequence[Message]:
        return list(history)


class Endless(Whole):
    unlimited = True


class Newest(Whole):
    """The pinned text and the newest `keep` blocks; says what it drops."""

    def __init__(self, keep: int = 3) -> None:
        self.keep = keep

    def reset(self, kit: Kit, brief: Brief, saved: bytes | None = None) -> None:
        self.kit = kit
        self.gone = 0

    def compose(self, history: History, budget: int) -> Sequence[Message]:
        after = blocks(history)[1:]
        dropped = [message.id for block in after[: -self.keep] for message in block]
        if len(dropped) > self.gone:
            self.kit.event("evict", "age", dropped[self.gone :])
            self.gone = len(dropped)
        return [*history.pinned, *(message for block in after[-self.keep :] for message in block)]


class Notebook:
    """Keeps a note of each dropped block, gives it back by handle, and saves its state.

    The first `hidden` notes are in the store but offered in no view. Notes of earlier sessions stay.
    """

    def __init__(self, keep: int = 2, hidden: int = 0) -> None:
        self.keep = keep
        self.hidden = hidden
        self.notes: list[list[Any]] = []  # session, id of the block's first message, text

    @property
    def tools(self) -> tuple[Tool, ...]:
        handle = {"type": "string", "pattern": r"n\d+"}
        schema = {"type": "object", "properties": {"handle": handle}, "required": ["handle"]}
        return (Tool("recall", "get a note back", schema, "retrieve"),)

    def reset(self, kit: Kit, brief: Brief, saved: bytes | None = None) -> None:
        self.kit = kit
        self.session = brief.session
        self.notes = json.loads(saved) if saved else []

    def compose(self, history: History, budget: int) -> Sequence[Message]:
        after = blocks(history)[1:]
        known = [source for session, source, _ in self.notes if session == self.session]
        for block in after[: -self.keep]:
            if block[0].id not in known:
                text = " ".join(message.content.split(".")[0] + "." for message in block)
                self.notes.append([self.session, block[0].id, text])
                self.kit.event("store", "age", [message.id for message in block])
        offers = [f"[{about(text)} kept as n{n}]" for n, (_, _, text) in enumerate(self.notes) if n >= self.hidden]
        sources = tuple(source for session, source, _ in self.notes if session == self.session)
        text = f"{len(self.notes)} notes. {' '.join(offers)}"
        note = Message(f"book:{self.session}:{len(self.notes)}", "user", text, sources=sources)
        shown = [note] if self.notes else []
        return [*history.pinned, *shown, *(m for block in after[-self.keep :] for m in block)]

    def answer(self, call: Call) -> Message:
        number = int(call.arguments["handle"][1:])
        return Message("", "tool", self.notes[number][2] if number < len(self.notes) else "error: no such note")

    def calls_in(self, text: str) -> list[Call]:
        return [Call("", "recall", {"handle": handle}) for handle in re.findall(r"kept as (n\d+)", text)]

    def find(self, key: str) -> list[Message]:
        return [Message("", "tool", text) for _, _, text in self.notes if key in text]

    def export(self) -> bytes:
        return json.dumps(self.notes).encode()


def about(text: str) -> str:
    """The box that a note tells of."""
    found = re.search(r"(box-\d+)/\w+ is", text)
    return found[1] if found else "nothing"


class Asking(Whole):
    """Asks a model of its own, uses embeddings and luck, and shows all three."""

    def __init__(self, every: int = 2) -> None:
        self.every = every

    def reset(self, kit: Kit, brief: Brief, saved: bytes | None = None) -> None:
        self.kit = kit
        self.turn = 0

    def compose(self, history: History, budget: int) -> Sequence[Message]:
        self.turn += 1
        if self.turn % self.every:
            return list(history)
        reply = self.kit.ask(Request((history[0], history[-1]), (), 0, 50))
        luck, vector = self.kit.rng.random(), self.kit.embed([reply.message.content])[0]
        text = f"{reply.message.content} {luck:.3f} {vector}"
        return [*history, Message(f"said:{self.turn}", "user", text, sources=(history[-1].id,))]


class Faulty(Whole):
    """Goes wrong at compose number `at`, in the `way` named."""

    def __init__(self, way: str = "raise", at: int = 3) -> None:
        self.way = way
        self.at = at

    def reset(self, kit: Kit, brief: Brief, saved: bytes | None = None) -> None:
        self.composed = 0

    def compose(self, history: History, budget: int) -> Sequence[Message]:
        self.composed += 1
        if self.composed == self.at:
            self.fail(list(history))
        return list(history)

    def fail(self, view: list[Message]) -> Any:
        if self.way == "exit":
            sys.exit("leaving")
        if self.way == "memory":
            raise MemoryError("no more room")
        if self.way == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        raise KeyError("lost")
