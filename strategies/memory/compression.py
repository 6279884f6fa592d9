"""Many units become one summary by a fixed template; the originals stay in the store, marked, and it names them.

Source: the seed, sections 3.3 and 4.3: at a subtask's end, or over 50 episodic units; fields task, goal, steps,
results, open issues, tools; numbers, proper nouns and negated constraints stay; about 20:1.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from harness.contract import Kit, Message, Reply, Request
from strategies import settings
from strategies.memory.statements import names, negated, statements
from strategies.memory.unit import Metadata, Unit

LEAST = 8  # tokens: a smaller room holds no statement (ours)
FIELDS = 120  # tokens of a request beside its text, at most (ours)
INSTRUCTION = (
    "Shorten the log of a subtask to its key results, in whole statements, one a line. Keep word for word: numbers, "
    "proper nouns, identifiers, and everything that forbids or rules something out. Leave out pleasantries, progress "
    "reports and repetitions. Write nothing of your own, no heading and no comment. At most {room} tokens."
)


@dataclass(frozen=True, slots=True)
class Compression:
    """How to compress.

    ratio: tokens of the originals to one token of the results. keep: put negated statements that the compactor dropped
    back in, up to the room once more. window: most tokens of a request to the compactor, its answer included; None = a
    request for each subtask, however long.
    """

    ratio: float
    keep: bool
    window: int | None

    def check(self) -> None:
        """Raises ValueError for a setting out of range."""
        if not self.ratio >= 1:
            raise ValueError(f"ratio={self.ratio!r}: give a number from 1 up, such as 20 for 20:1")
        if self.window is not None:
            settings.at_least("compactor_window", self.window, 2 * FIELDS)


def text_tokens(kit: Kit, text: str) -> int:
    """Tokens of a text beyond what an empty message has."""
    return kit.count((Message("text", "user", text),)) - kit.count((Message("text", "user", "x"),)) + 1


def compressed(units: Sequence[Unit], aim: str, kit: Kit, how: Compression) -> tuple[Unit, bool]:
    """The summary of some units (without an id), and whether the compactor's answers could be used.

    An empty, cut-off or too long answer is refused and asked for once more; then a pick of statements takes its place.
    """
    text = "\n".join(unit.content for unit in units)
    lines: list[str] = []
    usable = True
    for piece in _pieces(text, kit, how.window):
        room = max(LEAST, int(text_tokens(kit, piece) / how.ratio))
        found = _asked(piece, room, kit)
        usable = usable and found is not None
        kept = statements(found) if found is not None else picked(statements(piece), room, kit)
        if how.keep:
            said = "\n".join(kept)
            kept += picked([s for s in statements(piece) if negated(s) and s not in said], room, kit)
        lines += kept
    return _summary(units, aim, lines), usable


def picked(said: Sequence[str], room: int, kit: Kit) -> list[str]:
    """Statements with most names first, as far as they fit into `room` tokens, in their own order."""
    chosen: list[int] = []
    for place in sorted(range(len(said)), key=lambda n: (-len(names(said[n])), n)):
        cost = text_tokens(kit, said[place])
        if cost <= room:
            chosen.append(place)
            room -= cost
    return [said[place] for place in sorted(chosen)]


def _asked(text: str, room: int, kit: Kit) -> str | None:
    for attempt in (0, 1):
        view = (
            Message("compress:system", "system", INSTRUCTION.format(room=room)),
            Message("compress:text", "user", text),
        )
        reply = kit.ask(Request(view, (), attempt, room))
        if _usable(reply, room, lambda found: text_tokens(kit, found)):
            return reply.message.content
    return None


def _usable(reply: Reply, room: int, count: Callable[[str], int]) -> bool:
    text = reply.message.content
    return reply.finish not in ("length", "refusal", "failed") and bool(text.strip()) and count(text) <= room


def _pieces(text: str, kit: Kit, window: int | None) -> list[str]:
    """The text in whole statements, no piece larger than the compactor's window leaves."""
    if window is None:
        return [text]
    most, pieces, size = max(1, (window - FIELDS) // 2), [""], 0
    for statement in _cut(statements(text), most):
        cost = text_tokens(kit, statement) + 1
        if size and size + cost > most:
            pieces.append("")
            size = 0
        pieces[-1] += statement + "\n"
        size += cost
    return [piece for piece in pieces if piece.strip()]


def _cut(said: Iterable[str], most: int) -> Iterator[str]:
    """Statements, those with more than `most` characters in pieces: a character is rarely more than a token."""
    for statement in said:
        yield from (statement[start : start + most] for start in range(0, len(statement), most))


def _summary(units: Sequence[Unit], aim: str, lines: Sequence[str]) -> Unit:
    tools = Counter(tool for unit in units for tool in unit.metadata.tools)
    failed = [f"step {unit.created} failed" for unit in units if unit.metadata.failed]
    first, last = min(unit.created for unit in units), max(unit.metadata.until for unit in units)
    content = "\n".join(
        (
            f"task: {units[-1].subtask or 'not named'}",
            f"goal: {aim or 'not stated'}",
            f"steps: {first}-{last}",
            "results:",
            *lines,
            f"open issues: {', '.join(dict.fromkeys(failed)) or 'none'}",
            f"tools: {', '.join(f'{tool} x{n}' for tool, n in tools.items()) or 'none'}",
        )
    )
    metadata = Metadata(
        names=tuple(sorted({name for unit in units for name in unit.metadata.names})),
        sources=tuple(dict.fromkeys(source for unit in units for source in unit.metadata.sources)),
        tools=tuple(tools),
        failed=bool(failed),
        until=last,
        originals=tuple(unit.id for unit in units),
    )
    return Unit(
        "", "episodic", "summary", content, units[-1].subtask, created=first, level="summary", metadata=metadata
    )
