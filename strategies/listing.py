"""A list of short texts under a token budget, shown as one made message; the oldest go first."""

from __future__ import annotations

from harness.contract import Kit, Message
from strategies.made import user_message


class Listing:
    """Texts by name, one a line, each with the message that said it; a name that comes again moves to the newest end.

    kind: what the message's id begins with. head: its first line. newest_first: how the lines stand below it.
    """

    def __init__(self, kit: Kit, kind: str, head: str = "", newest_first: bool = False) -> None:
        self._kit = kit
        self._kind = kind
        self._head = head
        self._newest_first = newest_first
        self._frame = self._count("x") - 1
        self._fixed = self._count(head) if head else self._frame
        self._shown: tuple[Message, ...] = ()
        self.clear()

    def clear(self) -> None:
        """Forget all texts."""
        self._texts: dict[str, tuple[str, int, str]] = {}  # (text, its tokens with the line's end, who said it)
        self._tokens = 0

    @property
    def tokens(self) -> int:
        """Of the message, about: joined lines may count a little more than each alone."""
        return self._fixed + self._tokens if self._texts else 0

    def put(self, name: str, text: str, source: str) -> None:
        known = self._texts.pop(name, None)
        self._tokens -= known[1] if known else 0
        tokens = known[1] if known and known[0] == text else self._count(text) - self._frame + 1
        self._texts[name] = text, tokens, source
        self._tokens += tokens

    def cut(self, tokens: int) -> None:
        """Forget the oldest texts until the message has at most `tokens`."""
        for name in list(self._texts):
            if self.tokens <= tokens:
                break
            self._tokens -= self._texts.pop(name)[1]

    def show(self, room: int) -> tuple[Message, ...]:
        """What a view shows of it, the newest texts in at most `room` tokens; a change is told by an event."""
        made = self._made(room)
        if made != self._shown:
            self._kit.event("write", "list", made[0].sources if made else ())
            self._shown = made
        return made

    def _made(self, room: int) -> tuple[Message, ...]:
        told = list(self._texts.values())
        while told:
            lines = [text for text, _, _ in (reversed(told) if self._newest_first else told)]
            sources = tuple(dict.fromkeys(source for _, _, source in told))
            message = user_message(self._kind, "\n".join(([self._head] if self._head else []) + lines), sources)
            excess = self._kit.count((message,)) - room
            if excess <= 0:
                return (message,)
            del told[: max(1, excess // 16)]
        return ()

    def _count(self, text: str) -> int:
        return self._kit.count((Message(f"{self._kind}:{text}", "user", text),))
