"""The external store: what was evicted, in two tiers.

Hot: the entries that were evicted or fetched last, in memory, indexed by every word and by a vector for each statement.
Cold: the others, in a temporary SQLite database (it has no name and vanishes with its connection), indexed by names
alone, and by one vector for each entry. A vector is a function of its text: it is made at the first search that needs
it, and is no state.
"""

from __future__ import annotations

import json
import sqlite3
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from strategies.memory.statements import statements
from strategies.structured.entries import Entry
from strategies.structured.words import overlap, words

Search = Literal["off", "keyword", "vector", "vector+metadata"]
SEARCHES = ("off", "keyword", "vector", "vector+metadata")
Embed = Callable[[Sequence[str]], Sequence[Sequence[float]]]
Vectors = npt.NDArray[np.float32]


class Store:
    """hot: most entries in memory. embed: texts to vectors."""

    def __init__(self, hot: int, embed: Embed) -> None:
        self._most = hot
        self._embed = embed
        self._hot: OrderedDict[int, Entry] = OrderedDict()  # the one used last at the end
        self._vectors: dict[int, Vectors] = {}  # of hot entries, a row a statement
        self._cold = sqlite3.connect("", check_same_thread=False, isolation_level=None)
        self._cold.execute("PRAGMA journal_mode = OFF")
        self._cold.execute("CREATE TABLE entry (ref INTEGER PRIMARY KEY, body TEXT NOT NULL, vector BLOB)")
        self._cold.execute("CREATE TABLE name (name TEXT NOT NULL, ref INTEGER NOT NULL)")
        self._cold.execute("CREATE INDEX by_name ON name (name)")
        self._cold.execute("CREATE INDEX by_ref ON name (ref)")

    def __len__(self) -> int:
        return len(self._hot) + self.cold

    @property
    def cold(self) -> int:
        """How many entries are cold."""
        (number,) = self._cold.execute("SELECT count(*) FROM entry").fetchone()
        return int(number)

    def add(self, entry: Entry) -> None:
        """It becomes the hottest; the coldest hot one moves down where there are too many. Known refs only move."""
        if (known := self.get(entry.ref)) is not None:
            entry = known
        self._remove(entry.ref)
        self._hot[entry.ref] = entry
        while len(self._hot) > self._most:
            self._cool(*self._hot.popitem(last=False))

    def get(self, ref: int) -> Entry | None:
        if ref in self._hot:
            return self._hot[ref]
        row = self._cold.execute("SELECT body FROM entry WHERE ref = ?", (ref,)).fetchone()
        return None if row is None else Entry.load(json.loads(row[0]))

    def between(self, first: int, last: int) -> list[Entry]:
        """The entries of a range, in order."""
        return [entry for entry in self if first <= entry.ref <= last]

    def __iter__(self) -> Iterator[Entry]:
        """In the order of the run."""
        cold = [Entry.load(json.loads(body)) for (body,) in self._cold.execute("SELECT body FROM entry")]
        return iter(sorted((*cold, *self._hot.values()), key=lambda entry: entry.ref))

    # ------------------------------------------------------------ search

    def search(self, query: str, top: int, how: Search) -> list[int]:
        """The best entries for a query, the best first; of equal ones the newest."""
        if how == "off" or not query.strip():
            return []
        if how == "keyword":
            scores = self._by_word(query)
        else:
            among = self._naming(query) if how == "vector+metadata" else frozenset()
            scores = self._by_vector(query, among or None)
        found = sorted(((score, ref) for ref, score in scores.items() if score > 0), reverse=True)
        return [ref for _, ref in found[:top]]

    def _by_word(self, query: str) -> dict[int, float]:
        """How many of the query's words an entry has; of a cold one only names are known."""
        wanted = words(query)
        scores = {ref: float(len(wanted & words(entry.text))) for ref, entry in self._hot.items()}
        for name in sorted(wanted):
            for (ref,) in self._cold.execute("SELECT ref FROM name WHERE name = ?", (name,)):
                scores[ref] = scores.get(ref, 0.0) + 1
        return scores

    def _naming(self, query: str) -> frozenset[int]:
        """The entries that have most of the query's words among their names: a filter before any vector."""
        wanted = words(query)
        often = {ref: len(wanted & {n.lower() for n in entry.names}) for ref, entry in self._hot.items()}
        for name in sorted(wanted):
            for (ref,) in self._cold.execute("SELECT ref FROM name WHERE name = ?", (name,)):
                often[ref] = often.get(ref, 0) + 1
        most = max(often.values(), default=0)
        return frozenset(ref for ref, number in often.items() if number == most) if most else frozenset()

    def _by_vector(self, query: str, among: frozenset[int] | None) -> dict[int, float]:
        """Cosine of the query and the likest statement of a hot entry, or all of a cold one."""
        self._embed_missing()
        (wanted,) = self._unit([query])
        hot = {ref: rows @ wanted for ref, rows in self._vectors.items() if among is None or ref in among}
        scores = {ref: float(found.max()) for ref, found in hot.items() if found.size}
        for ref, vector in self._cold.execute("SELECT ref, vector FROM entry"):
            if among is None or ref in among:
                scores[ref] = float(np.frombuffer(vector, np.float32) @ wanted)
        # Rounded: the last digits of a vector depend on what it was embedded together with.
        return {ref: round(score, 4) for ref, score in scores.items()}

    def _embed_missing(self) -> None:
        for ref, entry in self._hot.items():
            if ref not in self._vectors:
                self._vectors[ref] = self._unit(statements(entry.text) or [entry.text])
        missing = self._cold.execute("SELECT ref, body FROM entry WHERE vector IS NULL").fetchall()
        texts = [Entry.load(json.loads(body)).text for _, body in missing]
        for (ref, _), vector in zip(missing, self._unit(texts) if texts else (), strict=True):
            self._cold.execute("UPDATE entry SET vector = ? WHERE ref = ?", (vector.tobytes(), ref))

    def _unit(self, texts: Sequence[str]) -> Vectors:
        rows = np.asarray(self._embed(texts), np.float32)
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        unit: Vectors = (rows / np.where(lengths > 0, lengths, 1)).astype(np.float32)
        return unit

    # ------------------------------------------------------------ tiers and state

    def _cool(self, ref: int, entry: Entry) -> None:
        self._vectors.pop(ref, None)
        body = json.dumps(entry.dump(), ensure_ascii=True)
        self._cold.execute("INSERT INTO entry VALUES (?, ?, NULL)", (ref, body))
        self._cold.executemany("INSERT INTO name VALUES (?, ?)", [(n.lower(), ref) for n in entry.names])

    def _remove(self, ref: int) -> None:
        self._hot.pop(ref, None)
        self._vectors.pop(ref, None)
        self._cold.execute("DELETE FROM entry WHERE ref = ?", (ref,))
        self._cold.execute("DELETE FROM name WHERE ref = ?", (ref,))

    def dump(self) -> dict[str, Any]:
        return {"entries": [entry.dump() for entry in self], "hot": list(self._hot)}

    def load(self, state: dict[str, Any]) -> None:
        """Cold entries come in first, so that they go down again, where the hot tier is no larger than it was."""
        known = {entry["ref"]: Entry.load(entry) for entry in state["entries"]}
        cold = [ref for ref in known if ref not in set(state["hot"])]
        for ref in (*cold, *state["hot"]):
            self.add(known[ref])


def quoted(entry: Entry, query: str, most: int) -> list[str]:
    """The statements of an entry that have most words of a query, at most so many, in their order."""
    said = statements(entry.text)
    scores = [overlap(query, one) for one in said]
    best = sorted(range(len(said)), key=lambda n: (-scores[n], n))[:most]
    return [said[n] for n in sorted(best) if scores[n]] or said[:1]
