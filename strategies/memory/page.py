"""What memory adds to a view: messages of its own, each named by its content."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from harness.contract import Message
from strategies.made import user_message
from strategies.memory.bindings import binding
from strategies.memory.reading import Position
from strategies.memory.retrieval import Hit
from strategies.memory.statements import names, statements
from strategies.memory.unit import Unit

ABOUT = 4  # names that a retrieved unit is shown to share with what is asked (ours)
LINE = 64  # tokens: a longer statement is rare, so that not too many are left out at once
LOOK_BACK = "look_back"
Count = Callable[[Sequence[Message]], int]


def made(kind: str, text: str, sources: Iterable[str]) -> Message:
    return user_message(f"memory:{kind}", text, tuple(dict.fromkeys(sources)))


def standing(
    units: Sequence[Unit], room: int, count: Count, otherwise: str
) -> tuple[tuple[Message, ...], Sequence[Unit]]:
    """Goals and constraints as a list, and which they are; where it does not fit, the first units give way.

    otherwise: id of a source for what comes from another history.
    """
    chosen = list(units)
    while chosen:
        lines = [f"- {_by(unit)}{unit.content}" for unit in chosen]
        text = "\n".join(["Memory: what holds throughout", *lines])
        message = made("standing", text, _origin(chosen, otherwise))
        if count((message,)) <= room:
            return (message,), chosen
        del chosen[: max(1, len(chosen) // 8)]
    return (), ()


def now(at: Position, steps: Sequence[Unit], room: int, count: Count, otherwise: str) -> tuple[Message, ...]:
    """The open subtask, and the last steps that are no longer in view word for word; the oldest give way first."""
    lines = [f"Memory: open is {at.subtask}, since step {at.since}; {at.done} done before"] if at.subtask else []
    asked = [at.asked] if at.subtask and at.asked else []
    shown = list(steps)
    while lines or shown:
        text = "\n".join([*lines, *(unit.content for unit in shown)])
        message = made("now", text, [*asked, *(_origin(shown, otherwise) if shown else ())])
        if count((message,)) <= room:
            return (message,)
        if not shown:
            return ()
        del shown[0]
    return ()


def recalled(
    hits: Sequence[tuple[Hit, Sequence[str]]],
    newest: Mapping[str, str],
    room: int,
    count: Count,
    otherwise: str,
    handles: bool,
) -> tuple[Message, ...]:
    """The hits as far as they fit into `room` tokens, one message each, in the order of what they tell; each with
    statements of its originals. What was given another value later is left out.

    The best go in first. One that does not fit whole loses the statements that share no name with what is asked.
    """
    found: list[tuple[Unit, Message]] = []
    for hit, originals in hits:
        said = dict.fromkeys((*statements(hit.unit.content), *originals))
        message = _fitting(hit, [s for s in said if not outdated(s, newest)], room, count, otherwise, handles)
        if message is not None:
            found.append((hit.unit, message))
            room -= count((message,))
    found.sort(key=lambda pair: (pair[0].metadata.until, pair[0].number))
    return tuple(message for _, message in found)


def outdated(statement: str, newest: Mapping[str, str]) -> bool:
    """Whether its name was given another value later."""
    found = binding(statement)
    return found is not None and not found.amount and newest.get(found.name, found.value) != found.value


def original(told: Sequence[Unit], asked: frozenset[str], room: int, count: Count, otherwise: str) -> Message:
    """What units hold, word for word. Where it does not fit, the statements that share a name with what is asked go in
    first, then the newest ones."""
    lines = [f"step {unit.created}: {line}" for unit in told for line in statements(unit.content)]
    best = sorted(range(len(lines)), key=lambda n: (not asked & names(lines[n]), -n))
    while True:
        message = made("original", "\n".join(lines[n] for n in sorted(best)), _origin(told, otherwise))
        excess = count((message,)) - room
        if excess <= 0 or not best:
            return message
        del best[-max(1, excess // LINE) :]


def _fitting(hit: Hit, said: Sequence[str], room: int, count: Count, otherwise: str, handles: bool) -> Message | None:
    for lines in (said, [line for line in said if hit.about & names(line)]):
        if not lines:
            continue
        message = made("recalled", "\n".join([_head(hit, handles), *lines]), _origin([hit.unit], otherwise))
        if count((message,)) <= room:
            return message
    return None


def _head(hit: Hit, handles: bool) -> str:
    unit = hit.unit
    last = unit.metadata.until
    steps = f"step {unit.created}" if last <= unit.created else f"steps {unit.created}-{last}"
    about = f", on {', '.join(sorted(hit.about)[:ABOUT])}" if hit.about else ""
    more = f"; originals: [{LOOK_BACK.upper()}: {unit.id}]" if handles and unit.metadata.originals else ""
    return f"Memory: {steps}{_author(unit)}{about}{more}"


def _author(unit: Unit) -> str:
    return f", from {unit.metadata.author}" if unit.metadata.author else ""


def _by(unit: Unit) -> str:
    return f"{unit.metadata.author}: " if unit.metadata.author else ""


def _origin(units: Iterable[Unit], otherwise: str) -> list[str]:
    return [source for unit in units for source in unit.metadata.sources or (otherwise,)]
