"""Answers to the very same request are kept, and given again instead of asking: SQLite, by content.

Source of the danger: an answer shared between two arms ties their luck together. So a cell has a file of its own unless
`shared` is asked for, and models that are not at temperature 0 are never cached.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from harness.codec import call_to, message_to, reply_from, reply_to
from harness.contract import Environment, Model, Reply, Request, Task
from harness.parts import ModelSource
from harness.tokens import compact


@dataclass(frozen=True, slots=True)
class CachedSource:
    """A source whose models ask `source` only what is not in the file yet. settings: of the model, part of a key."""

    source: ModelSource
    path: Path
    settings: Mapping[str, Any]

    def open(self, task: Task, environment: Environment, seed: int) -> Model:
        return Cached(self.source.open(task, environment, seed), self.path, compact(dict(self.settings)))


class Cached:
    """A `contract.Model`."""

    def __init__(self, model: Model, path: Path, settings: str) -> None:
        self._model = model
        self._path = path
        self._settings = settings

    def complete(self, request: Request) -> Reply:
        name = key(request, self._settings)
        with sqlite3.connect(self._path, timeout=60) as base:
            base.execute("create table if not exists calls (key text primary key, reply text not null)")
            found = base.execute("select reply from calls where key = ?", (name,)).fetchone()
        if found is not None:
            return replace(reply_from(json.loads(found[0])), cached=True, attempts=1)
        reply = self._model.complete(request)
        with sqlite3.connect(self._path, timeout=60) as base:
            base.execute("insert or ignore into calls values (?, ?)", (name, compact(reply_to(reply))))
        return reply


def key(request: Request, settings: str) -> str:
    """SHA-256, as hexadecimal text, over all that the answer depends on; ids of messages are not part of it."""
    names: dict[str, str] = {}
    view = []
    for message in request.view:
        row = message_to(replace(message, id="", sources=(), answers=names.get(message.answers or "")))
        if message.calls:
            for call in message.calls:
                names[call.id] = f"c{len(names)}"
            row["calls"] = [call_to(replace(call, id=names[call.id])) for call in message.calls]
        view.append(row)
    tools = [[t.name, t.description, dict(t.parameters)] for t in request.tools]
    rest = [request.seed, request.max_output, dict(request.schema or {}), dict(request.options or {})]
    return hashlib.sha256(compact([settings, view, tools, rest]).encode()).hexdigest()
