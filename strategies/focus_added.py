"""What Focus adds to a view: its prompt and the entries of knowledge, below the system text or each in its place."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

from harness.contract import Message
from strategies.focus_knowledge import Entry, Knowledge
from strategies.focus_texts import MARKER
from strategies.made import digest

Place = Literal["system", "tail"]


class Added:
    """`system`: the system message as the view has it. `in_system`, `tokens`: added to it, and added in all.

    base: the system message of the history. `prompt` and `knowledge` may change; `write` then makes the rest anew.
    """

    def __init__(self, count: Callable[[Sequence[Message]], int], base: Message, prompt: str, place: Place) -> None:
        self._count = count
        self._base = base
        self._place = place
        self.prompt = prompt
        self.knowledge = Knowledge()
        self.write()

    def write(self) -> None:
        listed = self._place == "system"
        text = "\n\n".join(part for part in (self.prompt, self.knowledge.text if listed else "") if part)
        self.system = self._made(text, self.knowledge.sources if listed else ()) if text else self._base
        self.in_system = self._count((self.system,)) - self._count((self._base,))
        apart = [] if listed else [in_place(entry) for entry in self.knowledge.entries]
        self.tokens = self.in_system + self._count(apart)

    def _made(self, text: str, sources: tuple[str, ...]) -> Message:
        name = f"focus:system:{digest(text, sources)}"
        return Message(name, "system", self._base.content + MARKER + text, sources=sources)


def in_place(entry: Entry) -> Message:
    """An entry as a message of its own. Its id names this text for good: an entry only ever gets shorter."""
    return Message(f"focus:entry:{entry.number}:{entry.cut}", "user", f"Knowledge {entry.text}", sources=entry.sources)
