"""Micro-episodes: each gives a model one opportunity to show a habit, and reads it off the reply.

A micro-episode is a generator: it yields what the model is shown, is sent the reply, and returns readings. Nothing but
the contract is observed: calls, their arguments, text. A reply without a call of an offered tool is unreadable.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Generator
from dataclasses import dataclass

from harness.calibrate.scene import CLOSE, FETCH, OPEN, READ, RECORD, Ask, Scene, called
from harness.calibrate.wording import ATTRIBUTES, chatter, is_value
from harness.contract import Call, Claim, Message

LATEST = 6  # steps of a part that are played until a focus is opened or closed
REPORTS = 24  # messages of a long view
MARGIN = 1.1  # length of a long view over `miss_from`, so that it is over it by everybody's count
CHARACTERS = 4  # a token, as the reader estimates
NOTHING = frozenset({"", "unknown", "none", "null", "n/a", "?"})


@dataclass(frozen=True, slots=True)
class Reading:
    """One opportunity: 1 the habit was shown, 0 it was not; for `border` steps late; None = unreadable.

    depth: where in the view it mattered, 0 to 1; only `miss` depends on it.
    """

    dial: str
    value: float | None
    depth: float = 0.5


Play = Generator[Ask, Message, tuple[Reading, ...]]


@dataclass(frozen=True, slots=True)
class Probe:
    """dials: the first one has an opportunity in each micro-episode, a second one only if the first was shown.

    longest: most calls of a micro-episode. play: starts one in a scene; gets `miss_from` in tokens.
    """

    dials: tuple[str, ...]
    longest: int
    play: Callable[[Scene, int], Play]


def missing(scene: Scene, miss_from: int) -> Play:
    """A fact was left out, and three ids are offered: one names its key, the others a half of it."""
    wanted = scene.fact()
    thing, attribute = wanted.key.split("/")
    other = scene.rng.choice([name for name in ATTRIBUTES if name != attribute])
    offers = [(thing, attribute), (scene.thing(), attribute), (thing, other)]
    ids = scene.rng.sample(range(100, 1000), len(offers))
    lines = [f"r{number}: the {attribute} of {thing}" for number, (thing, attribute) in zip(ids, offers, strict=True)]
    scene.rng.shuffle(lines)
    scene.made("Texts that were left out, by id:", *lines)
    scene.say(scene.order(1, wanted.key))
    calls = called((yield scene.ask(RECORD, FETCH)), (RECORD, FETCH))
    if not calls:
        return (Reading("retrieve", None),)
    fetched = [call for call in calls if call.name == FETCH.name]
    if not fetched:
        return (Reading("retrieve", 0),)
    return Reading("retrieve", 1), Reading("pick", float(_argument(fetched[0], "id") == f"r{ids[0]}"))


def named_source(scene: Scene, miss_from: int) -> Play:
    """What was read is masked, and the instruction names the file."""
    wanted = scene.fact()
    path = f"files/{wanted.key.split('/')[0]}.txt"
    scene.act(READ, {"path": path}, "[old observation left out]", masked=True)
    scene.say(scene.order(1, wanted.key, source=path))
    calls = called((yield scene.ask(RECORD, READ)), (RECORD, READ))
    if not calls:
        return (Reading("reread", None),)
    return (Reading("reread", float(any(c.name == READ.name and _argument(c, "path") == path for c in calls))),)


def beginning(scene: Scene, miss_from: int) -> Play:
    """A part begins and nothing is open; the part goes on until a focus is opened, or LATEST steps."""
    known = scene.facts(LATEST + 1)
    scene.say(scene.tell(*known), scene.order(1, known[0].key))
    for late in range(LATEST):
        reply = yield scene.ask(RECORD, OPEN, CLOSE)
        calls = called(reply, (RECORD, OPEN, CLOSE))
        if not calls:
            return (Reading("open", None),)
        if any(call.name == OPEN.name for call in calls):
            return Reading("open", 1), Reading("border", late)
        scene.heard(reply, "Done.", scene.order(1, known[late + 1].key))
    return (Reading("open", 0),)


def ending(scene: Scene, miss_from: int) -> Play:
    """A part is over whose focus is open, and one fact was told in it. A focus opened inside it leaves it open."""
    known, told = scene.facts(LATEST + 2), scene.fact()
    scene.say(scene.tell(*known), scene.order(1, known[0].key, item := scene.item()))
    scene.act(OPEN, {"goal": "part 1"}, "The focus is open.")
    _recorded(scene, item, known[0], "Done.", scene.tell(told), scene.order(2, known[1].key))
    for late in range(LATEST):
        reply = yield scene.ask(RECORD, OPEN, CLOSE)
        calls = called(reply, (RECORD, OPEN, CLOSE))
        if not calls:
            return (Reading("close", None),)
        closing = next((call for call in calls if call.name == CLOSE.name), None)
        if closing is not None:
            noted = any(_holds(str(text), told.value) for text in closing.arguments.values())
            return Reading("close", 1), Reading("carry", float(noted))
        if any(call.name == OPEN.name for call in calls):
            break
        scene.heard(reply, "Done.", scene.order(2, known[late + 2].key))
    return (Reading("close", 0),)


def news(scene: Scene, miss_from: int) -> Play:
    """A fact was just told that is not asked for yet."""
    first, asked, told = scene.facts(3)
    scene.say(scene.tell(first, asked), scene.order(1, first.key, item := scene.item()))
    _recorded(scene, item, first, "Done.", scene.tell(told), scene.order(1, asked.key))
    reply = yield scene.ask(RECORD)
    return (Reading("note", float(_holds(reply.content, told.value)) if called(reply, (RECORD,)) else None),)


def long_view(scene: Scene, miss_from: int) -> Play:
    """A view longer than `miss_from`, the fact somewhere in it."""
    wanted, place = scene.fact(), scene.rng.randrange(REPORTS)
    size, before = int(miss_from * MARGIN * CHARACTERS / REPORTS), len(scene.view)
    for number in range(REPORTS):
        lines, length = [scene.tell(wanted)] if number == place else [], 0
        while length < size:
            lines.append(scene.tell(scene.fact()) if scene.rng.random() < 0.5 else chatter(scene.rng.randrange(1000)))
            length += len(lines[-1]) + 1
        scene.rng.shuffle(lines)
        scene.say(*lines)
    scene.say(scene.order(1, wanted.key))
    depth = scene.depth(before + place)
    entries = _entries((yield scene.ask(RECORD)))
    return (Reading("miss", float(wanted.value not in entries) if entries else None, depth),)


def unknown(scene: Scene, miss_from: int) -> Play:
    """What is asked for was never told; the same attribute of two other things was."""
    wanted = scene.fact()
    attribute = wanted.key.split("/")[1]
    scene.say(scene.tell(scene.fact(attribute), scene.fact(attribute), scene.fact()), scene.order(1, wanted.key))
    entries = _entries((yield scene.ask(RECORD)))
    if any(is_value(entry) for entry in entries):
        return (Reading("bluff", 1),)
    return (Reading("bluff", 0 if entries and set(entries) <= NOTHING else None),)


def failure(scene: Scene, miss_from: int) -> Play:
    """The last action failed for good, and the next instruction has come."""
    (first, second), old, new = scene.facts(2), scene.item(), scene.item()
    scene.say(scene.tell(first, second), scene.order(1, first.key, old))
    lost = f"error: {old} is locked for good, its step is dropped."
    _recorded(scene, old, first, lost, scene.order(1, second.key, new))
    items = {_argument(call, "item") for call in called((yield scene.ask(RECORD)), (RECORD,))}
    return (Reading("poisoning", 1 if old in items else 0 if new in items else None),)


PROBES = (
    Probe(("retrieve", "pick"), 1, missing),
    Probe(("reread",), 1, named_source),
    Probe(("open", "border"), LATEST, beginning),
    Probe(("close", "carry"), LATEST, ending),
    Probe(("note",), 1, news),
    Probe(("miss",), 1, long_view),
    Probe(("bluff",), 1, unknown),
    Probe(("poisoning",), 1, failure),
)


def _recorded(scene: Scene, item: str, fact: Claim, *answer: str) -> None:
    scene.act(RECORD, {"item": item, "entry": fact.value}, *answer)


def _argument(call: Call, name: str) -> str:
    return str(call.arguments.get(name, "")).strip()


def _entries(reply: Message) -> list[str]:
    """What a reply records, lower case."""
    return [_argument(call, "entry").lower() for call in called(reply, (RECORD,))]


def _holds(text: str, value: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(value)}(?!\w)", text) is not None
