"""What a model answered, on disk: an interrupted calibration goes on without asking, and paying, twice."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Callable
from pathlib import Path

from harness.codec import message_to, reply_from, reply_to
from harness.contract import Model, Reply, Request
from harness.journal import mend
from harness.tokens import compact, schema_text


class Replies:
    """A file with a row a reply, under the digest of all that it depends on.

    about: what stands for the model: its settings and its code. Raises `journal.DamagedRecord` for a broken file.
    """

    def __init__(self, path: Path, about: str) -> None:
        self.path, self.about = path, about
        self._known: dict[str, Reply] = {}
        self._lock = threading.Lock()

    def load(self) -> Replies:
        """Read what is there."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.path.touch()
        rows = map(json.loads, mend(self.path))
        self._known = {row["request"]: reply_from(row["reply"]) for row in rows}
        return self

    def reply(self, request: Request, open_model: Callable[[], Model]) -> Reply:
        """The recorded reply, or a new one, recorded before it is used."""
        key = self._key(request)
        with self._lock:
            known = self._known.get(key)
        if known is not None:
            return known
        reply = open_model().complete(request)
        row = compact({"request": key, "reply": reply_to(reply)}) + "\n"
        with self._lock, self.path.open("a", encoding="utf-8") as file:
            file.write(row)
            self._known[key] = reply
        return reply

    def _key(self, request: Request) -> str:
        tools = [[schema_text(tool), tool.purpose] for tool in request.tools]
        view = [message_to(message) for message in request.view]
        text = compact([self.about, view, tools, request.seed, request.max_output])
        return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
